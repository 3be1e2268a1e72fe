import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Completion } from "./completion.ts";
import { suggesterOf } from "./file-suggestion.ts";
import { indexOf } from "./file-match.ts";

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "runahead-suggest-"))));
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function suggester(command: string) {
  const world = { cwd, home: cwd, env: { PATH: process.env["PATH"] }, print() {}, complain() {} };
  return suggesterOf({ type: "command", command }, { root: cwd, env: { KIND: "own" }, passEnv: [] }, world);
}

async function completed(command: string, typed: string): Promise<string[]> {
  const completion = new Completion({
    commands: () => [],
    files: () => indexOf(["never.txt"]),
    suggester: () => suggester(command),
  });
  const found = await completion.getSuggestions([typed], 0, typed.length);
  return (found?.items ?? []).map(({ value }) => value);
}

test("fileSuggestion gets what was typed as JSON and completes with the lines that it prints", async () => {
  const command = `sed 's/.*"query":"\\([^"]*\\)".*/\\1.ts/'; echo "$KIND-$(basename "$CLAUDE_PROJECT_DIR").md"; echo`;
  expect(await completed(command, "see @src/ma")).toEqual(["src/ma.ts", `own-${cwd.split("/").at(-1)}.md`]);
});

test("a command that fails, reads nothing or prints control characters suggests nothing harmful", async () => {
  expect(await completed("echo a.ts; exit 3", "@a")).toEqual([]);
  expect(await completed("exec 0<&-; echo a.ts", "@a")).toEqual(["a.ts"]);
  expect(await completed("printf 'a\\033[31m.ts\\nb.ts\\n'", "@a")).toEqual(["b.ts"]);
});
