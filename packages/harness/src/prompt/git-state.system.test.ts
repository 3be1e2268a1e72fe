import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeHostileRepository } from "../../../base/test/support/hostile-repository.ts";
import { PromptWorld } from "../../test/support/prompt-world.ts";
import { gitState } from "./git-state.ts";

let world: PromptWorld;
beforeEach(() => (world = new PromptWorld()));
afterEach(() => world.remove());

test("the state names the branches, the changed files and the last five commits", async () => {
  world.write("a.txt", "a\n");
  world.commitAll();
  for (const at of [2, 3, 4, 5, 6]) world.git("commit", "-q", "--allow-empty", "-m", `commit ${at}`);
  world.git("checkout", "-q", "-b", "topic");
  world.write("a.txt", "changed\n");
  world.write("müsli.txt", "new\n");
  const state = await gitState(world.surroundings);
  expect(state).toMatchObject({ branch: "topic", defaultBranch: "main", status: " M a.txt\n?? müsli.txt" });
  expect(state?.commits.map((commit) => commit.replace(/^[0-9a-f]+ /, ""))).toEqual(
    [6, 5, 4, 3, 2].map((at) => `commit ${at}`),
  );
});

test("outside of a repository, in a broken one and without git there is no state", async () => {
  expect(await gitState(world.surroundings)).toBeUndefined();
  mkdirSync(join(world.project, ".git"));
  expect(await gitState(world.surroundings)).toBeUndefined();
  world.git("init", "-q");
  const { env, ...folders } = world.surroundings;
  expect(await gitState({ ...folders, env: { ...env, PATH: join(world.root, "nothing") } })).toBeUndefined();
});

test("a repository without commits, and one with a detached HEAD, have a state", async () => {
  world.git("init", "-q");
  expect(await gitState(world.surroundings)).toEqual({
    branch: "main",
    defaultBranch: "",
    status: "(clean)",
    commits: [],
  });
  world.write("a.txt", "a\n");
  world.commitAll();
  world.git("checkout", "-q", "--detach");
  expect(await gitState(world.surroundings)).toMatchObject({ branch: "", defaultBranch: "main" });
});

test("a long status and long lines are cut", async () => {
  world.git("init", "-q");
  for (let at = 100; at < 160; at++) world.write(`file-${at}`, "");
  world.write(`${"x".repeat(200)}/${"y".repeat(200)}`, "");
  world.git("add", ".");
  const lines = (await gitState(world.surroundings))?.status.split("\n") ?? [];
  expect([lines[0], lines.length, lines.at(-1)]).toEqual(["A  file-100", 41, "… 21 more"]);
  world.git("rm", "-q", "--cached", "file-1*");
  expect((await gitState(world.surroundings))?.status.split("\n")[0]).toHaveLength(201);
});

test("a status that is too large to read is cut too", async () => {
  world.git("init", "-q");
  const name = "n".repeat(200);
  const entries = Array.from({ length: 6_000 }, (_, at) => `100644 ${"1".repeat(40)} 0\t${name}${at}\n`);
  spawnSync("git", ["update-index", "--index-info"], { cwd: world.project, input: entries.join("") });
  expect((await gitState(world.surroundings))?.status).toMatch(/^AD n+[^]*\n… more than \d{4} more$/);
});

