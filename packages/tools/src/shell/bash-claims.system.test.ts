import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StreamingToolExecutor } from "@runahead/engine";
import { readOnlyCommand } from "@runahead/permissions";
import { afterEach, expect, test } from "vitest";
import { type ShellWorld, makeWorld, nothingLeft } from "../../test/support/shell-world.ts";
import { agentIn } from "../../test/support/file-tool-calls.ts";
import { createFileMemory } from "../files/file-memory.ts";
import { fileTools } from "../files/file-tools.ts";
import { claimsOf } from "./bash-claims.ts";

afterEach(nothingLeft);

type Call = readonly [string, object];
const bash = (command: string): Call => ["Bash", { command }];

interface Played {
  readonly texts: readonly string[];
  /** The most calls that ran at the same time. */
  readonly together: number;
  readonly order: readonly string[];
}

/** Runs the calls of one response; later calls can be added when an earlier one has settled. */
async function play({ shell, cwd }: ShellWorld, calls: readonly Call[]): Promise<Played> {
  const running = new Set<string>();
  const order: string[] = [];
  let together = 0;
  const executor = new StreamingToolExecutor({
    tools: [...fileTools(), ...shell.tools],
    context: { cwd },
    onEvent: (event) => {
      if (event.type === "call-changed" && event.state === "running") {
        running.add(event.callId);
        order.push(`start ${event.callId}`);
      }
      if (event.type === "call-settled") {
        running.delete(event.callId);
        order.push(`end ${event.callId}`);
      }
      together = Math.max(together, running.size);
    },
  });
  for (const [at, [name, input]] of calls.entries()) executor.add({ id: String(at), name, input });
  executor.end({ ok: true });
  const texts: string[] = [];
  for await (const update of executor.remaining())
    if (update.type === "result") texts[Number(update.callId)] = String(update.result.content);
  return { texts, together, order };
}

test("three sleeps in one response run together, also beside a command that writes", async () => {
  const world = await makeWorld({ isReadOnlyCommand: readOnlyCommand });
  expect((await play(world, [bash("sleep 1"), bash("sleep 1"), bash("sleep 1")])).together).toBe(3);
  const mixed = [bash("sleep 0.5; bash -c true"), bash("sleep 0.5"), bash("sleep 0.5")];
  expect((await play(world, mixed)).together).toBe(3);
});

test("commands that write different files run together, and those that write the same one do not", async () => {
  const world = await makeWorld();
  const touch = (name: string): Call => bash(`sleep 0.3; echo ${name} >> ${name}`);
  expect((await play(world, [touch("a"), touch("b"), touch("c")])).together).toBe(3);
  expect((await play(world, [touch("a"), touch("a"), touch("a")])).together).toBe(1);
  expect(readFileSync(join(world.root, "a"), "utf8")).toBe("a\n".repeat(4));
});

test("a command waits for an edit of a file that it reads, and an edit waits for a command that writes its file", async () => {
  const world = await makeWorld();
  const { texts, together } = await play(world, [
    ["Write", { file_path: "a.txt", content: "one\n" }],
    bash("cat a.txt > b.txt"),
    ["Read", { file_path: "b.txt" }],
    bash("rm a.txt"),
    ["Write", { file_path: "a.txt", content: "two\n" }],
  ]);
  expect(together).toBe(1);
  expect(texts[2]).toBe("     1\tone");
  expect(readFileSync(join(world.root, "a.txt"), "utf8")).toBe("two\n");
});

test("a relative path waits for a command that can change the folder", async () => {
  const world = await makeWorld();
  mkdirSync(join(world.root, "sub"));
  await play(world, [bash("sleep 0.1; cd sub"), bash("echo a > x"), bash("touch y")]);
  expect(["x", "y"].map((name) => existsSync(join(world.root, "sub", name)))).toEqual([true, true]);
});

test("a command whose file became a link while it waited is not run", async () => {
  const world = await makeWorld();
  writeFileSync(join(world.folder, "other"), "other\n");
  const { texts } = await play(world, [bash("ln -s ../other x"), bash("echo a >> x")]);
  expect(texts[1]).toMatch(/^Error: Not run: files changed since this call was made/);
  expect(readFileSync(join(world.folder, "other"), "utf8")).toBe("other\n");
  expect((await world.bash("echo a >> x")).isError).toBe(false);
  expect(readFileSync(join(world.folder, "other"), "utf8")).toBe("other\na\n");
});

