/**
 * The locks that several turns share: of two calls of different turns that conflict, one waits until the other has
 * settled. Within a turn the turn's own tree decides, in the model's order; here there is no order but that of asking.
 *
 * A call asks for its locks when its own turn would start it, and not before: a call that waits for others of its turn
 * would otherwise stand here before the calls that those others wait for. It gets a ticket. Tickets that conflict are
 * served in the order of their numbers, so none ever overtakes an earlier one (the bound on overtaking is zero). A
 * ticket that conflicts with nobody before it takes the rooms that it needs, in the same order for all: those of its
 * tool and places, if they are limited, and then one of the slots for running calls. With the last room it is granted:
 * from that moment it holds its claims and its rooms, until its call has settled, was cancelled or is judged again. Of a
 * limit per minute, a call that has run keeps its room until a minute after its start.
 *
 * Nothing deadlocks: a granted ticket waits for nothing here, a ticket with rooms waits only for those who have later
 * rooms, and a ticket without any waits only for earlier tickets.
 *
 * The table reads no clock: `tick` sets the time, and `nextAt` says when to do so again.
 *
 * While all tickets are of one turn, nothing is queued, because that turn has kept its calls apart already.
 */

import { type Claim, type Place, claimsConflict, placeSegments } from "./access.ts";
import type { Blocker, Call, LockHolder, LockTicket } from "./call.ts";
import type { Claimant, Gate, Request } from "./claim-queue.ts";
import { ClaimTree, NO_REQUESTS, isOfContext } from "./claims.ts";
import { Chain, Fifo, IndexHeap, type Linked } from "./queue.ts";

/** A limit on the calls of a tool, or of a place and everything below it. */
export interface Limit {
  /** How many run at a time. */
  readonly concurrent?: number;
  /** How many start within any minute. */
  readonly perMinute?: number;
}

const MINUTE_MS = 60_000;

/** So many calls can be in it at a time. */
class Room {
  free: number;
  /** The limit that it stands for; undefined for the slots of all calls. */
  readonly place: string | undefined;
  /** When the calls started that keep a room for a minute, oldest first; undefined if rooms are given back at the end. */
  readonly starts: Fifo<number> | undefined;
  readonly waiting = new IndexHeap<Ticket>();
  /** How many of those who waited have left without having been let in. */
  #gone = 0;

  constructor(free: number, place?: string, starts?: Fifo<number>) {
    this.free = free;
    this.place = place;
    this.starts = starts;
  }

  /** Gives back the rooms of calls that started a minute ago or earlier. */
  expire(now: number): void {
    const { starts } = this;
    if (starts === undefined) return;
    for (let at = starts.peek(); at !== undefined && at <= now - MINUTE_MS; at = starts.peek()) {
      starts.shift();
      this.free++;
    }
  }

  /** Whether somebody waits in it. */
  get isAwaited(): boolean {
    const { waiting } = this;
    while (waiting.peek()?.standing === "left") waiting.pop();
    return waiting.size > 0;
  }

  /** Somebody who waited has left. Such tickets are not kept for as long as the room is full. */
  forget(): void {
    if (++this.#gone < 64 || this.#gone * 2 < this.waiting.size) return;
    this.waiting.keep(({ standing }) => standing === "waiting");
    this.#gone = 0;
  }
}

/** Most tickets never meet another turn's, so what only the tree needs of them is made for it. */
export class Ticket implements Claimant, LockTicket, Linked<Ticket> {
  readonly index: number;
  readonly call: Call;
  readonly holder: LockHolder;
  readonly delegates = false;
  requests: readonly Request[] = NO_REQUESTS;
  gate: Gate | undefined = undefined;
  isRunning = false;
  isUnlocated = false;
  standing: "waiting" | "granted" | "left" = "waiting";
  /** The rooms it needs, in the order of all rooms, and how many of them it has. */
  readonly rooms: readonly Room[];
  taken = 0;
  readonly isMetered: boolean;
  /** Its call has started. */
  isUsed = false;
  /** Its neighbours among all tickets that have not left. */
  before: Ticket | undefined = undefined;
  after: Ticket | undefined = undefined;
  readonly #table: LockTable;

  constructor(table: LockTable, call: Call, holder: LockHolder) {
    this.#table = table;
    this.index = table.given++;
    this.call = call;
    this.holder = holder;
    this.rooms = table.roomsFor(call);
    this.isMetered = table.isMetered && this.rooms.some(({ starts }) => starts !== undefined);
  }

