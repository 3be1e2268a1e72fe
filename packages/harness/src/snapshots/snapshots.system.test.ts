import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type SnapshotOptions, type WorkspaceSnapshots, workspaceSnapshots } from "./snapshots.ts";

let world = "";
let workspace = "";
let store = "";

beforeEach(() => {
  world = realpathSync(mkdtempSync(join(tmpdir(), "runahead-snapshot-")));
  workspace = join(world, "workspace");
  store = join(world, "store");
  mkdirSync(workspace);
});
afterEach(() => rmSync(world, { recursive: true, force: true }));

function snapshots(options: Partial<SnapshotOptions> = {}): WorkspaceSnapshots {
  return workspaceSnapshots({ workspace, folder: store, ...options });
}

function put(path: string, content: string | Buffer = path, mode = 0o644): void {
  const full = join(workspace, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  chmodSync(full, mode);
}

/** All that is in the workspace, to the byte. */
function tree(folder = workspace): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string): void => {
    for (const name of readdirSync(join(folder, path))) {
      const inside = join(path, name);
      const stats = lstatSync(join(folder, inside));
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) found[inside] = `link ${readlinkSync(join(folder, inside))}`;
      else if (stats.isDirectory()) {
        found[inside] = `folder ${mode}`;
        visit(inside);
      } else found[inside] = `file ${mode} ${readFileSync(join(folder, inside)).toString("base64")}`;
    }
  };
  visit("");
  return found;
}

async function taken(all: WorkspaceSnapshots): Promise<string> {
  const result = await all.take();
  if (result.type !== "taken") throw new Error(result.reason);
  return result.id;
}

function git(...args: string[]): string {
  const env = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  return execFileSync("git", [...who, ...args], { cwd: workspace, env, encoding: "utf8" });
}

test("what came, changed and went since a snapshot is named, undone, and had back", async () => {
  put("kept.txt");
  put("src/changed.txt", "before");
  put("src/gone.txt");
  put("run.sh", "#!/bin/sh", 0o755);
  put("private.txt", "secret", 0o600);
  symlinkSync("src", join(workspace, "link"));
  mkdirSync(join(workspace, "empty"));
  const all = snapshots();
  const id = await taken(all);
  const before = tree();
  expect(await all.changes(id)).toEqual({ type: "compared", added: [], changed: [], removed: [] });

  put("src/changed.txt", "after");
  rmSync(join(workspace, "src/gone.txt"));
  put("new/deep/file.txt");
  chmodSync(join(workspace, "run.sh"), 0o644);
  chmodSync(join(workspace, "private.txt"), 0o640);
  rmSync(join(workspace, "link"));
  symlinkSync("elsewhere", join(workspace, "link"));
  rmSync(join(workspace, "empty"), { recursive: true });
  mkdirSync(join(workspace, "other"), { mode: 0o700 });
  const after = tree();
  expect(await all.changes(id)).toEqual({
    type: "compared",
    added: ["new/deep/file.txt", "other/"],
    changed: ["link", "private.txt", "run.sh", "src/changed.txt"],
    removed: ["empty/", "src/gone.txt"],
  });

  const restored = await all.restore(id);
  expect(restored).toEqual({
    type: "restored",
    before: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
    changes: {
      added: ["empty/", "src/gone.txt"],
      changed: ["link", "private.txt", "run.sh", "src/changed.txt"],
      removed: ["new/deep/file.txt", "other/"],
    },
    notRestored: [],
  });
  expect(tree()).toEqual(before);
  if (restored.type === "restored") await all.restore(restored.before);
  expect(tree()).toEqual(after);
});

