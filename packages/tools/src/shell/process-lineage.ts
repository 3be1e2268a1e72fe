/**
 * Recognizes the processes of a command by what they inherit and keep when they clear their environment and detach from
 * their parents: the number by which the system chooses whom to kill when memory runs out, and the control group.
 */

import { randomInt } from "node:crypto";
import { hasMark, inheritedBy } from "@runahead/base";

/** Above the value of the agent, so that the system kills a command first. */
const LOWEST = 501;
const COUNT = 399;

let used = randomInt(COUNT);

/** Returns a value that no other command of this agent has at the same time. */
export function nextWeight(): number {
  used = (used + 1) % COUNT;
  const weight = LOWEST + used;
  return weight === inheritedBy("self")?.weight ? nextWeight() : weight;
}

export interface Lineage {
  readonly weight: number;
  /** The control group of the agent that started the command, as `ownGroup` returns it. */
  readonly group: string;
}

/** Another agent's process with the same value has a mark of its own. */
export function isOfLineage(pid: number, { weight, group }: Lineage, anyMark: string): boolean {
  const found = inheritedBy(pid);
  return found?.weight === weight && found.group === group && !hasMark(pid, anyMark);
}

export function ownGroup(): string {
  return inheritedBy("self")?.group ?? "";
}
