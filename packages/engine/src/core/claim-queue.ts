/** The queues of the tree of places: who stands at a node, in which mode, and before whom. */

import type { Claim } from "./access.ts";
import { Fifo, IndexHeap, NameMap } from "./queue.ts";

/**
 * How a call stands at a node. `delegate` and `nothing` are for the root: a call that delegates its work excludes all
 * others, also those that claim nothing, and runs beside others that delegate.
 */
export type Mode = "read-below" | "write-below" | "read" | "write" | "nothing" | "delegate";

/** What stands in the queues: a call in the order of its turn, or a ticket in the order of the shared locks. */
export interface Claimant {
  /** Its place in the order. */
  readonly index: number;
  readonly access: { readonly claims: readonly Claim[] };
  /** It claims nothing, and excludes all that do not delegate. */
  readonly delegates: boolean;
  /** The tree's own: its places in the queues, where it waits for others to leave them, and whether it runs. */
  requests: readonly Request[];
  gate: Gate | undefined;
  isRunning: boolean;
  /** An earlier call can still change the context that its claims depend on. Until then it claims everything. */
  isUnlocated: boolean;
}

/** One call at one node. */
export interface Request {
  readonly claimant: Claimant;
  readonly index: number;
  readonly node: Node;
  readonly mode: Mode;
  /** The queue of its mode at its node. */
  readonly queue: RequestQueue;
  /** It is for a place in `context:`, which other claims of the call can depend on. */
  readonly ofContext: boolean;
  standing: "queued" | "running" | "left";
}

/** The requests of one mode at one node, in the order of their calls. */
export class RequestQueue {
  /** Of calls that run: they stand before everybody. */
  running = 0;
  /** Those that came in order, and those whose claims were changed. Both also have some that are not queued any more. */
  #inOrder: Fifo<Request> | undefined;
  #changed: IndexHeap<Request> | undefined;
  #queued = 0;

  /** Enters a request that is later than all before it. */
  append(request: Request): void {
    this.#queued++;
    if (this.#inOrder === undefined) this.#inOrder = new Fifo([request]);
    else this.#inOrder.push(request);
  }

  /** Enters a request at its place in the order. */
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

  /** Whether somebody here stands before the call with this index. */
  isBefore(index: number): boolean {
    if (this.running > 0) return true;
    if (this.#queued === 0) return false;
    const one = this.#inOrder === undefined ? undefined : firstQueued(this.#inOrder, dropFirst);
    if (one !== undefined && one.index < index) return true;
    const other = this.#changed === undefined ? undefined : firstQueued(this.#changed, dropTop);
    return other !== undefined && other.index < index;
  }

  /** Drops calls that are no longer queued, so that memory does not grow while an earlier call stays queued. */
  #compact(): void {
    const kept = (this.#inOrder?.size ?? 0) + (this.#changed?.size ?? 0);
    if (kept < 64 || kept < this.#queued * 4) return;
    this.#inOrder?.keep(isQueued);
    this.#changed?.keep(isQueued);
  }
}

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

/** Most nodes are touched by one call in one way, so queues, gates and children are made when they are needed. */
export interface Node {
  readonly parent: Node | undefined;
  readonly name: string;
  children: NameMap<Node> | undefined;
  readonly queues: Record<Mode, RequestQueue | undefined>;
  gates: Gate[] | undefined;
  /** Requests that have not left. */
  live: number;
}

export function newNode(parent: Node | undefined, name: string): Node {
  const queues = {
    "read-below": undefined,
    "write-below": undefined,
    read: undefined,
    write: undefined,
    nothing: undefined,
    delegate: undefined,
  };
  return { parent, name, children: undefined, queues, gates: undefined, live: 0 };
}

export function childOf(node: Node, name: string): Node {
  node.children ??= new NameMap();
  let child = node.children.get(name);
  if (child === undefined) node.children.add(name, (child = newNode(node, name)));
  return child;
}

/**
 * Whether somebody who excludes this mode stands at the node before the call with this index. Every queue is named:
 * most of the work for a call that writes is done here, and a property with a fixed name is found much faster.
 */
export function isInTheWay({ queues }: Node, mode: Mode, index: number): boolean {
  switch (mode) {
    case "read-below":
      return isBefore(queues.write, index) || isBefore(queues.delegate, index);
    case "write-below":
      return (
        isBefore(queues.read, index) || isBefore(queues.write, index) || isBefore(queues.delegate, index)
      );
    case "read":
      return (
        isBefore(queues["write-below"], index) ||
        isBefore(queues.write, index) ||
        isBefore(queues.delegate, index)
      );
    case "write":
      return (
        isBefore(queues["read-below"], index) ||
        isBefore(queues["write-below"], index) ||
        isBefore(queues.read, index) ||
        isBefore(queues.write, index) ||
        isBefore(queues.delegate, index)
      );
    case "nothing":
      return isBefore(queues.delegate, index);
    case "delegate":
      return (
        isBefore(queues.nothing, index) ||
        isBefore(queues["read-below"], index) ||
        isBefore(queues["write-below"], index) ||
        isBefore(queues.read, index) ||
        isBefore(queues.write, index)
      );
  }
}

function isBefore(queue: RequestQueue | undefined, index: number): boolean {
  return queue !== undefined && queue.isBefore(index);
}

export function queueAt(node: Node, mode: Mode): RequestQueue {
  return (node.queues[mode] ??= new RequestQueue());
}

/**
 * What a call waits for: that its context is known, that its hooks can be asked, or that it can start. A call that
 * delegates its work needs no slot to start, so it is not listed with those that do.
 */
export type Purpose = "locate" | "consult" | "start" | "delegate";

const LEAST_COMPACTED = 64;

/** Where calls wait that want the same thing and are blocked at the same node. */
export class Gate {
  readonly purpose: Purpose;
  readonly mode: Mode;
  readonly #node: Node;
  readonly #waiting = new IndexHeap<Claimant>();
  /** The index with which it stands among the open gates. */
  listedAt = Infinity;
  #compactAt = LEAST_COMPACTED;

  constructor(node: Node, mode: Mode, purpose: Purpose) {
    this.#node = node;
    this.mode = mode;
    this.purpose = purpose;
  }

  add(call: Claimant): void {
    call.gate = this;
    this.#waiting.push(call);
    if (this.#waiting.size < this.#compactAt) return;
    // Those that wait elsewhere now, or no more, are not kept until all before them have passed.
    this.#waiting.keep(({ gate }) => gate === this);
    this.#compactAt = Math.max(LEAST_COMPACTED, this.#waiting.size * 2);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * The earliest call that waits here, if nobody stands before it any more. If somebody stands before the earliest,
   * somebody stands before all others too.
   */
  next(): Claimant | undefined {
    for (let call = this.#waiting.peek(); call !== undefined; call = this.#waiting.peek()) {
      if (call.gate === this) return isInTheWay(this.#node, this.mode, call.index) ? undefined : call;
      this.#waiting.pop();
    }
    return undefined;
  }

  /** Takes out what `next` gave. */
  take(call: Claimant): void {
    call.gate = undefined;
    this.#waiting.pop();
  }
}