/** A program that leaves a mark, and whether it has run. */
function evil(): { readonly program: string; readonly hasRun: () => boolean } {
  const [program, mark] = [join(world.root, "evil.sh"), join(world.root, "ran")];
  writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> ${mark}\ncat 2>/dev/null\n`, { mode: 0o755 });
  return { program, hasRun: () => existsSync(mark) };
}

test("class 3: nothing that a hostile repository configures runs", async () => {
  const { root, hasRun } = makeHostileRepository(join(world.root, "hostile"));
  const state = await gitState({ ...world.surroundings, cwd: root });
  expect(state?.status).toContain(" M a.txt");
  expect(hasRun()).toBe(false);
});

/** Names of a filter as the configuration and the attributes spell them; a text is written byte by byte. */
const FILTER_NAMES: readonly (readonly [title: string, inConfig: string, inAttributes: string])[] = [
  ["an equals sign", "a=b", "a=b"],
  ["a dot", "a.b.clean", "a.b.clean"],
  ["capitals", "EVIL", "EVIL"],
  ["quotes and a backslash", String.raw`a\"b\\c`, String.raw`a"b\c`],
  ["letters that are not ASCII", "ä", "ä"],
  ["bytes that are not UTF-8", "\u00FF\u00FE", "\u00FF\u00FE"],
];

test.each(FILTER_NAMES)(
  "class 3: a filter whose name has %s does not run",
  async (_, inConfig, inAttributes) => {
    const { program, hasRun } = evil();
    world.write("a.txt", "a\n");
    world.commitAll();
    const encoding = inConfig.includes("\u00FF") ? "latin1" : "utf8";
    writeFileSync(join(world.project, ".git/info/attributes"), `*.txt filter=${inAttributes}\n`, {
      encoding,
    });
    for (const kind of ["clean", "process"])
      appendFileSync(
        join(world.project, ".git/config"),
        `[filter "${inConfig}"]\n\t${kind} = ${program}\n\trequired = true\n`,
        { encoding },
      );
    world.write("a.txt", "b\n");
    await gitState(world.surroundings);
    expect(hasRun()).toBe(false);
    spawnSync("git", ["status"], { cwd: world.project, stdio: "ignore" });
    expect(hasRun()).toBe(true);
  },
);

test("class 3: with more filters than can be turned off, the status does not run and the rest is there", async () => {
  const { program, hasRun } = evil();
  world.write("a.txt", "a\n");
  world.commitAll();
  world.write(".gitattributes", "*.txt filter=evil\n");
  world.write("a.txt", "b\n");
  const config = join(world.project, ".git/config");
  appendFileSync(config, `[filter "evil"]\n\tclean = ${program}\n`);
  const unavailable = { branch: "main", status: "(not available: git status failed or took too long)" };
  // One name is longer than a variable can be.
  appendFileSync(config, `[filter "${"x".repeat(200_000)}"]\n\tclean = ${program}\n`);
  expect(await gitState(world.surroundings)).toMatchObject(unavailable);
  // The list is longer than is read.
  for (let at = 0; at < 6; at++)
    appendFileSync(config, `[filter "${at}${"x".repeat(200_000)}"]\n\tclean = ${program}\n`);
  expect(await gitState(world.surroundings)).toMatchObject(unavailable);
  expect(hasRun()).toBe(false);
});

test("class 3: a filter of an included file does not run, and neither do aliases, hooks and diff drivers", async () => {
  const { program, hasRun } = evil();
  world.write("a.txt", "a\n");
  world.commitAll();
  world.write(".gitattributes", "*.txt filter=evil diff=evil\n");
  world.write("a.txt", "b\n");
  const included = join(world.root, "included");
  writeFileSync(included, `[filter "evil"]\n\tclean = ${program}\n\tprocess = ${program}\n`);
  appendFileSync(
    join(world.project, ".git/config"),
    `[include]\n\tpath = ${included}\n[alias]\n\tlog = !${program}\n\tsymbolic-ref = !${program}\n[diff "evil"]\n\tcommand = ${program}\n\ttextconv = ${program}\n[core]\n\tfsmonitor = ${program}\n\tpager = ${program}\n[pager]\n\tstatus = ${program}\n\tlog = ${program}\n`,
  );
  for (const hook of ["post-index-change", "fsmonitor-watchman", "query-watchman", "reference-transaction"])
    writeFileSync(join(world.project, ".git/hooks", hook), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  expect((await gitState(world.surroundings))?.status).toBe(" M a.txt\n?? .gitattributes");
  expect(hasRun()).toBe(false);
});
