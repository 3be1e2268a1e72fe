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
import {
  type Claimant,
  Gate,
  type Mode,
  type Node,
  type Purpose,
  type Request,
  childOf,
  isInTheWay,
  newNode,
  queueAt,
} from "./claim-queue.ts";
import { IndexHeap } from "./queue.ts";

/** Calls that may be able to move on, for one purpose: the earliest comes out first. */
export class Candidates<Call extends Claimant> {
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
      // The gates of a tree hold what its candidates do.
      if (call !== undefined) return call as Call;
    }
    return this.#calls.pop();
  }
}

/** Takes the call with this index out of the gate, if it still waits there and can pass. */
function pass(gate: Gate, index: number): Claimant | undefined {
  if (gate.listedAt !== index) return undefined;
  gate.listedAt = Infinity;
  const call = gate.next();
  if (call?.index !== index) return undefined;
  gate.take(call);
  return call;
}

/** The call cannot be blocked by any other. */
export const NO_REQUESTS: readonly Request[] = [];

export class ClaimTree<Call extends Claimant = Claimant> {
  /** Calls that may be able to move on, by what they wait for. */
  readonly candidates: Readonly<Record<Purpose, Candidates<Call>>> = {
    locate: new Candidates(),
    consult: new Candidates(),
    start: new Candidates(),
    delegate: new Candidates(),
  };
  readonly #root = newNode(undefined, "");
  /** How many calls write something, and how many delegate their work. */
  #writers = 0;
  #delegating = 0;
  /** While there are none of both, the calls that only read: nothing can be in their way. */
  readonly #onlyReaders = new Set<Call>();
  /** The calls that have entered and not left, among them those that claim nothing, which are not kept here. */
  readonly #all: () => readonly Call[];

  constructor(all: () => readonly Call[] = () => []) {
    this.#all = all;
  }

  /** Adds a call that is later than all others to the queues of its claims. */
  enter(call: Call): void {
    this.#enter(call, "append");
  }

  /** Adds a call whose claims changed to the queues of its new claims, at its old position in the order. */
  reenter(call: Call): void {
    this.leave(call);
    this.#enter(call, "insert");
  }

  /** The call runs from now on. */
  start(call: Call): void {
    call.isRunning = true;
    for (const request of call.requests) request.queue.start(request);
  }

  /** Removes a call from its queues and opens the gates of the calls that waited for it. */
  leave(call: Call): void {
    const { requests } = call;
    call.gate = undefined;
    call.isRunning = false;
    call.isUnlocated = false;
    if (requests.length === 0) return void this.#onlyReaders.delete(call);
    if (requests.some(isWrite)) this.#writers--;
    if (call.delegates) this.#delegating--;
    call.requests = NO_REQUESTS;
    for (const request of requests) request.queue.leave(request);
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

  /** The call waits at the node of this request until it can pass. */
  waitAt({ claimant: call, node, mode }: Request, purpose: Purpose): void {
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
    if (call.delegates) return this.#enterDelegating(call, how);
    if (claims.length === 0 && this.#delegating === 0) return;
    const isWriter = claims.some(writes);
    if (!isWriter && this.#writers === 0 && this.#delegating === 0) return void this.#onlyReaders.add(call);
    if (isWriter) this.#writers++;
    this.#enterReaders();
    this.#claimAll(call, how);
  }

  #enterDelegating(call: Call, how: "append" | "insert"): void {
    this.#enterReaders();
    if (this.#delegating++ === 0)
      for (const other of this.#all()) if (isUnclaimed(other)) this.#enterLate(other);
    this.#request(call, [this.#atRoot(call, "delegate")], how);
  }

  /** The first call has come that excludes them: from now on there is something to queue for. */
  #enterReaders(): void {
    for (const reader of this.#onlyReaders) this.#enterLate(reader);
    this.#onlyReaders.clear();
  }

  #enterLate(call: Call): void {
    this.#claimAll(call, "insert");
    if (call.isRunning) this.start(call);
  }

  /**
   * What the context is must be known before anything else of a call is, also if the call changes it. Until then it
   * claims everything: in another context, the same input can mean any place.
   */
  #claimAll(call: Call, how: "append" | "insert"): void {
    const { claims } = call.access;
    const requests: Request[] = [];
    for (const claim of claims)
      if (isOfContext(claim)) this.#claim(call, { ...claim, mode: "read" }, requests, true);
    call.isUnlocated = requests.some(({ node, mode }) => isInTheWay(node, mode, call.index));
    if (call.isUnlocated) this.#claim(call, anything(claims), requests, false);
    for (const claim of claims) if (isKnown(claim, call)) this.#claim(call, claim, requests, false);
    if (requests.length === 0) requests.push(this.#atRoot(call, "nothing"));
    this.#request(call, requests, how);
  }

  #request(call: Call, requests: readonly Request[], how: "append" | "insert"): void {
    for (const request of requests) {
      request.node.live++;
      if (how === "append") request.queue.append(request);
      else request.queue.insert(request);
    }
    call.requests = requests;
  }

  #atRoot(claimant: Call, mode: Mode): Request {
    return newRequest(claimant, this.#root, mode);
  }

  #claim(claimant: Call, claim: Claim, requests: Request[], ofContext: boolean): void {
    const segments = placeSegments(claim.place);
    const isWriter = segments === undefined || claim.mode !== "read";
    const below = isWriter ? "write-below" : "read-below";
    let node = this.#root;
    for (const name of segments ?? []) {
      requests.push(newRequest(claimant, node, below, ofContext));
      node = childOf(node, name);
    }
    requests.push(newRequest(claimant, node, isWriter ? "write" : "read", ofContext));
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

function newRequest(claimant: Claimant, node: Node, mode: Mode, ofContext = false): Request {
  const queue = queueAt(node, mode);
  return { claimant, index: claimant.index, node, mode, queue, ofContext, standing: "queued" };
}

function isWrite({ mode }: Request): boolean {
  return mode === "write";
}

function isUnclaimed({ access, requests, delegates }: Claimant): boolean {
  return access.claims.length === 0 && requests.length === 0 && !delegates;
}

/** Whether the call claims this, besides that it depends on the context. */
function isKnown(claim: Claim, { isUnlocated }: Claimant): boolean {
  return isOfContext(claim) ? writes(claim) : !isUnlocated;
}

/** In another context the call claims other places, and it writes if it writes in this one. */
function anything(claims: readonly Claim[]): Claim {
  const isWriter = claims.some((claim) => writes(claim) && !isOfContext(claim));
  return { mode: isWriter ? "write" : "read", place: "*" };
}

export function isOfContext({ place }: Claim): boolean {
  return place.startsWith("context:/");
}

function isChildless({ children }: Node): boolean {
  return children === undefined || children.size === 0;
}