test("a folder that an earlier call makes does not stop a command", async () => {
  const world = await makeWorld();
  writeFileSync(join(world.root, "a"), "a");
  const { texts } = await play(world, [
    bash("mkdir -p x/y"),
    bash("cp a x"),
    bash("mkdir -p x/y/z"),
    bash("cp -r x/y x2"),
    bash("echo b > x/y/b"),
  ]);
  expect(texts.filter((text) => text.startsWith("Error"))).toEqual([]);
  expect(existsSync(join(world.root, "x/a"))).toBe(true);
});

test("in the sandbox a command claims the folders that it can write to, unless it has a network", async () => {
  const facts = { cwd: "/repo", home: "/home/me", isReadOnly: false };
  const claims = (writable: readonly string[] | undefined, input: object = {}) =>
    claimsOf({ command: "npm test", ...input }, { ...facts, writable }).map(
      ({ mode, place }) => `${mode} ${place}`,
    );
  expect(claims(["/repo", "/build"])).toEqual([
    "read fs:/",
    "write fs:/repo",
    "write fs:/build",
    "write sandbox:/tmp",
    "write context:/cwd",
  ]);
  expect(claims(undefined)).toEqual(["write *"]);
  expect(claims(["/repo"], { run_in_background: true })).toEqual(["write *"]);
  const sandboxed = await makeWorld({ sandbox: true });
  const access = (world: ShellWorld) =>
    world.shell.tools[0]?.access?.({ command: "npm test" }, { cwd: world.root })?.map(({ place }) => place);
  expect(access(sandboxed)).toContain(`fs:${sandboxed.root}`);
  expect(access(await makeWorld({ sandbox: { network: true } }))).toEqual(["*"]);
});

test("a link that is already there counts where it leads", async () => {
  const world = await makeWorld();
  mkdirSync(join(world.folder, "elsewhere"));
  symlinkSync("../elsewhere", join(world.root, "to"));
  const { together } = await play(world, [
    bash(`sleep 0.3; echo a >> to/x`),
    bash(`sleep 0.3; echo b >> ${world.folder}/elsewhere/x`),
  ]);
  expect(together).toBe(1);
});

test("a command that another agent ran makes its files stale for this one", async () => {
  const memory = createFileMemory();
  const world = await makeWorld({ onCommand: (command) => memory.noteCommand(command) });
  const tools = [...fileTools(memory), ...world.shell.tools];
  const agent = { id: "agent-1", type: "tests" };
  const main = agentIn(world.root, tools);
  const tests = agentIn(world.root, tools, { agent });
  const edit = { file_path: "a.txt", old_string: "two", new_string: "2" };
  for (const command of ["sed -i s/one/1/ a.txt", "bash -c 'echo 1 two > a.txt'"]) {
    writeFileSync(join(world.root, "a.txt"), "one two\n");
    for (const call of [main, tests]) await call("Read", { file_path: "a.txt" });
    await tests("Bash", { command });
    expect((await main("Edit", edit)).text).toMatch(
      /changed \d s ago while a command of sub-agent "tests" ran/,
    );
    expect((await tests("Edit", edit)).text).toMatch(/had changed since you read it/);
  }
  expect(readFileSync(join(world.root, "a.txt"), "utf8")).toBe("1 2\n");
});

test("a failing command with known places skips the later calls that touch them and write, and no others", async () => {
  const world = await makeWorld({ isReadOnlyCommand: readOnlyCommand });
  writeFileSync(join(world.root, "a"), "a");
  const { texts } = await play(world, [
    bash("cp a missing/b"),
    bash("rm a"),
    bash("touch c"),
    bash("cat a"),
    ["Read", { file_path: "a" }],
    ["Write", { file_path: "missing/b", content: "x" }],
    ["Write", { file_path: "d", content: "x" }],
    bash("mv c a"),
    bash("echo e > c"),
    bash("bash -c true"),
    ["Write", { file_path: "f", content: "x" }],
  ]);
  const skipped = texts.map((text, at) => (text.includes("Not run") ? at : -1)).filter((at) => at >= 0);
  // The move needs `a`, what comes after it needs `c`, and an unknown command needs everything.
  expect(skipped).toEqual([1, 5, 7, 8, 9, 10]);
  expect(texts[1]).toMatch(/^Error: Not run: an earlier command of the same response failed/);
  expect([readFileSync(join(world.root, "a"), "utf8"), texts[3]]).toEqual(["a", "a"]);
  expect(await world.bash("rm a")).toMatchObject({ isError: false });
});
