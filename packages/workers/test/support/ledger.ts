/** What tools have written down of themselves: which lines were begun, and by which process. */

import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

export interface Begun {
  readonly line: string;
  readonly pid: number;
}

export function begunIn(file: string): Begun[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((text) => {
    const [line = "", pid] = text.split(" ");
    return { line, pid: Number(pid) };
  });
}

const LIMIT_MS = 40_000;

/** Looks until it holds, for a generous while. */
export async function until<Value>(
  read: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > deadline) throw new Error(`It did not come about: ${JSON.stringify(value)}`);
    await pause(50);
  }
}