test("any edits are undone to the byte, and undoing that too", { timeout: 120_000 }, async () => {
  const name = fc.constantFrom("a", "b.txt", "c d", ":x", "*.y", "-z", "ü", "new\nline", "git~1", "..e");
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
  const edit = fc.oneof(
    fc.record({ type: fc.constant("write"), path, bytes: fc.uint8Array({ maxLength: 40 }) }),
    fc.record({ type: fc.constant("append"), path, bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }) }),
    fc.record({ type: fc.constant("remove"), path }),
    fc.record({ type: fc.constant("rename"), path, to: path }),
    fc.record({ type: fc.constant("chmod"), path, mode: fc.constantFrom(0o600, 0o644, 0o755, 0o744, 0o444) }),
    fc.record({ type: fc.constant("link"), path, to: fc.constantFrom("a", "../..", "nowhere", "c d/ü") }),
    fc.record({ type: fc.constant("folder"), path, mode: fc.constantFrom(0o700, 0o755, 0o750) }),
  );
  const edits = (count: number) => fc.array(edit, { minLength: count, maxLength: count });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(edits(60), edits(200), async (first, then) => {
      workspace = join(world, `workspace-${++round}`);
      mkdirSync(workspace);
      const all = workspaceSnapshots({ workspace, folder: join(world, `store-${round}`) });
      for (const one of first) perform(one);
      const [id, before] = [await taken(all), tree()];
      for (const one of then) perform(one);
      const after = tree();
      const back = await all.restore(id);
      expect(back).toMatchObject({ type: "restored", notRestored: [] });
      expect(tree()).toEqual(before);
      if (back.type === "restored") await all.restore(back.before);
      expect(tree()).toEqual(after);
    }),
    { seed: 20_261_115, numRuns: 12, endOnFailure: true },
  );
});

interface Edit {
  readonly type: string;
  readonly path: string;
  readonly bytes?: Uint8Array;
  readonly to?: string;
  readonly mode?: number;
}

/** What cannot be done is not done. Nothing is done through a link, so that nothing outside of the workspace changes. */
function perform({ type, path, bytes = new Uint8Array(), to = "", mode = 0 }: Edit): void {
  const full = join(workspace, path);
  const target = join(workspace, to);
  try {
    if (!isPlain(full)) return;
    const found = lstatSync(full, { throwIfNoEntry: false });
    if (type === "link") symlinkSync(to, full);
    else if (type === "folder") mkdirSync(full, { mode });
    else if (type === "write" && found?.isSymbolicLink() !== true) writeFileSync(full, bytes);
    else if (found === undefined) return;
    else if (type === "append" && found.isFile()) appendFileSync(full, bytes);
    else if (type === "remove") rmSync(full, { recursive: true });
    else if (type === "rename" && isPlain(target)) renameSync(full, target);
    else if (type === "chmod" && found.isFile()) chmodSync(full, mode);
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== "string") throw error;
  }
}

/** Whether no link leads to its folder. */
function isPlain(path: string): boolean {
  return realpathSync(dirname(path)) === dirname(path);
}

test("a change that keeps size and time is seen", async () => {
  put("a.txt", "one");
  const past = new Date(Date.now() - 100_000);
  utimesSync(join(workspace, "a.txt"), past, past);
  const all = snapshots();
  const id = await taken(all);
  put("a.txt", "two");
  utimesSync(join(workspace, "a.txt"), past, past);
  await all.restore(id);
  expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("one");
});

test("what is ignored is left out, by rules above the workspace and beside the repository too", async () => {
  git("init", "-q");
  put(".gitignore", "*.log\n/packages/*/dist\n");
  writeFileSync(join(workspace, ".git/info/exclude"), "notes\n");
  const top = workspace;
  workspace = join(top, "packages", "one");
  put("a.log");
  put("b.txt");
  put("dist/out.js");
  put("notes");
  put("node_modules/x/index.js");
  const all = snapshots();
  const id = await taken(all);
  for (const path of ["a.log", "b.txt", "dist/out.js", "notes", "node_modules/x/index.js"]) put(path, "new");
  expect(await all.changes(id)).toMatchObject({ added: [], changed: ["b.txt"], removed: [] });
});

test("a workspace that the repository around it ignores is taken as it is", async () => {
  git("init", "-q");
  put(".gitignore", "build\n");
  workspace = join(workspace, "build");
  put("a.txt");
  const all = snapshots();
  const id = await taken(all);
  put("a.txt", "new");
  expect(await all.changes(id)).toMatchObject({ changed: ["a.txt"] });
});

