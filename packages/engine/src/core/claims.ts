/**
 * Decides which calls can touch which places, in the order of the calls: a lock manager over the tree of places.
 *
 * A claim on `fs:/a/b` is queued at that node, and as an intention at the nodes above it. A call is free to start when
 * no incompatible request of another call comes before it at any of its nodes. Requests of earlier calls that have not
 * left come before it, and so do those of running calls, wherever they are in the order (a call whose claims changed
 * can find a later one running).
 *
 * A call that is not free waits at one gate: the first node where it is blocked. When a request leaves that node, only
 * the earliest call at the gate is checked, and only if it could continue. So the work per call does not grow with the
 * number of calls, however often claims change. As long as no call writes, nothing is queued.
 *
 * An example: call 0 writes `fs:/a`, call 1 reads `fs:/a/b`, call 2 writes `fs:/c`.
 *
 *     node     queues                                 which call blocks which
 *     root     write-below: 0, 2   read-below: 1      none: intentions are compatible
 *     fs:      write-below: 0, 2   read-below: 1      none
 *     fs:/a    write: 0            read-below: 1      0 before 1, so call 1 waits at the gate of `fs:/a`
 *     fs:/a/b                      read: 1
 *     fs:/c    write: 2
 *
 * Calls 0 and 2 start. When call 0 leaves, the gate at `fs:/a` opens, and call 1 is checked and starts.
 *
 * Invariants: (1) of two conflicting calls, the later one does not start before the earlier one has left, unless it was
 * already running when the earlier one's claims changed; (2) two conflicting calls never run at the same time; (3) a
 * call never waits for itself.
 */

import { type Claim, placeSegments, writes } from "./access.ts";
import { type Call, isExecuting } from "./call.ts";
import { Fifo, IndexHeap } from "./queue.ts";

type Mode = "read-below" | "write-below" | "read" | "write";

/** For each mode, the modes that it conflicts with. */
const INCOMPATIBLE: Readonly<Record<Mode, readonly Mode[]>> = {
  "read-below": ["write"],
  "write-below": ["read", "write"],
  read: ["write-below", "write"],
  write: ["read-below", "write-below", "read", "write"],
};

/** One call at one node. */
export interface Request {
  readonly call: Call;
  readonly index: number;
  readonly node: Node;
  readonly mode: Mode;
  /** The request is for a place in `context:`, on which other claims of the call can depend. */
  readonly ofContext: boolean;
  standing: "queued" | "running" | "left";
}

/** The requests of one mode at one node, in the order of their calls. */
class RequestQueue {
  /** Requests of running calls: they come before all others. */
  running = 0;
  /**
   * Requests that arrived in order, and requests of calls whose claims changed. Both lists can contain requests that
   * are no longer queued.
   */
  #inOrder: Fifo<Request> | undefined;
  #changed: IndexHeap<Request> | undefined;
  #queued = 0;