  use(): void {
    if (this.isUsed) return;
    this.isUsed = true;
    for (const { starts } of this.rooms) starts?.push(this.#table.now);
  }

  /** The context belongs to one turn, so nobody else can be in the way of claims on it. */
  get access(): { readonly claims: readonly Claim[] } {
    const { access } = this.call;
    if (!access.claims.some(isOfContext)) return access;
    return { claims: access.claims.filter((claim) => !isOfContext(claim)) };
  }

  leave(): void {
    this.#table.leave(this);
  }
}

/** A limit on the calls of a tool, or on those that touch a place or something below it. */
interface Limited {
  readonly tool: string | undefined;
  readonly segments: readonly string[];
  readonly room: Room;
}

const OF_TOOL = "tool:/";
/** So many tickets are looked at to say whom a call waits for. */
const MOST_LOOKED_AT = 200;

export class LockTable {
  /** How many tickets there have been. */
  given = 0;
  /** The tree need not know who runs: of two tickets that conflict the earlier comes first, granted or not. */
  readonly #tree = new ClaimTree<Ticket>();
  readonly #limited: readonly Limited[];
  readonly #metered: readonly Room[];
  /** The time that `tick` has set. */
  now = 0;
  readonly #slots: Room;
  readonly #onlySlots: readonly Room[];
  /** All tickets that have not left, in order. */
  readonly #live = new Chain<Ticket>();
  readonly #granted = new Fifo<Ticket>();
  /** Of all tickets, while they have the same one. Their claims are not in the tree then. */
  #onlyHolder: LockHolder | undefined;
  #isShared = false;

  constructor(maxConcurrency: number, limits: Readonly<Record<Place, Limit>>) {
    this.#slots = new Room(maxConcurrency);
    this.#onlySlots = [this.#slots];
    const all = Object.entries(limits);
    const metered = all.flatMap(([place, { perMinute }]) =>
      perMinute === undefined ? [] : [limitOn(place, new Room(perMinute, place, new Fifo()))],
    );
    const others = all.flatMap(([place, { concurrent }]) =>
      concurrent === undefined ? [] : [limitOn(place, new Room(concurrent, place))],
    );
    // The wait for a minute to pass is the longest, so nobody keeps another room meanwhile.
    this.#limited = [...metered, ...others];
    this.#metered = metered.map(({ room }) => room);
  }

  /** Whether there are limits per minute. */
  get isMetered(): boolean {
    return this.#metered.length > 0;
  }

  /** Sets the time, and grants what waited for it. */
  tick(now: number): void {
    this.now = now;
    for (const room of this.#metered) {
      room.expire(now);
      this.#admit(room);
    }
  }

  /** When `tick` can grant something that waits for a minute to pass; undefined if nothing does. */
  nextAt(): number | undefined {
    let next: number | undefined;
    for (const { isAwaited, starts } of this.#metered) {
      const at = isAwaited ? starts?.peek() : undefined;
      if (at !== undefined && (next === undefined || at + MINUTE_MS < next)) next = at + MINUTE_MS;
    }
    return next;
  }

  /** The ticket is granted at once, or later through `takeGranted`. */
  request(call: Call, holder: LockHolder): Ticket {
    const ticket = new Ticket(this, call, holder);
    const isAlone = !this.#isShared && (this.#onlyHolder === holder || this.#live.first === undefined);
    if (isAlone) this.#onlyHolder = holder;
    else this.#enterTree(ticket);
    this.#live.append(ticket);
    const obstacle = isAlone ? undefined : this.#tree.obstacle(ticket);
    if (obstacle === undefined) this.#advance(ticket);
    else this.#tree.waitAt(obstacle, "start");
    return ticket;
  }

