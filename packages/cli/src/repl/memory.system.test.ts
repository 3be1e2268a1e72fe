import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CodingAgent } from "@runahead/harness";
import { instructions } from "@runahead/harness";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { World } from "../shared/world.ts";
import { strip } from "../shared/safe-text.ts";
import { memoryLines, remember } from "./memory.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "memory-")));
  for (const folder of ["home/.claude", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const project = (name: string): string => join(root, "project", name);
const world = (): World => ({
  cwd: join(root, "project"),
  home: join(root, "home"),
  env: {},
  print: () => {},
  complain: () => {},
});

async function made(): Promise<CodingAgent> {
  const written = await instructions({ ...world(), isTrusted: true });
  return { instructions: written, settings: { root: join(root, "project"), isTrusted: true } } as CodingAgent;
}

test("class 8: # adds one line to the file that the user chooses, and the project's file is the one that exists", async () => {
  writeFileSync(project("AGENTS.md"), "# Rules\n- one");
  const titles: string[] = [];
  const choosing = (at: number) => (question: { choices: readonly { value: string; label: string }[] }) => {
    titles.push(...question.choices.map(({ label }) => label));
    return Promise.resolve(question.choices[at]?.value);
  };
  const said = await remember({ world: world(), made: await made(), choose: choosing(0) }, "use\n pnpm ");
  expect(readFileSync(project("AGENTS.md"), "utf8")).toBe("# Rules\n- one\n- use pnpm\n");
  expect(said).toEqual(["Added to AGENTS.md. New conversations read it."]);
  expect(titles).toEqual(["The project, for everybody", "The project, only for you", "All your projects"]);
  await remember({ world: world(), made: await made(), choose: choosing(2) }, "be brief");
  expect(readFileSync(join(root, "home/.claude/CLAUDE.md"), "utf8")).toBe("- be brief\n");
  const none = { world: world(), made: await made(), choose: () => Promise.resolve(undefined) };
  expect(await remember(none, "x")).toEqual(["Nothing saved."]);
  expect(await remember(none, "")).toEqual(["Type # and what to remember."]);
});

test("class 8: # keeps the ends of lines, and git ignores the file that is only for the user", async () => {
  writeFileSync(project("CLAUDE.md"), "one\r\ntwo");
  const at = async (index: number, text: string) =>
    remember(
      { world: world(), made: await made(), choose: ({ choices }) => Promise.resolve(choices[index]?.value) },
      text,
    );
  await at(0, "three");
  expect(readFileSync(project("CLAUDE.md"), "utf8")).toBe("one\r\ntwo\r\n- three\r\n");
  await at(1, "mine");
  await at(1, "mine too");
  expect(readFileSync(project("CLAUDE.local.md"), "utf8")).toBe("- mine\n- mine too\n");
  expect(readFileSync(project(".git/info/exclude"), "utf8")).toBe("/CLAUDE.local.md\n");
});

test("class 8: /memory lists what is loaded and why, and the rules that wait for a file", async () => {
  mkdirSync(project(".claude/rules"), { recursive: true });
  writeFileSync(project("CLAUDE.md"), "See @more.md.\n");
  writeFileSync(project("more.md"), "More.\n");
  writeFileSync(project(".claude/rules/go.md"), "---\npaths: '**/*.go'\n---\nGo rules.\n");
  writeFileSync(join(root, "home/.claude/CLAUDE.md"), "Mine.\n");
  const text = memoryLines(world(), await made())
    .map((line) => strip(line))
    .join("\n");
  expect(text).toContain("~/.claude/CLAUDE.md  yours, read in every folder");
  expect(text).toContain("CLAUDE.md  of the project");
  expect(text).toContain("more.md  imported by CLAUDE.md");
  expect(text).toContain(".claude/rules/go.md  when a file matches **/*.go");
  expect(text).toContain("3 files loaded.");
});