test("what was ignored then, or is now, is neither removed nor lost", async () => {
  put(".gitignore", ".env\ndist\n");
  put(".env", "KEY=1");
  put("dist/out.js");
  put("seen.txt", "before");
  const all = snapshots();
  const id = await taken(all);
  const before = tree();
  // Now the rules are the other way round.
  put(".gitignore", "seen.txt\n");
  put("seen.txt", "after");
  const after = tree();
  const restored = await all.restore(id);
  expect(restored).toMatchObject({ changes: { changed: [".gitignore", "seen.txt"], removed: [] } });
  expect(tree()).toEqual(before);
  if (restored.type === "restored") await all.restore(restored.before);
  expect(tree()).toEqual(after);
});

test("the repository is not touched, and one inside is a folder like any other, without its own", async () => {
  git("init", "-q");
  put("a.txt");
  git("add", ".");
  git("commit", "-qm", "one");
  put("inner/b.txt");
  execFileSync("git", ["init", "-q", join(workspace, "inner")]);
  put(".GIT/other", "1");
  const all = snapshots();
  const id = await taken(all);
  put("a.txt", "new");
  put("inner/b.txt", "new");
  put("inner/.git/description", "changed");
  put(".GIT/other", "2");
  rmSync(join(workspace, ".git/refs/tags"), { recursive: true });
  chmodSync(join(workspace, ".git/description"), 0o600);
  const [repository, inner] = [tree(join(workspace, ".git")), tree(join(workspace, "inner/.git"))];
  await all.restore(id);
  expect(readFileSync(join(workspace, "inner/b.txt"), "utf8")).toBe("inner/b.txt");
  expect(readFileSync(join(workspace, ".GIT/other"), "utf8")).toBe("2");
  expect(tree(join(workspace, ".git"))).toEqual(repository);
  expect(tree(join(workspace, "inner/.git"))).toEqual(inner);
  expect(git("status", "--porcelain", "--", "a.txt")).toBe("");
});

