import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { until } from "../../../agent/test/support/until.ts";
import { type ShellWorld, makeWorld, nothingLeft } from "../../test/support/shell-world.ts";

afterEach(nothingLeft);

/** Prints, waits for the file `go`, prints again. */
const WAITS = "echo first; until [ -e go ]; do sleep 0.02; done; echo second";
const go = ({ root }: ShellWorld): void => writeFileSync(join(root, "go"), "");

/** Starts a command in the foreground and waits until its call waits for it and it has printed. */
async function inForeground(world: ShellWorld, command: string) {
  let printed = "";
  const answer = world.turn([["Bash", { command }]], { onOutput: (text) => (printed += text) });
  await until(() => printed.includes("first"), "its first output");
  const [running] = world.shell.foregroundCommands();
  return { answer, callId: running?.callId ?? "" };
}

test("a listener hears when a background command ends that the model does not know of", async () => {
  const world = await makeWorld();
  const ended: string[] = [];
  const stop = world.shell.background.onEnded(({ id }) => ended.push(id));
  await world.bash(WAITS, { run_in_background: true });
  const [job] = world.shell.background.list();
  const about = { id: "bash_1", kind: "command", description: WAITS };
  expect(job).toMatchObject({ ...about, isRunning: true, state: "running" });
  expect(ended).toEqual([]);
  go(world);
  await job?.ended;
  await until(() => ended.length > 0, "the end");
  expect([job?.isRunning, ended, await job?.read()]).toEqual([
    false,
    ["bash_1"],
    "bash_1 ended: exit code 0\nfirst\nsecond",
  ]);
  stop();
  await world.bash("true", { run_in_background: true });
  await world.bash("exit 2", { run_in_background: true });
  const [, done, failed] = world.shell.background.list();
  await Promise.all([done?.ended, failed?.ended]);
  expect([done?.state, failed?.state]).toEqual(["ended", "failed"]);
  expect(ended).toEqual(["bash_1"]);
});

test("a job can be stopped by the program, also one whose shell has ended", async () => {
  const world = await makeWorld();
  await world.bash("sleep 61", { run_in_background: true });
  await world.bash("setsid sleep 62 & sleep 0.1");
  const [first, second] = world.shell.background.list();
  expect([first?.isRunning, second?.isRunning]).toEqual([true, true]);
  expect(await first?.stop()).toBe("Stopped bash_1: sleep 61");
  expect(first?.state).toBe("stopped");
  await Promise.all([second?.stop(), first?.ended, second?.ended]);
  expect(await first?.stop()).toBe("bash_1 had already ended: sleep 61");
  expect(world.living()).toEqual([]);
});

test("a running command that is moved to the background returns at once with its id and goes on", async () => {
  const world = await makeWorld();
  const { answer, callId } = await inForeground(world, WAITS);
  expect(world.shell.foregroundCommands()).toEqual([{ callId, command: WAITS }]);
  expect(world.shell.moveToBackground(callId)).toEqual({ type: "moved", callId });
  const [moved] = await answer;
  expect(moved?.isError).toBe(false);
  expect(moved?.text).toMatch(
    /^Still running, now in the background as bash_1: the user moved it there\.[^]*\nOutput so far:\nfirst$/,
  );
  expect(world.shell.foregroundCommands()).toEqual([]);
  const [job] = world.shell.background.list();
  expect(job?.isRunning).toBe(true);
  go(world);
  await job?.ended;
  expect((await world.call("BashOutput", { bash_id: "bash_1" })).text).toBe(
    "bash_1 ended: exit code 0\nsecond",
  );
});

test("a call that runs no command, or that has ended, is not moved, and neither is one above the limit", async () => {
  const world = await makeWorld({ maxJobs: 1 });
  expect(world.shell.moveToBackground("call_9")).toEqual({
    type: "refused",
    reason: "the command is not running",
  });
  await world.bash("sleep 63", { run_in_background: true });
  const { answer, callId } = await inForeground(world, WAITS);
  expect(world.shell.moveToBackground(callId)).toMatchObject({ type: "refused" });
  go(world);
  expect((await answer)[0]?.text).toBe("first\nsecond");
  expect(world.shell.moveToBackground(callId)).toMatchObject({ type: "refused" });
});

test("a command that reaches its time limit is stopped by default, and goes on in the background if settings say so", async () => {
  const killed = await makeWorld();
  expect(await killed.bash("echo first; sleep 64", { timeout: 300 })).toMatchObject({ isError: true });
  expect(killed.living()).toEqual([]);
  const kept = await makeWorld({ timeoutAction: "background" });
  const { text, isError } = await kept.bash(WAITS, { timeout: 300 });
  expect({ text: text.replace(/ \(the full.*?\)/, ""), isError }).toEqual({
    text: "Still running, now in the background as bash_1: it reached its time limit. You are notified when it ends. Read new output with BashOutput; end the job with KillShell.\nOutput so far:\nfirst",
    isError: false,
  });
  go(kept);
  await kept.shell.background.list()[0]?.ended;
  expect(await kept.shell.takeEndedJobs()).toMatchObject([{ id: "bash_1", how: "exit code 0" }]);
});

test("a command that reaches its limit without room in the background is stopped", async () => {
  const world = await makeWorld({ timeoutAction: "background", maxJobs: 0 });
  const { text, isError } = await world.bash("echo first; touch begun; sleep 65", { timeout: 500 });
  expect({ text, isError }).toEqual({
    text: "Stopped: it reached its time limit, and the limit of background jobs is reached.\nfirst",
    isError: true,
  });
  expect([world.living(), existsSync(join(world.root, "begun"))]).toEqual([[], true]);
});

test("a moved command can still be interrupted only as a job, and it ends with the session", async () => {
  const world = await makeWorld();
  const { answer, callId } = await inForeground(
    world,
    "echo first; trap 'echo bye > bye; exit' TERM; sleep 66 & wait",
  );
  world.shell.moveToBackground(callId);
  await answer;
  expect(world.living().length).toBeGreaterThan(0);
  await world.shell.close();
  expect(world.living()).toEqual([]);
  expect(readFileSync(join(world.root, "bye"), "utf8")).toBe("bye\n");
});

test("new output of a job is never cut inside a character, at any of its bytes", async () => {
  const bytes = [...Buffer.from("😀")].map((byte) => `\\x${byte.toString(16)}`);
  for (const at of [1, 2, 3]) {
    const world = await makeWorld();
    const [first, second] = [bytes.slice(0, at), bytes.slice(at)].map((part) => part.join(""));
    const command = `printf 'a${first}'; touch begun; until [ -e go ]; do sleep 0.02; done; printf '${second}b'`;
    await world.bash(command, { run_in_background: true });
    await until(() => existsSync(join(world.root, "begun")), "its first output");
    const read = async (): Promise<string> => {
      const { text } = await world.call("BashOutput", { bash_id: "bash_1" });
      return text.split("\n").slice(1).join("").replace("(no new output)", "");
    };
    let text = "";
    await until(async () => (text += await read()) !== "", "the first output is read");
    expect(text).toBe("a");
    go(world);
    await world.shell.background.list()[0]?.ended;
    expect(await read()).toBe("😀b");
  }
});
