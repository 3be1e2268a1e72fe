/** What the test tools have recorded: which lines were started, and by which process. */

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

/** Polls until the condition holds, with a generous limit. */
export async function until<Value>(
  read: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > deadline) throw new Error(`The condition did not become true: ${JSON.stringify(value)}`);
    await pause(50);
  }
}
