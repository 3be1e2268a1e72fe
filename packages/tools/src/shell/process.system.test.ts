import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { type ShellWorld, isThere, makeWorld, nothingLeft } from "../../test/support/shell-world.ts";
import { until } from "../../../agent/test/support/until.ts";
import { readProcess, signalProcess } from "../../../base/src/processes.ts";
import { ProcessTree } from "./process-tree.ts";

afterEach(nothingLeft);

/** Starts a command, stops it once it has made a file, and gives the result. */
async function stopped(world: ShellWorld, command: string): Promise<string> {
  const stop = new AbortController();
  const call = world.call("Bash", { command }, { signal: stop.signal });
  await until(isThere(join(world.root, "ready")), "the command is ready");
  stop.abort();
  const { text, isError } = await call;
  expect(isError).toBe(true);
  return text;
}

const pidIn = (world: ShellWorld, file: string): number =>
  Number(readFileSync(join(world.root, file), "utf8").trim());

test("F01: a child that keeps the output does not keep the call, and continues as a background job", async () => {
  const world = await makeWorld();
  const { text, isError } = await world.bash("sleep 60 & echo done");
  expect({ text, isError }).toEqual({
    text: expect.stringMatching(
      /^done\n\(It left processes running as background job bash_1: \d+ sleep 60\.\)$/,
    ),
    isError: false,
  });
  const job = await world.call("BashOutput", { bash_id: "bash_1" });
  expect(job.text).toMatch(
    /^bash_1 ended \(exit code 0\), but processes that it started are still running: \d+ sleep 60\n\(no new output\)$/,
  );
  expect((await world.call("KillShell", { shell_id: "bash_1" })).text).toBe(
    "Ended bash_1: sleep 60 & echo done",
  );
  expect(world.living()).toEqual([]);
});

test("F01: what such a child prints later is in the output of its job", async () => {
  const world = await makeWorld();
  await world.bash("(until [ -e go ]; do sleep 0.05; done; echo later) & echo now");
  writeFileSync(join(world.root, "go"), "");
  await until(() => world.living().length === 0, "the child has ended");
  expect((await world.call("BashOutput", { bash_id: "bash_1" })).text).toBe(
    "bash_1 ended: exit code 0\nlater",
  );
});

test("F02: a double-forked child in its own session does not delay the call, and is found", async () => {
  const world = await makeWorld();
  const { text } = await world.bash(
    "setsid bash -c 'sleep 61 & sleep 62 & wait' & disown; sleep 0.3; echo done",
  );
  expect(text).toMatch(/^done\n\(It left processes running as background job bash_1: .*\.\)$/);
  await until(() => world.living().length >= 3, "all are there");
  await world.call("KillShell", { shell_id: "bash_1" });
  expect(world.living()).toEqual([]);
});

