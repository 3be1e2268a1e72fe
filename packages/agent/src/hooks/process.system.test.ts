import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Workplace, commands, marked, newWorkplace } from "../../test/support/hook-scripts.ts";
import type { HookEnding } from "./ending.ts";
import type { HookRunner } from "./hook-runner.ts";

let place: Workplace;
beforeEach(async () => {
  place = await newWorkplace();
});
afterEach(async () => {
  expect(await place.leave()).toEqual([]);
});

/** Runs one hook against a sample, and gives how it ended. */
async function endOf(
  runner: HookRunner,
  sample: object = { tool_name: "Bash", tool_input: {} },
): Promise<HookEnding> {
  const [first] = await runner.test("PreToolUse", { ...sample });
  if (first === undefined) throw new Error("no hook ran");
  return first.ending;
}

const exit = (code: number, stdout: string, stderr = "") => ({
  type: "exited",
  code,
  stdout,
  stderr,
  isCut: false,
});

test("D15: a hook runs in its own session and process group, without a terminal, in its folder, with its environment", async () => {
  const script = await place.script(
    "python",
    `import os, sys
try:
    open("/dev/tty"); tty = True
except OSError:
    tty = False
print(os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid(), tty, os.getcwd(), os.environ["CLAUDE_PROJECT_DIR"], os.environ["RUNAHEAD_PROJECT_DIR"])
`,
  );
  const { folder } = place;
  const runner = place.hooks(commands("PreToolUse", { command: script, args: [] }));
  expect(await endOf(runner)).toEqual(exit(0, `True True False ${folder} ${folder} ${folder}\n`));
});

test("D15: a hook that reads its input to the end gets all of it and then the end, in sh, node and python", async () => {
  const programs = [
    await place.script("sh", "cat"),
    await place.script("node", "process.stdin.pipe(process.stdout)"),
    await place.script("python", "import sys\nsys.stdout.write(sys.stdin.read())"),
  ];
  const runner = place.hooks(commands("PreToolUse", ...programs));
  const sample = { tool_name: "Bash", tool_input: { command: "é".repeat(200_000) } };
  const tests = await runner.test("PreToolUse", sample);
  const seen = tests.map(({ ending }) =>
    ending.type === "exited" ? (JSON.parse(ending.stdout) as unknown) : ending,
  );
  const payload = {
    session_id: "session-1",
    transcript_path: `${place.folder}/session-1.jsonl`,
    cwd: place.folder,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    ...sample,
  };
  expect(seen).toEqual([payload, payload, payload]);
});

test("a hook that does not read a large input still works", async () => {
  const runner = place.hooks(commands("PreToolUse", "exec 0<&-; echo fine; exit 2"));
  expect(await endOf(runner, { tool_name: "Bash", big: "x".repeat(5_000_000) })).toEqual(exit(2, "fine\n"));
});

test("D08, F03: a hook that takes too long gets SIGTERM once, with its child processes, and is then killed", async () => {
  const { folder } = place;
  const stubborn = await place.script(
    "sh",
    `exec 2>/dev/null
(trap 'echo asked >> ${folder}/child' TERM; while :; do sleep 0.05; done) &
trap 'echo asked >> ${folder}/parent' TERM
echo begun
while :; do sleep 0.05; done`,
  );
  for (const how of [{ command: stubborn, args: [] }, { command: `${stubborn}; true` }]) {
    await rm(join(folder, "child"), { force: true });
    await rm(join(folder, "parent"), { force: true });
    const runner = place.hooks(commands("PreToolUse", { ...how, timeout: 1 }));
    const ending = await endOf(runner);
    expect(ending).toEqual({
      type: "timed-out",
      limitMs: 1_000,
      stdout: "begun\n",
      stderr: "",
      isCut: false,
    });
    await runner.close();
    expect([await place.read("child"), await place.read("parent")]).toEqual(["asked\n", "asked\n"]);
  }
});

test("D15: a daemon that keeps the pipes open delays nothing and does not stay", async () => {
  const runner = place.hooks(
    commands("PreToolUse", "sleep 600 & echo done", "(setsid sleep 601 &) ; echo away"),
  );
  const tests = await runner.test("PreToolUse", { tool_name: "Bash" });
  expect(tests.map(({ ending }) => ending)).toEqual([exit(0, "done\n"), exit(0, "away\n")]);
});