test("nothing that the workspace names is run, and every byte is kept whatever its attributes say", async () => {
  git("init", "-q");
  const marker = join(world, "marker");
  const command = `touch ${marker}`;
  for (const key of ["filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "core.fsmonitor"])
    git("config", key, command);
  git("config", "core.autocrlf", "true");
  put(".git/hooks/post-index-change", `#!/bin/sh\n${command}`, 0o755);
  put(".git/hooks/reference-transaction", `#!/bin/sh\n${command}`, 0o755);
  const attributes = "* text=auto eol=crlf filter=evil ident\n*.utf text working-tree-encoding=UTF-16\n";
  put(".gitattributes", attributes);
  put("sub/.gitattributes", attributes);
  const bytes = Buffer.from("one\r\ntwo\nthree\r$Id$ $Id: x $\n\0\xff", "latin1");
  for (const path of ["a.txt", "b.utf", "sub/c.txt"]) put(path, bytes);
  put("node_modules/.bin/git", `#!/bin/sh\n${command}`, 0o755);
  const { PATH } = process.env;
  process.env["PATH"] = `${join(workspace, "node_modules/.bin")}:./node_modules/.bin:${PATH}`;
  try {
    const all = snapshots();
    const id = await taken(all);
    const before = tree();
    for (const path of ["a.txt", "b.utf", "sub/c.txt"]) put(path, "new\r\n");
    await all.restore(id);
    expect(tree()).toEqual(before);
    expect(existsSync(marker)).toBe(false);
  } finally {
    process.env["PATH"] = PATH;
  }
});

test("a folder that has become a link out of the workspace is not written through", async () => {
  put("a/file.txt", "inside");
  put("b/file.txt", "inside");
  const all = snapshots();
  const id = await taken(all);
  const outside = join(world, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "file.txt"), "outside");
  for (const folder of ["a", "b"]) {
    rmSync(join(workspace, folder), { recursive: true });
    symlinkSync(outside, join(workspace, folder));
  }
  // A file that is not in any snapshot is in the way, and stays.
  put(".gitignore", "/b\n");
  expect(await all.restore(id)).toMatchObject({
    type: "restored",
    changes: { added: ["a/file.txt"], removed: [".gitignore", "a"] },
    notRestored: [
      { path: "b", reason: "EEXIST: file already exists" },
      { path: "b/file.txt", reason: "a parent folder is now a link or a file" },
    ],
  });
  expect(readFileSync(join(workspace, "a/file.txt"), "utf8")).toBe("inside");
  expect(lstatSync(join(workspace, "a")).isDirectory()).toBe(true);
  expect(tree(outside)).toEqual({ "file.txt": `file 644 ${Buffer.from("outside").toString("base64")}` });
});

test("protected places are neither taken nor restored", async () => {
  const paths = [".husky/pre-commit", ".runahead/settings.json", ".claude/settings.local.json", "mine/rules"];
  for (const path of [...paths, ".claude/notes.md"]) put(path, "before");
  const all = snapshots({ isProtected: (path) => path === join(workspace, "mine") });
  const id = await taken(all);
  const unprotected = await taken(snapshots());
  for (const path of [...paths, ".claude/notes.md"]) put(path, "after");
  put("mine/more", "after");
  expect(await all.restore(id)).toMatchObject({
    changes: { added: [], changed: [".claude/notes.md"], removed: [] },
    notRestored: [],
  });
  // Not even from one that has it.
  const restored = await all.restore(unprotected);
  expect(restored).toMatchObject({ changes: { changed: [], removed: [] } });
  const before = restored.type === "restored" ? restored.before : "";
  expect(await snapshots().changes(before)).toMatchObject({ added: ["mine/more", "mine/rules"] });
  for (const path of [...paths, "mine/more"])
    expect(readFileSync(join(workspace, path), "utf8")).toBe("after");
});

test("what changes while it is being restored is left as it is, and named", async () => {
  put("a.txt", "before");
  put("b.txt", "before");
  const id = await taken(snapshots());
  put("a.txt", "after");
  put("b.txt", "after");
  put("new.txt", "after");
  const asked: string[] = [];
  const isProtected = (path: string): boolean => {
    // The second time is between the snapshot of the present and the first change.
    const isSecond = asked.includes(path);
    asked.push(path);
    if (isSecond && path.endsWith("a.txt")) for (const name of ["a.txt", "new.txt"]) put(name, "somebody's");
    return false;
  };
  expect(await snapshots({ isProtected }).restore(id)).toMatchObject({
    changes: { added: [], changed: ["b.txt"], removed: [] },
    notRestored: [
      { path: "new.txt", reason: "it changed during the restore" },
      { path: "a.txt", reason: "it changed during the restore" },
    ],
  });
  expect(readFileSync(join(workspace, "new.txt"), "utf8")).toBe("somebody's");
});

test("a large file is left out and named, and is neither removed nor replaced", async () => {
  put("large.bin", "x");
  put("shrinks.bin", "x".repeat(2_000));
  const all = snapshots({ limits: { fileBytes: 1_000 } });
  const first = await all.take();
  expect(first).toMatchObject({
    type: "taken",
    leftOut: [{ path: "shrinks.bin", reason: "it is larger than 1000 bytes" }],
  });
  truncateSync(join(workspace, "large.bin"), 3_000);
  put("shrinks.bin", "small");
  const before = tree();
  expect(await all.restore(first.type === "taken" ? first.id : "")).toMatchObject({
    changes: { added: [], changed: [], removed: [] },
    notRestored: [{ path: "large.bin", reason: "a file that is not in any snapshot is in its place" }],
  });
  expect(tree()).toEqual(before);
});

test("with too many files or bytes no snapshot is taken, and the result says why", async () => {
  for (const name of ["a", "b", "c"]) put(name, "12345");
  expect(await snapshots({ limits: { files: 2 } }).take()).toEqual({
    type: "not-taken",
    reason: "the workspace has more than 2 files",
  });
  expect(await snapshots({ limits: { totalBytes: 14 } }).take()).toEqual({
    type: "not-taken",
    reason: "the workspace has more than 14 bytes in files",
  });
  expect(await snapshots({ limits: { files: 3, totalBytes: 15 } }).take()).toMatchObject({ type: "taken" });
});

test("if no snapshot is possible, the result says why", async () => {
  const reasonIn = async (options: Partial<SnapshotOptions>): Promise<string> => {
    const result = await snapshots(options).take();
    return result.type === "taken" ? "" : result.reason;
  };
  expect(await reasonIn({ workspace: homedir() })).toContain("is the home folder");
  expect(await reasonIn({ workspace: "/" })).toContain("is above the home folder");
  expect(await reasonIn({ workspace: join(world, "missing") })).toContain("ENOENT");
  await taken(snapshots());
  expect(await reasonIn({ workspace: world })).toBe(`${store} contains the snapshots of ${workspace}`);
  expect(await snapshots().restore("../../HEAD")).toEqual({
    type: "not-restored",
    reason: 'there is no snapshot "../../HEAD"',
  });
  expect(await snapshots().changes("0".repeat(40))).toMatchObject({ type: "not-compared" });
  const { PATH } = process.env;
  process.env["PATH"] = join(world, "nothing");
  expect(await reasonIn({})).toContain("git is not installed");
  process.env["PATH"] = PATH;
});

test("names that are not text are kept, and the store's own folder is left out", async () => {
  const odd = Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from([0x66, 0xff, 0xfe])]);
  writeFileSync(odd, "odd");
  store = join(workspace, "kept here");
  const all = snapshots();
  const id = await taken(all);
  expect(statSync(store).mode & 0o777).toBe(0o700);
  unlinkSync(odd);
  expect(await all.restore(id)).toMatchObject({ changes: { added: ["f\ufffd\ufffd"], removed: [] } });
  expect(readFileSync(odd, "utf8")).toBe("odd");
});

