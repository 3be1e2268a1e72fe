/** State outside of the conversation that is saved in the journal: which files were read, tasks, the mode. */

import { isShape, messageOf } from "@runahead/base";

/** A part of the program whose state is saved with the session and restored when the session is resumed. */
export interface SessionState {
  /**
   * Returns the state as plain JSON data. Called after each turn. Of an object, only the members that changed are
   * written, so keep large states as one object with a member per item, and do not modify what was returned.
   */
  save(): unknown;
  /** Takes a state that `save` returned, perhaps in another version of the program. Throws if it cannot be used. */
  restore(data: unknown): void;
}

/** A change of a part's state: the whole of it, or the changed members of an object. */
export type StateChange =
  | {
      /** The whole state. */
      readonly data: unknown;
    }
  | {
      /** The members that are new or have changed. */
      readonly set: Readonly<Record<string, unknown>>;
      /** The names of the members that were removed. */
      readonly unset: readonly string[];
    };

/** Returns what changed; undefined if nothing did. */
export function stateChange(before: unknown, after: unknown): StateChange | undefined {
  if (before === after) return undefined;
  if (!isShape(before) || !isShape(after)) return isSame(before, after) ? undefined : { data: after };
  const set = Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isSame(before[name], value)),
  );
  const unset = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return Object.keys(set).length + unset.length === 0 ? undefined : { set, unset };
}

/** Returns the state after a change that was read from a journal. Members that changed come last. */
export function changedState(before: unknown, change: Readonly<Record<string, unknown>>): unknown {
  const { data, set, unset } = change;
  if (!isShape(set)) return Object.hasOwn(change, "data") ? data : before;
  const removed = new Set<unknown>([...(Array.isArray(unset) ? unset : []), ...Object.keys(set)]);
  const kept = Object.entries(isShape(before) ? before : {}).filter(([name]) => !removed.has(name));
  return Object.fromEntries([...kept, ...Object.entries(set)]);
}

/** Immutable members are the same object as before, so most of a large state is not converted. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Saves and restores the states of all parts. A part that fails must not end the session. */
export class SavedStates {
  readonly #parts: readonly (readonly [string, SessionState])[];
  /** As last written to the journal. */
  readonly #written = new Map<string, unknown>();

  constructor(parts: Readonly<Record<string, SessionState>>, saved: Readonly<Record<string, unknown>>) {
    this.#parts = Object.entries(parts);
    for (const [name, part] of this.#parts) {
      if (!Object.hasOwn(saved, name)) continue;
      this.#written.set(name, saved[name]);
      attempt(name, "restored", () => part.restore(saved[name]));
    }
  }

  /** Returns what changed since the last call. */
  take(): readonly ({ readonly name: string } & StateChange)[] {
    return this.#parts.flatMap(([name, part]) => {
      const state = attempt(name, "saved", () => part.save());
      const change = state === undefined ? undefined : stateChange(this.#written.get(name), state);
      if (change === undefined) return [];
      this.#written.set(name, state);
      return [{ name, ...change }];
    });
  }
}

function attempt<Value>(name: string, done: string, work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    process.emitWarning(
      `The state "${name}" of the session was not ${done}: ${messageOf(error)}`,
      "RunaheadWarning",
    );
    return undefined;
  }
}
