/**
 * Who may touch what, in the order of the calls: a lock manager over the tree of places.
 *
 * A claim on `fs:/a/b` stands in a queue at that node, and in the queues of the nodes above it as an intention.
 * A request is granted when no earlier call has an incompatible one at the same node; a call is free to start when
 * all its requests are granted. Queues are in the order of the calls, so within one mode the granted requests are
 * a prefix, and each request is looked at once when it is granted and once when it is dropped: the work does not
 * grow with the number of calls. As long as nobody writes, nobody is queued.
 *
 * Invariants: (1) of two calls that conflict, the later is not granted before the earlier has released, unless it
 * had started before the earlier one claimed anew; (2) a call never waits for itself.
 */

import { type Claim, placeSegments, writes } from "./access.ts";
import type { Call } from "./call.ts";

const READ_BELOW = 0;
const WRITE_BELOW = 1;
const READ = 2;
const WRITE = 3;
type Mode = typeof READ_BELOW | typeof WRITE_BELOW | typeof READ | typeof WRITE;

/** For each mode, those that it cannot be held beside. */
const INCOMPATIBLE: readonly (readonly Mode[])[] = [
  [WRITE],
  [READ, WRITE],
  [WRITE_BELOW, WRITE],
  [READ_BELOW, WRITE_BELOW, READ, WRITE],
];

export interface Request {
  readonly call: Call;
  readonly node: Node;
  readonly mode: Mode;
  /** Entered at an earlier place in the order, so later calls may have started already. */
  readonly late: boolean;
  granted: boolean;
  released: boolean;
}

/** The requests of one mode at one node, in the order of their calls. */
interface Line {
  requests: Request[];
  /** Those before it are released. */
  first: number;
  /** Those before it are granted. */
  next: number;
}

/** Most nodes are touched by one call in one way, so lines and children are made when they are needed. */
interface Node {
  readonly parent: Node | undefined;
  readonly name: string;
  children: Map<string, Node> | undefined;
  readonly lines: [Line | undefined, Line | undefined, Line | undefined, Line | undefined];
  /** Requests that are not released. */
  live: number;
}

function newNode(parent: Node | undefined, name: string): Node {
  return { parent, name, children: undefined, lines: [undefined, undefined, undefined, undefined], live: 0 };
}

function lineOf(node: Node, mode: Mode): Line {
  return (node.lines[mode] ??= { requests: [], first: 0, next: 0 });
}

function childOf(node: Node, name: string): Node {
  node.children ??= new Map();
  let child = node.children.get(name);
  if (child === undefined) node.children.set(name, (child = newNode(node, name)));
  return child;
}

export class ClaimTree {
  readonly #root = newNode(undefined, "");
  /** The calls that run: few, so that one that claims anew can be compared with each of them. */
  readonly #started = new Set<Call>();

  /** Calls that write something, and, while there are none, calls that only read: nothing can be in their way. */
  readonly #writers = new Set<Call>();
  readonly #onlyReaders = new Set<Call>();

  /** The call runs from now on. */
  start(call: Call): void {
    this.#started.add(call);
  }

  /** Puts a call, later than all before it, into the queues of its claims. */
  request(call: Call): void {
    this.#request(call, false);
  }

  /** Takes a call out of its queues and gives back those that are free to start by it. */
  release(call: Call): Call[] {
    const { requests } = call;
    this.#started.delete(call);
    if (requests.length === 0) {
      this.#onlyReaders.delete(call);
      return [];
    }
    this.#writers.delete(call);
    const freed: Call[] = [];
    call.requests = [];
    for (const request of requests) request.released = true;
    for (const request of requests) {
      request.node.live--;
      advance(request.node, freed, this.#started);
      this.#prune(request.node);
    }
    return freed;
  }

  /** Claims anew for a call whose access has changed before it started, at its old position in the order. */
  reclaim(call: Call): Call[] {
    const freed = this.release(call);
    call.blocked = 0;
    this.#request(call, true);
    return freed.filter((other) => other.blocked === 0);
  }

  /** Whether nothing is claimed any more: then nothing is kept either. */
  get empty(): boolean {
    return this.#root.live === 0 && isChildless(this.#root) && this.#onlyReaders.size === 0;
  }

  #request(call: Call, late: boolean): void {
    const { claims } = call.access;
    const isWriter = claims.some(writes);
    if (!isWriter && this.#writers.size === 0) {
      if (claims.length > 0) this.#onlyReaders.add(call);
      return;
    }
    if (isWriter) this.#writers.add(call);
    this.#enterReaders();
    for (const claim of claims) this.#claim(call, claim, late);
  }