  /** In the order of all rooms. The slots come last, so that nobody keeps one while waiting for another room. */
  roomsFor(call: Call): readonly Room[] {
    if (this.#limited.length === 0) return this.#onlySlots;
    const limited = this.#limited.filter((one) => isLimitedBy(call, one)).map(({ room }) => room);
    return [...limited, this.#slots];
  }

  /** Gives back what the ticket holds, and grants what waited for it. */
  leave(ticket: Ticket): void {
    const { standing, rooms, taken } = ticket;
    if (standing === "left") return;
    ticket.standing = "left";
    this.#live.remove(ticket);
    if (standing === "waiting") rooms[taken]?.forget();
    if (this.#isShared) this.#leaveTree(ticket);
    for (let at = 0; at < taken; at++) this.#giveBack(ticket, rooms[at] as Room);
    if (this.#live.first !== undefined) return;
    this.#isShared = false;
    this.#onlyHolder = undefined;
  }

  /** Whether tickets that were not granted at once have been granted since. */
  get hasGranted(): boolean {
    return this.#granted.size > 0;
  }

  /** The next of them. */
  takeGranted(): Ticket | undefined {
    let ticket = this.#granted.shift();
    while (ticket?.standing === "left") ticket = this.#granted.shift();
    return ticket;
  }

  /** The call of another turn that this one waits for: one that holds what it needs, or else the first in its way. */
  blockerOf(ticket: Ticket): Blocker | undefined {
    let first: Ticket | undefined;
    let looked = 0;
    for (let other = this.#live.first; other !== undefined && other !== ticket; other = other.after) {
      if (++looked > MOST_LOOKED_AT) break;
      if (other.holder === ticket.holder) continue;
      if (!claimsConflict(other.access.claims, ticket.access.claims)) continue;
      if (other.standing === "granted") return shown(other);
      first ??= other;
    }
    return first === undefined ? undefined : shown(first);
  }

  /** The limit that a ticket waits for, if it waits for one and not for another ticket. */
  limitOf({ standing, gate, rooms, taken }: Ticket): string | undefined {
    return standing === "waiting" && gate === undefined ? rooms[taken]?.place : undefined;
  }

  /** Whether nothing is held and nobody waits: then nothing is kept either. */
  get empty(): boolean {
    return this.#live.first === undefined && this.#tree.empty;
  }

  /** When a second turn comes, there is something to keep apart, and those that are here enter too. */
  #enterTree(ticket: Ticket): void {
    if (!this.#isShared) for (const other of this.#live.list()) this.#tree.enter(other);
    this.#isShared = true;
    this.#onlyHolder = undefined;
    this.#tree.enter(ticket);
  }

  /** Those who are free of it line up for their rooms before its own rooms are given away, so that order decides. */
  #leaveTree(ticket: Ticket): void {
    this.#tree.leave(ticket);
    const { start } = this.#tree.candidates;
    for (let next = start.pop(); next !== undefined; next = start.pop()) {
      if (next.standing !== "waiting") continue;
      const obstacle = this.#tree.obstacle(next);
      if (obstacle !== undefined) this.#tree.waitAt(obstacle, "start");
      else if (this.#advance(next)) this.#granted.push(next);
    }
  }

  /** Somebody has left the room. Of a limit per minute, it is given back when the minute has passed. */
  #giveBack({ isUsed }: Ticket, room: Room): void {
    if (isUsed && room.starts !== undefined) return;
    room.free++;
    this.#admit(room);
  }

  /** Lets in those who wait, as far as there is room. */
  #admit(room: Room): void {
    while (room.free > 0) {
      const next = room.waiting.pop();
      if (next === undefined) return;
      if (next.standing === "waiting" && this.#advance(next)) this.#granted.push(next);
    }
  }

  /** Takes the rooms that the ticket still needs, as far as they are free. Whether it has all of them now. */
  #advance(ticket: Ticket): boolean {
    const { rooms } = ticket;
    for (let room = rooms[ticket.taken]; room !== undefined; room = rooms[ticket.taken]) {
      if (room.free <= 0) {
        room.waiting.push(ticket);
        return false;
      }
      room.free--;
      ticket.taken++;
    }
    ticket.standing = "granted";
    return true;
  }
}

function limitOn(place: string, room: Room): Limited {
  const tool = place.startsWith(OF_TOOL) ? place.slice(OF_TOOL.length) : undefined;
  return { tool, segments: placeSegments(place) ?? [], room };
}

function isLimitedBy({ toolName, access }: Call, { tool, segments }: Limited): boolean {
  if (tool !== undefined) return tool === toolName;
  return access.claims.some(({ place }) => {
    const own = placeSegments(place) ?? [];
    return own.length >= segments.length && segments.every((name, at) => name === own[at]);
  });
}

function shown({ call, holder }: Ticket): Blocker {
  const { id: callId, toolName } = call;
  return holder.owner === undefined ? { callId, toolName } : { callId, toolName, owner: holder.owner };
}
