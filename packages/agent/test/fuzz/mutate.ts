/** Damages a recorded stream, by chance: its bytes, its events, the members of its events. */

import type { Recording } from "./recordings.ts";
import { type Chance, bytesOf, lines, textOf } from "./support.ts";

type Path = readonly (string | number)[];

/** Stands for a value that cannot be written by `JSON.stringify`. */
const DEEP = "@deep@";
const DEPTH = 10_000;
const WRONG: readonly unknown[] = [
  5,
  -1,
  0.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  null,
  true,
  [],
  {},
  [[]],
  "",
  " ",
  "\ud800",
  "a\udc00b",
  "__proto__",
  "toString",
  DEEP,
];
const LONG_NAME = "n".repeat(1_000_000);

export function damagedBytes(recording: Recording, chance: Chance): Uint8Array {
  const bytes = [...bytesOf(textOf(recording))];
  for (let times = 1 + chance.below(5); times > 0; times--) {
    const at = chance.below(bytes.length);
    const byte = chance.below(256);
    const how = chance.below(3);
    if (how === 0) bytes[at] = byte;
    else if (how === 1) bytes.splice(at, 0, byte);
    else bytes.splice(at, 1 + chance.below(40));
  }
  return Uint8Array.from(bytes);
}

/** Events that come twice, in another order, not at all, or after the end; and all of them twice. */
export function shuffledEvents({ events }: Recording, chance: Chance): Uint8Array {
  let shuffled = [...events];
  for (let times = 1 + chance.below(3); times > 0; times--) {
    const [one, other] = [chance.below(shuffled.length), chance.below(shuffled.length)];
    const event = shuffled[one] as object;
    const how = chance.below(6);
    if (how === 0) shuffled.splice(other, 0, event);
    else if (how === 1) [shuffled[one], shuffled[other]] = [shuffled[other] as object, event];
    else if (how === 2) shuffled.splice(one, 1);
    else if (how === 3) shuffled.push(event);
    else if (how === 4) shuffled = [...shuffled.slice(0, one), ...events];
    else shuffled.splice(one, 0, events[0] as object);
  }
  return bytesOf(shuffled.map(lines).join(""));
}

/** Members that are not what they should be. */
export function wrongMembers({ events }: Recording, chance: Chance): Uint8Array {
  const wrong = structuredClone(events) as (object | string)[];
  for (let times = 1 + chance.below(3); times > 0; times--) spoil(chance.of(wrong), chance);
  if (chance.below(10) === 0)
    wrong[chance.below(wrong.length)] = `data: ${JSON.stringify(chance.of(WRONG))}\n\n`;
  return bytesOf(withDeep(wrong.map(lines).join("")));
}

export function spoil(event: object | string, chance: Chance): void {
  const paths = typeof event === "string" ? [] : pathsIn(event);
  if (typeof event === "string" || paths.length === 0) return;
  const path = chance.of(paths);
  const owner = path.slice(0, -1).reduce<unknown>((value, name) => (value as never)[name], event);
  const name = path.at(-1) as never;
  const value = chance.below(200) === 0 ? LONG_NAME : chance.of(WRONG);
  if (chance.below(8) === 0) delete (owner as Record<string, unknown>)[name];
  else (owner as Record<string, unknown>)[name] = structuredClone(value);
}

export function withDeep(text: string): string {
  return text.replaceAll(`"${DEEP}"`, `${'{"a":['.repeat(DEPTH / 2)}1${"]}".repeat(DEPTH / 2)}`);
}

function pathsIn(value: unknown): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]): Path[] => [
    [name],
    ...pathsIn(member).map((path) => [name, ...path]),
  ]);
}
