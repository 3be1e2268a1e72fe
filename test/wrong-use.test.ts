import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { entries } from "../scripts/entries.mjs";
import { ROOT } from "./source.ts";

/** What a program without types can pass to a function. */
const WRONG: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  Number.NaN,
  "",
  "no such thing",
  true,
  {},
  { unknownOption: 1 },
  Object.create(null),
  new Map(),
  [],
  [null],
  [1],
  [{}],
  () => undefined,
];

/** What JavaScript and Node say when something fails inside. It names neither the argument nor the remedy. */
const RAW = [
  /^Cannot (?:read|set|destructure|convert|create|use|access|delete|add|assign|mix)\b/,
  /^[\w.#[\]()$ ]+ is not (?:a function|iterable|async iterable|an object|a constructor)\b/,
  /^The "[\w.]+" (?:argument|property) must be/,
  /^Invalid (?:array length|count value|string length|time value)/,
  /^Maximum call stack/,
  /^Reduce of empty array/,
  /\bin JSON at position\b|is not valid JSON$/,
];

/** Entries that are left out, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "@runahead/base": "It is not a public API, and its functions signal processes.",
};

const WAIT_MS = 200;

const folder = mkdtempSync(join(tmpdir(), "runahead-wrong-use-"));
const before = process.cwd();

beforeAll(() => {
  process.chdir(folder);
  for (const name of ["HOME", "RUNAHEAD_HOME"]) vi.stubEnv(name, folder);
  for (const name of Object.keys(process.env)) if (/_API_KEY$|_BASE_URL$/.test(name)) vi.stubEnv(name, "");
  // A function that took a wrong argument for a process would end this one, or all of them.
  vi.spyOn(process, "kill").mockImplementation(() => {
    throw new Error("a process was signalled because of a wrong argument");
  });
});

afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function isRaw(error: unknown): boolean {
  return error instanceof Error && RAW.some((raw) => raw.test(error.message));
}

/** Waits for a promise, or reads the first value of a stream. */
async function use(value: unknown): Promise<void> {
  if (typeof value !== "object" || value === null) return;
  const waiting = pause(WAIT_MS);
  if (value instanceof Promise) await Promise.race([value, waiting]);
  else if (Symbol.asyncIterator in value) {
    const reading = (value as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    await Promise.race([reading.next(), waiting]);
  }
}

/** The raw error that a call ends with, if it does. */
async function rawErrorOf(called: () => unknown): Promise<string | undefined> {
  try {
    await use(called());
    return undefined;
  } catch (error) {
    return isRaw(error) ? (error as Error).message : undefined;
  }
}

function shown(value: unknown): string {
  if (value instanceof Map) return "new Map()";
  return typeof value === "function" ? "() => undefined" : (JSON.stringify(value) ?? "undefined");
}

type Callable = (...args: readonly unknown[]) => unknown;

function callOf(exported: unknown): Callable {
  const isClass = /^class\b/.test(String(exported));
  return (...args) =>
    isClass ? Reflect.construct(exported as never, args) : (exported as Callable)(...args);
}

/** Errors are exported so that programs recognise them; only our own code creates them. */
function isCalledByPrograms(exported: unknown): boolean {
  return typeof exported === "function" && !(exported.prototype instanceof Error);
}

/** Each wrong value alone, and in place of every argument. */
async function problemsOf(name: string, exported: unknown): Promise<string[]> {
  const call = callOf(exported);
  const problems: string[] = [];
  for (const wrong of WRONG)
    for (const args of [[wrong], [wrong, wrong, wrong]]) {
      const raw = await rawErrorOf(() => call(...args));
      if (raw !== undefined) problems.push(`${name}(${args.map(shown).join(", ")}): ${raw}`);
    }
  return problems;
}

test.each(entries().filter(({ name }) => LEFT_OUT[name] === undefined))(
  "every function of $name answers wrong arguments by name",
  { timeout: 120_000 },
  async ({ source }) => {
    const exported = (await import(join(ROOT, source))) as Readonly<Record<string, unknown>>;
    const problems: string[] = [];
    for (const [name, value] of Object.entries(exported))
      if (isCalledByPrograms(value)) problems.push(...(await problemsOf(name, value)));
    expect(problems).toEqual([]);
  },
);

test("a raw error is recognised, and one that names the argument is not", async () => {
  const careless = (options: { readonly cwd: string }): string => options.cwd.trim();
  expect(await problemsOf("careless", careless)).toContain(
    "careless(null): Cannot read properties of null (reading 'cwd')",
  );
  const careful = (): never => {
    throw new TypeError('careful: "cwd" is required.');
  };
  expect(await problemsOf("careful", careful)).toEqual([]);
});