test("F02, F04: stopping reaches grandchildren, those that left the group, and those without environment", async () => {
  const world = await makeWorld();
  const text = await stopped(
    world,
    "(sleep 63 & sleep 64) & setsid sleep 65 & env -i setsid sleep 66 & echo $! > bare; echo started; sleep 0.3; touch ready; wait",
  );
  expect(text).toMatch(
    /^Stopped after [^]*It may have had effects\.\nIts output so far:\nstarted\n\n\(The full output is/,
  );
  expect(world.living()).toEqual([]);
  expect(readProcess(pidIn(world, "bare"))).toBe(undefined);
});

test("F03: a process that ignores SIGTERM gets SIGKILL", async () => {
  const world = await makeWorld();
  const text = await stopped(world, "trap '' TERM; echo $$ > pid; touch ready; while :; do sleep 0.1; done");
  expect(text).toMatch(/^Stopped after/);
  expect(text).not.toMatch(/did not react/);
  expect(readProcess(pidIn(world, "pid"))).toBe(undefined);
});

test("F05: traps run, and their output is reported", async () => {
  const world = await makeWorld();
  const text = await stopped(
    world,
    "trap 'echo cleaning; sleep 0.2; touch clean; exit 1' TERM; touch ready; sleep 60 & wait",
  );
  expect(text).toMatch(/Its output so far:\ncleaning\n/);
  expect(existsSync(join(world.root, "clean"))).toBe(true);
});

/** Ways to lose both the variables and the parents by which a process is found. */
const DETACHED: Readonly<Record<string, string>> = {
  "env -i and setsid": "env -i setsid -f sleep 63 >/dev/null 2>&1 </dev/null",
  "unset in a subshell": "(unset RUNAHEAD_SHELL; setsid sleep 63 >/dev/null 2>&1 </dev/null &); sleep 0.2",
  "exec -c in a subshell": "(exec -c setsid sleep 63 >/dev/null 2>&1 </dev/null &); sleep 0.2",
  "two forks of a program": `node -e '
    require("node:child_process").spawn("sleep", ["63"], { detached: true, env: {}, stdio: "ignore" }).unref()'`,
};

test.each(Object.entries(DETACHED))(
  "F02: a process that cleared its environment and left its parents is reported and ended (%s)",
  async (_, command) => {
    const world = await makeWorld();
    const { text } = await world.bash(command);
    expect(text).toMatch(/It left processes running as background job bash_1: \d+ (?:\/\S+\/)?sleep 63\./);
    const pid = Number(/(\d+) (?:\/\S+\/)?sleep/.exec(text)?.[1]);
    expect(readProcess(pid)).toBeDefined();
    await world.shell.close();
    expect(readProcess(pid)).toBeUndefined();
  },
);

test("F06: a process that another program starts meanwhile is not taken for one of the command", async () => {
  const world = await makeWorld();
  const call = world.bash("touch started; until [ -e go ]; do sleep 0.02; done");
  await until(() => existsSync(join(world.root, "started")), "the command");
  const foreign = spawn("sleep", ["60"], { detached: true, stdio: "ignore", env: {} });
  const pid = foreign.pid as number;
  writeFileSync(join(world.root, "go"), "");
  expect((await call).text).toBe("(Bash completed with no output)");
  await world.shell.close();
  expect(readProcess(pid)).toBeDefined();
  const ended = new Promise((resolve) => foreign.once("exit", resolve));
  foreign.kill("SIGKILL");
  await ended;
});

test("F06: a process id that was reused is not signalled", async () => {
  const foreign = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  const pid = foreign.pid as number;
  const found = readProcess(pid);
  expect(found).toMatchObject({ pid, name: expect.stringMatching(/sleep|node/), session: pid });
  if (found === undefined) throw new Error("there is no such process");
  // As if ours had had this number before.
  expect(signalProcess({ ...found, start: found.start - 1 }, "SIGKILL")).toBe(false);
  const tree = new ProcessTree({ pid, mark: "RUNAHEAD_SHELL=nobody.1.", keepers: [] });
  rememberOnlyNumber(tree);
  expect(await tree.end()).toEqual([]);
  expect(readProcess(pid)).toBeDefined();
  const ended = new Promise((resolve) => foreign.once("exit", resolve));
  foreign.kill("SIGKILL");
  await ended;
});

/** The first process was collected before anybody else got its number, and nobody was left. */
function rememberOnlyNumber(tree: ProcessTree): void {
  Object.defineProperty(tree, "members", { value: () => [], configurable: true });
  tree.collected();
  Reflect.deleteProperty(tree, "members");
}

test("F10: one line of 157 MB is cut at both ends, and its file has it all", async () => {
  const world = await makeWorld();
  const before = process.memoryUsage.rss();
  const { text } = await world.bash("head -c 157000000 /dev/zero | tr '\\0' x; printf END");
  expect(text).toMatch(/\n\[… about [\d,]+ of 157,000,003 bytes left out\. The full output is in [^]*xEND$/);
  expect(text.length).toBeLessThan(13_000);
  const [file = ""] = readdirSync(world.outputFolder).filter((name) => name.endsWith(".out"));
  expect(statSync(join(world.outputFolder, file)).size).toBe(157_000_003);
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
});

test("F10: a file is capped, both ends are kept, and a command that prints for ever reaches its time limit", async () => {
  const world = await makeWorld({ maxOutputBytes: 1_000_000 });
  const { text, isError, progress } = await world.bash("yes", { timeout: 1_000 });
  expect(isError).toBe(true);
  expect(text).toMatch(
    /^Stopped after .*time limit of 1 s\. .*It may have had effects\.\nIf it needs more time.*\nIts output so far:\ny\ny\n/,
  );
  expect(text).toMatch(/\(The first 1,000,000 bytes \(the size limit\) are in \S+\.out\.\)$/);
  const [file = ""] = readdirSync(world.outputFolder).filter((name) => name.endsWith(".out"));
  expect(statSync(join(world.outputFolder, file)).size).toBe(1_000_000);
  expect(Math.max(...progress.map((piece) => piece.length))).toBeLessThan(10_000);
});

test("C13, F10, V7: memory stays flat while a gigabyte goes by", async () => {
  const world = await makeWorld();
  await world.bash("echo warm");
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  const { text } = await world.bash("head -c 1G /dev/zero | tr '\\0' x", { timeout: 600_000 });
  clearInterval(timer);
  expect(text).toMatch(
    /\n\[… about [\d,]+ of 1,073,741,824 bytes left out\. The first 1,000,000,000 bytes \(the size limit\) are in /,
  );
  expect(most - before).toBeLessThan(200_000_000);
});

test("F12: if no file or process can be created, the result is an error and the agent continues", async () => {
  const child = fileURLToPath(new URL("../../test/support/shell-child.ts", import.meta.url));
  const world = await makeWorld();
  const script = `cd ${process.cwd()}; ulimit -n 256; ${process.execPath} --import tsx ${child} starve ${world.folder}`;
  const { text } = await world.bash(script);
  const { starved, fed } = JSON.parse(text.split("\n")[0] ?? "") as Record<"starved", Outcome[]> & {
    fed: Outcome;
  };
  expect(fed).toEqual({ isError: false, text: "fine" });
  const refused = starved.filter(({ isError }) => isError);
  expect(refused.length).toBeGreaterThan(2);
  for (const { text: words } of refused) expect(words).toMatch(/^Error: Not run: .*(?:EMFILE|EBADF|ENFILE)/);
  for (const answer of starved) if (!answer.isError) expect(answer.text).toBe("fine");
});

test.each(["plain", "sandboxed"])(
  "F12: where no process can be had, the answer is an error and the agent goes on: %s",
  async (kind) => {
    const child = fileURLToPath(new URL("../../test/support/shell-child.ts", import.meta.url));
    const world = await makeWorld();
    // The limit is not for root.
    const isRoot = process.getuid?.() === 0;
    const nobody = isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
    if (isRoot) spawnSync("chown", ["-R", "65534:65534", world.folder]);
    const script = `cd ${process.cwd()}; TMPDIR=${world.folder} ${nobody} ${process.execPath} --import tsx ${child} crowd ${world.folder} ${kind}`;
    const { text } = await world.bash(script);
    const { starved, fed } = JSON.parse(text.split("\n")[0] ?? "") as Record<"starved", Outcome[]> & {
      fed: Outcome;
    };
    expect(fed).toEqual({ isError: false, text: "fine" });
    expect(starved.length).toBe(12);
    for (const answer of starved)
      expect(answer).toEqual({
        isError: true,
        text: expect.stringMatching(
          /^Error: Not run: the command could not be started \(spawn \S+ EAGAIN\)\. Try again later\.$/,
        ) as string,
      });
  },
);

interface Outcome {
  readonly isError: boolean;
  readonly text: string;
}

test("F13: a command that forks without end is killed, and others go on", async () => {
  const world = await makeWorld({ maxProcesses: 150 });
  const { text, isError } = await world.bash("for i in $(seq 1 1000); do sleep 60 & sleep 0.002; done; wait");
  expect(isError).toBe(true);
  expect(text).toMatch(/^Killed: the command exceeded the limit of 150 processes at a time\./);
  expect(world.living()).toEqual([]);
  expect((await world.bash("echo fine")).text).toBe("fine");
});

test("F13: when memory runs out, the system kills the command before the agent", async () => {
  const world = await makeWorld();
  const { text } = await world.bash("cat /proc/self/oom_score_adj");
  expect(Number(text)).toBeGreaterThan(500);
  expect(Number(text)).toBeLessThan(900);
});

test("F16: no wait depends on the system date", async () => {
  const world = await makeWorld();
  const { now } = Date;
  try {
    const call = world.bash("sleep 0.3; echo done", { timeout: 20_000 });
    Date.now = () => now() + 3_600_000;
    expect((await call).text).toBe("done");
    Date.now = () => now() - 7_200_000;
    expect((await world.bash("sleep 60", { timeout: 300 })).text).toMatch(/time limit of 0\.3 s/);
  } finally {
    Date.now = now;
  }
});

test("F18: a git that reached its time limit is killed, not kept as a job, and its lock is reported", async () => {
  const world = await makeWorld();
  mkdirSync(join(world.root, ".git"));
  writeFileSync(join(world.root, ".git/index.lock"), "");
  const { text } = await world.bash("rm .git/index.lock; touch .git/index.lock; sleep 60; echo no", {
    timeout: 500,
  });
  expect(text).toContain(
    `(The stopped command left the lock file ${join(world.root, ".git/index.lock")}. Delete it if no other git process is running there.)`,
  );
  expect(world.living()).toEqual([]);
  expect((await world.call("BashOutput", { bash_id: "bash_1" })).text).toContain("None was started.");
  rmSync(join(world.root, ".git"), { recursive: true });
});

test("a command that is stopped before it begins is not run", async () => {
  const world = await makeWorld();
  const stop = new AbortController();
  stop.abort();
  const { text } = await world.call("Bash", { command: "touch made" }, { signal: stop.signal });
  expect(text).toMatch(/^Not run/);
  expect(readdirSync(world.root)).toEqual([]);
});