test("D15: a daemon in its own session that ignores SIGTERM is gone when the runner is closed", async () => {
  const daemon = await place.script(
    "python",
    `import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        open("${place.folder}/ready", "w").write("ready")
        time.sleep(600)
    os._exit(0)
while not os.path.exists("${place.folder}/ready"): time.sleep(0.01)
print("left")`,
  );
  const mark = `CLAUDE_PROJECT_DIR=${place.folder}`;
  const runner = place.hooks(commands("PreToolUse", daemon));
  expect(await endOf(runner)).toEqual(exit(0, "left\n"));
  expect(marked(mark)).toHaveLength(1);
  await runner.close();
  expect(marked(mark)).toEqual([]);
});

test("processes that a hook of a session event leaves running can finish within its time", async () => {
  const runner = place.hooks(commands("Notification", "(sleep 0.3; echo played > sound) & echo"));
  await runner.notification({ message: "hello", type: "idle_prompt" });
  await expect.poll(() => place.read("sound").catch(() => "")).toBe("played\n");
});

test("processes that a hook of a call leaves running end with it", async () => {
  const runner = place.hooks(commands("PreToolUse", "trap '' TERM; sleep 600 & echo done"));
  await runner.test("PreToolUse", { tool_name: "Bash" });
  await expect.poll(() => marked(`CLAUDE_PROJECT_DIR=${place.folder}`)).toEqual([]);
});

test("D09: of 300 MB of output only the beginning is kept, memory does not grow, and exit code 2 still blocks", async () => {
  const script = await place.script(
    "python",
    `import sys
for _ in range(300): sys.stdout.write("x" * 1_000_000)
sys.stderr.write("no")
sys.exit(2)`,
  );
  const runner = place.hooks(commands("PreToolUse", script));
  let most = 0;
  const before = process.memoryUsage();
  const watch = setInterval(() => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    most = Math.max(most, heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers);
  }, 5);
  const [tested] = await runner.test("PreToolUse", { tool_name: "Bash" });
  clearInterval(watch);
  expect(tested?.ending).toEqual({ ...exit(2, "x".repeat(1_000_000), "no"), isCut: true });
  expect([tested?.said.verdict, tested?.said.reason]).toEqual(["block", "no"]);
  expect(most).toBeLessThan(150_000_000);
});

test("D09: NULs are removed, and invalid UTF-8 is replaced", async () => {
  const runner = place.hooks(commands("PreToolUse", String.raw`printf 'a\000b\377c'; printf '{"x\000' >&2`));
  expect(await endOf(runner)).toEqual(exit(0, "ab\uFFFDc", '{"x'));
});

test("D07: a hook that cannot start or is killed is reported", async () => {
  const runner = place.hooks(
    commands(
      "PreToolUse",
      { command: "/nowhere/guard", args: [] },
      "nowhere-guard",
      "kill -SEGV $$",
      { command: "bad\0name", args: [] },
      { command: "x", shell: "/nowhere/sh" },
    ),
  );
  const tests = await runner.test("PreToolUse", { tool_name: "Bash" });
  expect(tests.map(({ ending }) => ending)).toEqual([
    { type: "not-started", message: "spawn /nowhere/guard ENOENT" },
    exit(127, "", expect.stringContaining("not found") as string),
    { type: "killed", signal: "SIGSEGV", stdout: "", stderr: "", isCut: false },
    { type: "not-started", message: expect.stringContaining("without null bytes") as string },
    { type: "not-started", message: "spawn /nowhere/sh ENOENT" },
  ]);
});

test("F14: if its folder was deleted, a hook runs in the project folder", async () => {
  const runner = place.hooks(commands("PreToolUse", "pwd"), { cwd: `${place.folder}/gone` });
  expect(await endOf(runner)).toEqual(exit(0, `${place.folder}\n`));
});

test("D07: an input that cannot be serialised as JSON is a failure of the hook", async () => {
  const sample: { tool_name: string; self?: unknown } = { tool_name: "Bash" };
  sample.self = sample;
  const runner = place.hooks(commands("PreToolUse", { command: "true", onFailure: "block" }));
  const [tested] = await runner.test("PreToolUse", sample);
  const message = "its input cannot be written as JSON";
  expect([tested?.ending, tested?.said.verdict]).toEqual([{ type: "not-started", message }, "block"]);
});

test("output of child processes is read after the hook itself has exited", async () => {
  const runner = place.hooks(
    commands("PreToolUse", { command: "exec > >(sleep 0.05; cat); echo said", shell: "bash" }),
  );
  expect(await endOf(runner)).toEqual(exit(0, "said\n"));
});

test("an answer that is larger than a pipe buffer arrives completely", async () => {
  const script = await place.script(
    "node",
    `process.stdout.write(JSON.stringify({ reason: "x".repeat(900_000) }));`,
  );
  const ending = await endOf(place.hooks(commands("PreToolUse", script)));
  expect(ending.type === "exited" && ending.stdout.length).toBe(900_013);
});
