import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { outputStyle } from "./output-style.ts";

let root: string;
let notices: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "output-style-"));
  notices = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, text: string): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const styleOf = async (name: string | undefined, plugins: readonly string[] = []) => {
  const more = plugins.map((plugin) => ({
    path: join(root, plugin, "output-styles"),
    prefix: `${plugin}:`,
  }));
  const where = { cwd: join(root, "project"), home: join(root, "home"), env: {}, isTrusted: true, more };
  return (await outputStyle(name, where, (notice) => notices.push(notice)))?.name;
};

test("a style that a plugin forces is used instead of the selected one, which is said; the first plugin counts", async () => {
  write("calm/output-styles/calm.md", "---\nname: Calm\nforce-for-plugin: true\n---\nBe calm.");
  write("loud/output-styles/loud.md", "---\nname: Loud\nforce-for-plugin: true\n---\nBe loud.");
  write("plain/output-styles/plain.md", "---\nname: Plain\n---\nBe plain.");
  expect(await styleOf(undefined, ["plain", "calm", "loud"])).toBe("calm:Calm");
  expect(await styleOf("default", ["loud"])).toBe("loud:Loud");
  expect(await styleOf("calm:Calm", ["calm"])).toBe("calm:Calm");
  expect(notices).toEqual([]);
  expect(await styleOf("Learning", ["calm"])).toBe("calm:Calm");
  expect(notices).toEqual(["outputStyle: the plugin style calm:Calm is used instead of Learning."]);
  expect(await styleOf(undefined, ["plain"])).toBeUndefined();
  expect(await styleOf("plain:Plain", ["plain"])).toBe("plain:Plain");
});

test("outside a plugin nothing is forced, and a misspelled field of the style in use is reported", async () => {
  write("home/.claude/output-styles/a.md", "---\nname: A\nforce-for-plugin: true\n---\nA.");
  write("home/.claude/output-styles/b.md", "---\nname: B\nkeep-coding-instruction: true\n---\nB.");
  expect(await styleOf(undefined)).toBeUndefined();
  expect(await styleOf("A")).toBe("A");
  expect(notices).toEqual([]);
  expect(await styleOf("B")).toBe("B");
  expect(notices).toEqual([
    expect.stringMatching(/b\.md: `keep-coding-instruction` .*Did you mean "keep-coding-instructions"\?$/),
  ]);
});
