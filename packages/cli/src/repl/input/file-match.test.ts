import { expect, test } from "vitest";
import { indexOf, matchFiles } from "./file-match.ts";

const NAMES = ["src/app.ts", "src/", "docs/an app.md", "app/x.ts", "packages/cli/src/repl/input/keys.ts"];
const found = async (
  typed: string,
  names: readonly string[] = NAMES,
  signal?: AbortSignal,
): Promise<string[]> =>
  matchFiles(await indexOf(names), typed, { most: 5, signal, isHidden: (name) => name.includes("\u001b") });

test("paths that start with the text come first, then names, then parts, then scattered letters", async () => {
  expect(await found("app")).toEqual([
    "app/x.ts",
    "src/app.ts",
    "docs/an app.md",
    "packages/cli/src/repl/input/keys.ts",
  ]);
  expect(await found("X.T")).toEqual(["app/x.ts"]);
  expect(await found("clikeys")).toEqual(["packages/cli/src/repl/input/keys.ts"]);
  expect(await found("zzz")).toEqual([]);
  expect(await found("")).toEqual([
    "src/",
    "app/x.ts",
    "src/app.ts",
    "docs/an app.md",
    "packages/cli/src/repl/input/keys.ts",
  ]);
});

test("a name that controls the terminal is left out", async () => {
  expect(await found("src", ["src/\u001b[2J.ts", "src/a.ts"])).toEqual(["src/a.ts"]);
});

test("100,000 files are searched in slices between which keys are handled, and an older search stops", async () => {
  const many = Array.from({ length: 100_000 }, (_, at) => `packages/part-${at % 100}/src/module-${at}.ts`);
  const index = await indexOf(many);
  let slices = 0;
  const loop = (): void => void (slices++, (immediate = setImmediate(loop)));
  let immediate = setImmediate(loop);
  const options = { most: 5, signal: undefined, isHidden: () => false };
  const [first] = await matchFiles(index, "module-99999", options);
  expect(first).toBe("packages/part-99/src/module-99999.ts");
  expect(await matchFiles(index, "p7m77", options)).toHaveLength(5);
  clearImmediate(immediate);
  expect(slices).toBeGreaterThanOrEqual(10);
  expect(await matchFiles(index, "module", { ...options, signal: AbortSignal.abort() })).toEqual([]);
});