  /** Appends a request that is later than all others. */
  append(request: Request): void {
    this.#queued++;
    if (this.#inOrder === undefined) this.#inOrder = new Fifo([request]);
    else this.#inOrder.push(request);
  }

  /** Inserts a request at its position in the order. */
  insert(request: Request): void {
    this.#queued++;
    (this.#changed ??= new IndexHeap()).push(request);
  }

  start(request: Request): void {
    this.#queued--;
    this.running++;
    request.standing = "running";
    this.#compact();
  }

  leave(request: Request): void {
    if (request.standing === "running") this.running--;
    else this.#queued--;
    request.standing = "left";
    this.#compact();
  }

  /** Whether a request here comes before the call with this index. */
  isBefore(index: number): boolean {
    if (this.running > 0) return true;
    if (this.#queued === 0) return false;
    const one = this.#inOrder === undefined ? undefined : firstQueued(this.#inOrder, dropFirst);
    if (one !== undefined && one.index < index) return true;
    const other = this.#changed === undefined ? undefined : firstQueued(this.#changed, dropTop);
    return other !== undefined && other.index < index;
  }

  /** Removes requests that have left but follow one that has not. */
  #compact(): void {
    const kept = (this.#inOrder?.size ?? 0) + (this.#changed?.size ?? 0);
    if (kept < 64 || kept < this.#queued * 4) return;
    this.#inOrder?.keep(isQueued);
    this.#changed?.keep(isQueued);
  }
}

const isWrite = ({ mode }: Request): boolean => mode === "write";
const isQueued = ({ standing }: Request): boolean => standing === "queued";
const dropFirst = (requests: Fifo<Request>): unknown => requests.shift();
const dropTop = (requests: IndexHeap<Request>): unknown => requests.pop();

function firstQueued<Requests extends { peek(): Request | undefined }>(
  requests: Requests,
  drop: (requests: Requests) => unknown,
): Request | undefined {
  let first = requests.peek();
  while (first !== undefined && first.standing !== "queued") {
    drop(requests);
    first = requests.peek();
  }
  return first;
}

/** Most nodes are touched by one call in one mode, so queues, gates and children are created on demand. */
interface Node {
  readonly parent: Node | undefined;
  readonly name: string;
  children: Map<string, Node> | undefined;
  readonly queues: Record<Mode, RequestQueue | undefined>;
  gates: Gate[] | undefined;
  /** Requests that have not left. */
  live: number;
}

function newNode(parent: Node | undefined, name: string): Node {
  const queues = { "read-below": undefined, "write-below": undefined, read: undefined, write: undefined };
  return { parent, name, children: undefined, queues, gates: undefined, live: 0 };
}

function childOf(node: Node, name: string): Node {
  node.children ??= new Map();
  let child = node.children.get(name);
  if (child === undefined) node.children.set(name, (child = newNode(node, name)));
  return child;
}

function isInTheWay(node: Node, mode: Mode, index: number): boolean {
  for (const other of INCOMPATIBLE[mode]) if (node.queues[other]?.isBefore(index) === true) return true;
  return false;
}

/** What a call waits for: to know its context, to run its hooks, or to start. */
export type Purpose = "locate" | "consult" | "start";

/** A queue of calls that wait for the same thing and are blocked at the same node. */
export class Gate {
  readonly purpose: Purpose;
  readonly mode: Mode;
  readonly #node: Node;
  readonly #waiting = new IndexHeap<Call>();
  /** Its index in the queue of open gates. */
  listedAt = Infinity;

  constructor(node: Node, mode: Mode, purpose: Purpose) {
    this.#node = node;
    this.mode = mode;
    this.purpose = purpose;
  }

  add(call: Call): void {
    call.gate = this;
    this.#waiting.push(call);
  }

  /**
   * Returns the earliest waiting call if it is no longer blocked. If the earliest one is blocked, all others are too.
   */
  next(): Call | undefined {
    for (let call = this.#waiting.peek(); call !== undefined; call = this.#waiting.peek()) {
      if (call.gate === this) return isInTheWay(this.#node, this.mode, call.index) ? undefined : call;
      this.#waiting.pop();
    }
    return undefined;
  }

  /** Removes the call that `next` returned. */
  take(call: Call): void {
    call.gate = undefined;
    this.#waiting.pop();
  }
}

/** Calls that can possibly continue, for one purpose. The earliest comes first. */
export class Candidates {
  readonly #calls = new IndexHeap<Call>();
  readonly #gates = new IndexHeap<{ readonly index: number; readonly gate: Gate }>();

  add(call: Call): void {
    call.gate = undefined;
    this.#calls.push(call);
  }

  /** A request left the gate's node, so a waiting call can possibly pass. */
  open(gate: Gate): void {
    const index = gate.next()?.index ?? Infinity;
    if (index >= gate.listedAt) return;
    gate.listedAt = index;
    this.#gates.push({ index, gate });
  }

  pop(): Call | undefined {
    for (let first = this.#gates.peek(); first !== undefined; first = this.#gates.peek()) {
      const direct = this.#calls.peek();
      if (direct !== undefined && direct.index <= first.index) break;
      this.#gates.pop();
      const call = pass(first.gate, first.index);
      if (first.gate.listedAt === Infinity) this.open(first.gate);
      if (call !== undefined) return call;
    }
    return this.#calls.pop();
  }
}

/** Removes the call with this index from the gate, if it still waits there and can pass. */
function pass(gate: Gate, index: number): Call | undefined {
  if (gate.listedAt !== index) return undefined;
  gate.listedAt = Infinity;
  const call = gate.next();
  if (call?.index !== index) return undefined;
  gate.take(call);
  return call;
}

/** The call cannot be blocked by any other. */
export const NO_REQUESTS: readonly Request[] = [];

export class ClaimTree {
  /** Calls that can possibly continue, by what they wait for. */
  readonly candidates: Readonly<Record<Purpose, Candidates>> = {
    locate: new Candidates(),
    consult: new Candidates(),
    start: new Candidates(),
  };
  readonly #root = newNode(undefined, "");
  /**
   * The number of calls that write. While there are none, the read-only calls are only listed here, because nothing can
   * block them.
   */
  #writers = 0;
  readonly #onlyReaders = new Set<Call>();

  /** Adds a call that is later than all others to the queues of its claims. */
  enter(call: Call): void {
    this.#enter(call, "append");
  }

  /** Adds a call whose claims changed to the queues of its new claims, at its old position in the order. */
  reenter(call: Call): void {
    this.leave(call);
    this.#enter(call, "insert");
  }

  /** Marks the call as running. */
  start({ requests }: Call): void {
    for (const request of requests) queueOf(request).start(request);
  }

  /** Removes a call from its queues and opens the gates of the calls that waited for it. */
  leave(call: Call): void {
    const { requests } = call;
    call.gate = undefined;
    if (requests.length === 0) return void this.#onlyReaders.delete(call);
    if (requests.some(isWrite)) this.#writers--;
    call.requests = NO_REQUESTS;
    for (const request of requests) queueOf(request).leave(request);
    for (const { node } of requests) {
      node.live--;
      for (const gate of node.gates ?? []) this.candidates[gate.purpose].open(gate);
      this.#prune(node);
    }
  }

  /** Returns the first node where another call blocks this one, if any. Places in `context:` come first. */
  obstacle({ requests, index }: Call): Request | undefined {
    for (const request of requests) if (isInTheWay(request.node, request.mode, index)) return request;
    return undefined;
  }

  /** Lets the call wait at the node of this request until it can pass. */
  waitAt({ call, node, mode }: Request, purpose: Purpose): void {
    if (call.gate?.purpose === purpose && call.gate.mode === mode && node.gates?.includes(call.gate)) return;
    node.gates ??= [];
    let gate = node.gates.find((one) => one.purpose === purpose && one.mode === mode);
    if (gate === undefined) node.gates.push((gate = new Gate(node, mode, purpose)));
    gate.add(call);
  }

  /** Whether there are no claims. Then no memory is kept either. */
  get empty(): boolean {
    return this.#root.live === 0 && isChildless(this.#root) && this.#onlyReaders.size === 0;
  }

  #enter(call: Call, how: "append" | "insert"): void {
    const { claims } = call.access;
    const isWriter = claims.some(writes);
    if (!isWriter && this.#writers === 0) {
      if (claims.length > 0) this.#onlyReaders.add(call);
      return;
    }
    if (isWriter) this.#writers++;
    this.#enterReaders();
    this.#claimAll(call, how);
  }

  /** The first writer has arrived: from now on, claims are queued. */
  #enterReaders(): void {
    for (const reader of this.#onlyReaders) {
      this.#claimAll(reader, "insert");
      if (isExecuting(reader.phase)) this.start(reader);
    }
    this.#onlyReaders.clear();
  }

  /** The context must be known before the other claims of a call can be. */
  #claimAll(call: Call, how: "append" | "insert"): void {
    const { claims } = call.access;
    const requests: Request[] = [];
    const depends = claims.some(isOfContext);
    if (depends) for (const claim of claims) if (isOfContext(claim)) this.#claim(call, claim, requests);
    for (const claim of claims) if (!depends || !isOfContext(claim)) this.#claim(call, claim, requests);
    for (const request of requests) {
      request.node.live++;
      queueOf(request)[how](request);
    }
    call.requests = requests;
  }

  #claim(call: Call, claim: Claim, requests: Request[]): void {
    const segments = placeSegments(claim.place);
    const isWriter = segments === undefined || claim.mode !== "read";
    const below = isWriter ? "write-below" : "read-below";
    const ofContext = isOfContext(claim);
    const { index } = call;
    let node = this.#root;
    for (const name of segments ?? []) {
      requests.push({ call, index, node, mode: below, ofContext, standing: "queued" });
      node = childOf(node, name);
    }
    requests.push({ call, index, node, mode: isWriter ? "write" : "read", ofContext, standing: "queued" });
  }

  #prune(from: Node): void {
    let node = from;
    while (node.parent !== undefined && node.live === 0 && isChildless(node)) {
      // A node that was removed and created again is a different one: remove only the current one.
      if (node.parent.children?.get(node.name) === node) node.parent.children.delete(node.name);
      node = node.parent;
    }
  }
}

function queueOf({ node, mode }: Request): RequestQueue {
  return (node.queues[mode] ??= new RequestQueue());
}

function isOfContext({ place }: Claim): boolean {
  return place.startsWith("context:/");
}

function isChildless({ children }: Node): boolean {
  return children === undefined || children.size === 0;
}
