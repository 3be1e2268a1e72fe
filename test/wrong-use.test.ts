import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { entries } from "../scripts/entries.mjs";
import { ROOT } from "./source.ts";
import { WRONG, rawErrorOf, shown } from "./wrong-values.ts";

/** Entries that are left out, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "@runahead/base": "It is not a public API, and its functions signal processes.",
};

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
