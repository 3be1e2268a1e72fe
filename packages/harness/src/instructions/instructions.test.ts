import { chmod, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import { type Instructions, NestedInstructions, instructions } from "./instructions.ts";

afterEach(removeWorlds);

const pathsIn = ({ files }: Instructions, folder: string): string[] =>
  files.map(({ path }) => path.slice(folder.length + 1));

test("the user's own files come first, then from the root down to the working directory", async () => {
  const world = await newWorld();
  const expected = [
    ["home/.claude/CLAUDE.md", "user"],
    ["home/.runahead/AGENTS.md", "user"],
    ["project/AGENTS.md", "project"],
    ["project/CLAUDE.md", "project"],
    ["project/.claude/CLAUDE.md", "project"],
    ["project/CLAUDE.local.md", "local"],
    ["project/a/CLAUDE.md", "project"],
    ["project/a/b/AGENTS.md", "project"],
  ] as const;
  for (const [path] of [...expected, ["project/beside/CLAUDE.md"]].toReversed())
    await world.write(path, `text of ${path}`);
  const found = await instructions({ ...world.options, cwd: join(world.project, "a", "b") });
  expect(found).toEqual({
    files: expected.map(([path, scope]) => ({
      path: join(world.folder, path),
      text: `text of ${path}`,
      scope,
      importedBy: undefined,
    })),
    conditional: [],
    problems: [],
  });
});

test("a file is returned once, although several links lead to it", async () => {
  const world = await newWorld();
  await world.write("project/AGENTS.md", "once");
  await symlink("AGENTS.md", join(world.project, "CLAUDE.md"));
  expect(pathsIn(await instructions(world.options), world.folder)).toEqual(["project/AGENTS.md"]);
});

test("imports follow their file, four deep, and circles end", async () => {
  const world = await newWorld();
  await world.write("project/CLAUDE.md", "See @docs/1.md, and (@docs/other.md).");
  for (let at = 1; at <= 6; at++)
    await world.write(`project/docs/${at}.md`, `@${at + 1}.md @1.md @../CLAUDE.md`);
  await world.write("project/docs/other.md", "other");
  const found = await instructions(world.options);
  const docs = [1, 2, 3, 4].map((at) => `project/docs/${at}.md`);
  expect(pathsIn(found, world.folder)).toEqual(["project/CLAUDE.md", ...docs, "project/docs/other.md"]);
  expect(found.files[2]?.importedBy).toBe(join(world.project, "docs/1.md"));
  expect(found.problems.map(({ message }) => message)).toEqual([
    `The imports of ${join(world.project, "docs/4.md")} are not used: they are nested more than 4 deep`,
  ]);
});

test("addresses, mentions, packages and code are not imports, and a missing import is reported", async () => {
  const world = await newWorld();
  await world.write("project/x.md", "x");
  await world.write(
    "project/CLAUDE.md",
    "me@x.md @someone @scope/package `@x.md` ``a ` @x.md``\n```sh\n@x.md\n```\n~~~\n@x.md\n~~~\n@gone.md @./gone too\n````\n```\n@x.md",
  );
  const found = await instructions(world.options);
  expect(pathsIn(found, world.folder)).toEqual(["project/CLAUDE.md"]);
  expect(found.problems.map(({ path }) => path)).toEqual(
    ["gone.md", "gone"].map((name) => join(world.project, name)),
  );
});

test("D17: an untrusted project cannot bring in outside files by import or link; a trusted one can", async () => {
  const world = await newWorld();
  await world.write("home/secret.md", "secret");
  await world.write("project/CLAUDE.md", "@~/secret.md @../home/secret.md @inner/link.md");
  await mkdir(join(world.project, "inner"));
  await symlink(join(world.home, "secret.md"), join(world.project, "inner/link.md"));
  await symlink(join(world.home, "secret.md"), join(world.project, "AGENTS.md"));
  await world.write("home/.claude/CLAUDE.md", "@../own.md");
  await world.write("home/own.md", "own");
  const before = await instructions(world.options);
  const own = ["home/.claude/CLAUDE.md", "home/own.md"];
  expect(pathsIn(before, world.folder)).toEqual([...own, "project/CLAUDE.md"]);
  expect(before.problems.map(({ message }) => message)).toEqual([
    `${join(world.project, "AGENTS.md")} is not used: it is outside of the folder, and the folder is not trusted`,
  ]);
  const after = await instructions({ ...world.options, isTrusted: true });
  expect([pathsIn(after, world.folder), after.problems]).toEqual([
    [...own, "project/AGENTS.md", "project/CLAUDE.md"],
    [],
  ]);
});

test("D17: a trusted project can bring in only Markdown from outside, by import or link", async () => {
  const world = await newWorld();
  await world.write("home/.ssh/id_rsa", "s3cret");
  await world.write("home/notes.md", "notes");
  await symlink(join(world.home, ".ssh/id_rsa"), join(world.project, "key.md"));
  await symlink(join(world.home, ".ssh/id_rsa"), join(world.project, "AGENTS.md"));
  await world.write("project/CLAUDE.md", "@~/.ssh/id_rsa @key.md @/etc/passwd @~/notes.md");
  const found = await instructions({ ...world.options, isTrusted: true });
  expect(pathsIn(found, world.folder)).toEqual(["project/CLAUDE.md", "home/notes.md"]);
  expect(found.problems.map(({ path }) => path)).toEqual([join(world.project, "AGENTS.md"), "/etc/passwd"]);
});

test("D17: if the home folder is a repository, a folder in it reads nothing else of it", async () => {
  const world = await newWorld();
  await mkdir(join(world.home, ".git"), { recursive: true });
  await world.write("home/.ssh/id_rsa", "s3cret");
  await world.write("home/downloads/evil/CLAUDE.md", "@~/.ssh/id_rsa @../../.ssh/id_rsa");
  const cwd = join(world.home, "downloads/evil");
  const found = await instructions({ ...world.options, cwd });
  expect(pathsIn(found, world.folder)).toEqual(["home/downloads/evil/CLAUDE.md"]);
});

test("D17: instructions of folders below follow the same rule about outside files", async () => {
  const world = await newWorld();
  await mkdir(join(world.home, ".git"), { recursive: true });
  await world.write("home/.ssh/id_rsa", "s3cret");
  await world.write("home/evil/sub/CLAUDE.md", "@~/.ssh/id_rsa @../../.ssh/id_rsa");
  const cwd = join(world.home, "evil");
  const where = { ...world.options, cwd, isTrusted: false };
  const nested = new NestedInstructions(where, await instructions(where));
  expect((await nested.touched([join(cwd, "sub", "x.ts")])).map(({ path }) => path)).toEqual([
    join(cwd, "sub/CLAUDE.md"),
  ]);
});

test("instructions of a folder below are returned once, and never those that are loaded", async () => {
  const world = await newWorld();
  await world.write("project/AGENTS.md", "root");
  await world.write("project/a/b/CLAUDE.md", "below");
  await symlink("../AGENTS.md", join(world.project, "a", "CLAUDE.md"));
  const where = { ...world.options, isTrusted: false };
  const nested = new NestedInstructions(where, await instructions(where));
  const below = async (...folders: string[]): Promise<string[]> =>
    (await nested.touched(folders.map((folder) => join(world.folder, folder, "x.ts")))).map(
      ({ text }) => text,
    );
  expect(await below("project", "home", "project/a")).toEqual([]);
  expect(await below("project/a/b", "project/a/b/c")).toEqual(["below"]);
  expect(await below("project/a/b")).toEqual([]);
});

test("files that are too large, too many or unreadable are left out and reported", async () => {
  const world = await newWorld();
  await world.write("project/AGENTS.md", "x".repeat(256_001));
  await mkdir(join(world.project, ".claude/CLAUDE.md"), { recursive: true });
  const names = Array.from({ length: 120 }, (_, at) => `many/${at}.md`);
  await world.write("project/CLAUDE.md", names.map((name) => `@${name}`).join("\n"));
  for (const name of names) await world.write(`project/${name}`, name);
  const { files, problems } = await instructions(world.options);
  expect(files).toHaveLength(100);
  expect(problems.map(({ path }) => path.slice(world.project.length + 1))).toEqual([
    "AGENTS.md",
    ...names.slice(99),
    ".claude/CLAUDE.md",
  ]);
  expect(problems[0]?.message).toMatch(/AGENTS\.md is not used: it is larger than 256000 bytes$/);
  await world.write("project/CLAUDE.md", ["a", "b", "c", "d", "e"].map((name) => `@${name}.md`).join(" "));
  for (const name of ["a", "b", "c", "d", "e"]) await world.write(`project/${name}.md`, name.repeat(250_000));
  expect((await instructions(world.options)).files.map(({ text }) => text.length)).toEqual([
    29, 250_000, 250_000, 250_000,
  ]);
});

test("class 6: rules without paths are loaded, rules with paths when a file of theirs is used", async () => {
  const world = await newWorld();
  await world.write("project/.claude/rules/style.md", "---\ndescription: x\n---\nUse tabs.");
  await world.write(
    "project/.claude/rules/deep/api.md",
    '---\npaths:\n  - "src/api/**/*.{ts,tsx}"\n---\nCheck input.',
  );
  await world.write("project/.claude/rules/go.md", '---\npaths: "*.go, docs/*.md"\n---\nGo rules.');
  const loaded = await instructions(world.options);
  expect(loaded.files.map(({ text }) => text)).toEqual(["Use tabs."]);
  const nested = new NestedInstructions({ ...world.options, isTrusted: true }, loaded);
  const touched = async (path: string): Promise<string[]> =>
    (await nested.touched([join(world.project, path)])).map(({ text }) => text);
  expect(await touched("src/other.ts")).toEqual([]);
  expect(await touched("src/api/v1/a.tsx")).toEqual(["Check input."]);
  expect(await touched("src/api/v1/b.ts")).toEqual([]);
  expect(await touched("cmd/main.go")).toEqual(["Go rules."]);
});

test("class 6: comments are left out, except in code, and the same text is sent once", async () => {
  const world = await newWorld();
  await world.write("project/AGENTS.md", "a\n<!-- for people\n-->\nb\n```html\n<!-- code -->\n```\n");
  await world.write("project/CLAUDE.md", "a\n  b\n```html\n<!-- code -->\n```");
  await world.write("project/.claude/CLAUDE.md", "@../AGENTS.md\nmore");
  const { files } = await instructions(world.options);
  expect(files.map(({ text }) => text)).toEqual([
    "a\nb\n```html\n<!-- code -->\n```\n",
    "@../AGENTS.md\nmore",
  ]);
});

test("class 6: a comment beside text leaves its line as it is, and one in a code span stays", async () => {
  const world = await newWorld();
  await world.write(
    "project/AGENTS.md",
    "One. <!-- x -->\n```\ncode\n```\n  <!-- y --> two `<!-- keep -->`\n  <!-- z -->  \n@three.md\n",
  );
  await world.write("project/three.md", "Three.");
  const { files } = await instructions(world.options);
  expect(files.map(({ text }) => text)).toEqual([
    "One. \n```\ncode\n```\n   two `<!-- keep -->`\n@three.md\n",
    "Three.",
  ]);
});

test("class 6: files above the git root are read if they belong to the user, and excludes apply", async () => {
  const world = await newWorld();
  await world.write("CLAUDE.md", "above");
  await world.write("AGENTS.md", "open to all");
  await chmod(join(world.folder, "AGENTS.md"), 0o666);
  await world.write("project/CLAUDE.md", "project");
  const texts = async (excludes: string[]): Promise<string[]> =>
    (await instructions({ ...world.options, excludes })).files.map(({ text }) => text);
  expect(await texts([])).toEqual(["above", "project"]);
  expect(await texts(["**/project/CLAUDE.md"])).toEqual(["above"]);
});