  /** The first writer has come: from now on there is something to queue for. */
  #enterReaders(): void {
    for (const reader of this.#onlyReaders) {
      for (const claim of reader.access.claims) this.#claim(reader, claim, true);
    }
    this.#onlyReaders.clear();
  }

  #claim(call: Call, claim: Claim, late: boolean): void {
    const segments = placeSegments(claim.place);
    const mode = segments === undefined || claim.mode !== "read" ? WRITE : READ;
    const below = mode === WRITE ? WRITE_BELOW : READ_BELOW;
    let node = this.#root;
    for (const name of segments ?? []) {
      this.#enter({ call, node, mode: below, late, granted: false, released: false });
      node = childOf(node, name);
    }
    this.#enter({ call, node, mode, late, granted: false, released: false });
  }

  #enter(request: Request): void {
    const { call, node, late } = request;
    call.requests.push(request);
    node.live++;
    if (late) insert(request, this.#started);
    else push(request);
    if (!request.granted) call.blocked++;
  }

  #prune(from: Node): void {
    let node = from;
    while (node.parent !== undefined && node.live === 0 && isChildless(node)) {
      // A node that was dropped and made again is another one: only drop what is really there.
      if (node.parent.children?.get(node.name) === node) node.parent.children.delete(node.name);
      node = node.parent;
    }
  }
}

function isChildless({ children }: Node): boolean {
  return children === undefined || children.size === 0;
}

/** Enters the request of the latest call: it is granted if nobody earlier stands in the way. */
function push(request: Request): void {
  const line = lineOf(request.node, request.mode);
  line.requests.push(request);
  if (line.next === line.requests.length - 1 && request.call.index <= barrier(request.node, request.mode)) {
    request.granted = true;
    line.next++;
  }
}

/** Enters the request of an earlier call: later ones that it conflicts with and that have not started must wait. */
function insert(request: Request, started: ReadonlySet<Call>): void {
  const { node, mode, call } = request;
  const line = lineOf(node, mode);
  const at = firstAfter(line, call.index);
  line.requests.splice(at, 0, request);
  if (at < line.next) line.next++;
  for (const other of INCOMPATIBLE[mode] as readonly Mode[]) revoke(node.lines[other], call, started);
  const granted = call.index <= barrier(node, mode) && !startedAfter(request, started);
  request.granted = granted;
  if (granted && at === line.next) line.next++;
  if (!granted && at < line.next) line.next = at;
}

function revoke(line: Line | undefined, call: Call, started: ReadonlySet<Call>): void {
  if (line === undefined) return;
  const from = firstAfter(line, call.index);
  for (let position = from; position < line.next; position++) {
    const request = line.requests[position] as Request;
    if (request.call === call || !request.granted || request.released || started.has(request.call)) continue;
    request.granted = false;
    request.call.blocked++;
  }
  line.next = Math.min(line.next, from);
}

/** Whether a later call that conflicts with this request is already running: then it is finished first. */
function startedAfter({ call, node, mode }: Request, started: ReadonlySet<Call>): boolean {
  const incompatible = INCOMPATIBLE[mode] as readonly Mode[];
  for (const other of started) {
    if (other.index <= call.index) continue;
    if (other.requests.some((held) => held.node === node && incompatible.includes(held.mode))) return true;
  }
  return false;
}

/** The index of the earliest call that stands in the way of this mode at this node. */
function barrier(node: Node, mode: Mode): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (const other of INCOMPATIBLE[mode] as readonly Mode[]) {
    const line = node.lines[other];
    const first = line?.requests[line.first];
    if (first !== undefined && first.call.index < earliest) earliest = first.call.index;
  }
  return earliest;
}

/** Grants what can be granted at a node after a release. */
function advance(node: Node, freed: Call[], started: ReadonlySet<Call>): void {
  for (const line of node.lines) if (line !== undefined) dropReleased(line);
  for (let mode = 0; mode < node.lines.length; mode++) {
    const line = node.lines[mode];
    if (line === undefined || line.next === line.requests.length) continue;
    const limit = barrier(node, mode as Mode);
    while (line.next < line.requests.length) {
      const request = line.requests[line.next] as Request;
      if (request.call.index > limit) break;
      if (!request.granted && !request.released) {
        if (request.late && startedAfter(request, started)) break;
        request.granted = true;
        if (--request.call.blocked === 0) freed.push(request.call);
      }
      line.next++;
    }
  }
}

function dropReleased(line: Line): void {
  while (line.requests[line.first]?.released === true) line.first++;
  if (line.next < line.first) line.next = line.first;
  if (line.first > 32 && line.first * 2 > line.requests.length) {
    line.requests.splice(0, line.first);
    line.next -= line.first;
    line.first = 0;
  }
}

function firstAfter(line: Line, index: number): number {
  let low = line.first;
  let high = line.requests.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((line.requests[middle] as Request).call.index > index) high = middle;
    else low = middle + 1;
  }
  return low;
}
