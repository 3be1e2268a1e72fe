/**
 * Calls that ignored their signal and may still be running. They are kept in a tree of places, so the cost of finding
 * those that conflict with a call does not depend on their number.
 */

import { type Claim, placeSegments, writes } from "./access.ts";
import type { Call } from "./call.ts";
import { NameMap } from "./queue.ts";

/** How many of them a result names. */
const MOST_NAMED = 3;

interface Node {
  readonly children: NameMap<Node>;
  readonly readers: Set<Call>;
  readonly writers: Set<Call>;
  /** Claims at this node and below it, and how many of them write. */
  claims: number;
  writes: number;
}

const newNode = (): Node => ({
  children: new NameMap(),
  readers: new Set(),
  writers: new Set(),
  claims: 0,
  writes: 0,
});

export class AbandonedCalls {
  readonly #root = newNode();
  readonly #byId = new Map<string, Call>();

  add(call: Call): void {
    this.#byId.set(call.id, call);
    for (const claim of call.access.claims) this.#enter(call, claim);
  }

  /** The call has ended after all. */
  remove(id: string): void {
    const call = this.#byId.get(id);
    if (call === undefined) return;
    this.#byId.delete(id);
    for (const claim of call.access.claims) leave(this.#root, call, claim);
  }

  /** Returns the ids of some earlier abandoned calls that conflict with this call, in the model's order. */
  inTheWayOf(call: Call): readonly string[] {
    if (this.#byId.size === 0) return NOBODY;
    const found = new Set<Call>();
    for (const claim of call.access.claims) search(this.#root, claim, (other) => note(found, other, call));
    return [...found].sort((one, other) => one.index - other.index).map(({ id }) => id);
  }

  #enter(call: Call, claim: Claim): void {
    let node = this.#root;
    count(node, claim, 1);
    for (const name of placeSegments(claim.place) ?? []) {
      let child = node.children.get(name);
      if (child === undefined) node.children.add(name, (child = newNode()));
      count((node = child), claim, 1);
    }
    (writes(claim) ? node.writers : node.readers).add(call);
  }
}

const NOBODY: readonly string[] = [];

/** Whether enough are found. */
function note(found: Set<Call>, other: Call, call: Call): boolean {
  if (other.index < call.index) found.add(other);
  return found.size >= MOST_NAMED;
}

function count(node: Node, claim: Claim, by: 1 | -1): void {
  node.claims += by;
  if (writes(claim)) node.writes += by;
}

function leave(root: Node, call: Call, claim: Claim): void {
  let node = root;
  count(node, claim, -1);
  for (const name of placeSegments(claim.place) ?? []) {
    const child = node.children.get(name);
    if (child === undefined) return;
    count(child, claim, -1);
    if (child.claims === 0) return node.children.delete(name);
    node = child;
  }
  (writes(claim) ? node.writers : node.readers).delete(call);
}

type Visit = (call: Call) => boolean;

/** Visits what conflicts with a claim: on the way to its place, and everything below it. */
function search(root: Node, claim: Claim, visit: Visit): boolean {
  const wantsReaders = writes(claim);
  let node: Node | undefined = root;
  for (const name of placeSegments(claim.place) ?? []) {
    if (visitAt(node, wantsReaders, visit)) return true;
    node = node.children.get(name);
    if (node === undefined) return false;
  }
  return visitBelow(node, wantsReaders, visit);
}

function visitAt({ writers, readers }: Node, wantsReaders: boolean, visit: Visit): boolean {
  for (const call of writers) if (visit(call)) return true;
  if (wantsReaders) for (const call of readers) if (visit(call)) return true;
  return false;
}

function visitBelow(node: Node, wantsReaders: boolean, visit: Visit): boolean {
  if ((wantsReaders ? node.claims : node.writes) === 0) return false;
  if (visitAt(node, wantsReaders, visit)) return true;
  for (const child of node.children.values()) if (visitBelow(child, wantsReaders, visit)) return true;
  return false;
}