test("equal workspaces have equal snapshots, and one that is old is forgotten", async () => {
  put("a.txt", "one");
  const all = snapshots();
  const first = await taken(all);
  expect(await taken(all)).toBe(first);
  put("a.txt", "two");
  const second = await taken(all);
  const long = new Date(Date.now() - 31 * 86_400_000);
  utimesSync(join(store, "git/refs/snapshots", first), long, long);
  const later = snapshots();
  expect(await taken(later)).toBe(second);
  expect(await later.restore(first)).toMatchObject({ type: "not-restored" });
  expect(await later.restore(second)).toMatchObject({ type: "restored", notRestored: [] });
});

test("many new files are stored in one pack, and are deleted with the snapshot that had them", async () => {
  for (let number = 0; number < 600; number++) put(`many/${number}.txt`, `file ${number}`);
  const all = snapshots();
  const first = await taken(all);
  const packs = join(store, "git/objects/pack");
  expect(readdirSync(packs).filter((name) => name.endsWith(".pack"))).toHaveLength(1);
  rmSync(join(workspace, "many"), { recursive: true });
  put("a.txt", "one");
  const second = await taken(all);
  expect(await all.restore(first)).toMatchObject({ type: "restored", notRestored: [] });
  expect(readFileSync(join(workspace, "many/599.txt"), "utf8")).toBe("file 599");
  expect(await all.restore(second)).toMatchObject({ type: "restored", notRestored: [] });
  const long = new Date(Date.now() - 31 * 86_400_000);
  utimesSync(join(store, "git/refs/snapshots", first), long, long);
  expect(await taken(snapshots())).toBe(second);
  expect(await snapshots().restore(first)).toMatchObject({ type: "not-restored" });
  expect(await snapshots().restore(second)).toMatchObject({ type: "restored", notRestored: [] });
  const count = execFileSync("git", ["--git-dir", join(store, "git"), "count-objects", "-v"], {
    encoding: "utf8",
  });
  const objects = Number(/in-pack: (\d+)/.exec(count)?.[1]) + Number(/^count: (\d+)/m.exec(count)?.[1]);
  expect(objects).toBeLessThan(20);
});
