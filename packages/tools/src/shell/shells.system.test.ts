import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { type ShellWorld, isThere, living, makeWorld, nothingLeft } from "../../test/support/shell-world.ts";
import { until } from "../../../agent/test/support/until.ts";
import { reapOrphans } from "./background-ledger.ts";

afterEach(nothingLeft);

const output = async (world: ShellWorld, more: object = {}): Promise<string> =>
  (await world.call("BashOutput", { bash_id: "bash_1", ...more })).text;

test("a background job returns at once, shows only what is new, and how it ended", async () => {
  const world = await makeWorld();
  const command = "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 4";
  const { text, isError } = await world.bash(command, { run_in_background: true });
  expect({ text, isError }).toEqual({
    text: expect.stringMatching(
      /^Running in the background as bash_1\. You are notified when it ends\. .*\(the full output is in \S+\.out\)/,
    ),
    isError: false,
  });
  let shown = "";
  while (!shown.endsWith("one")) shown = await output(world);
  expect(shown).toBe(`bash_1 is running: ${command}\none`);
  expect(await output(world)).toBe(`bash_1 is running: ${command}\n(no new output)`);
  writeFileSync(join(world.root, "go"), "");
  await until(() => world.living().length === 0, "it has ended");
  expect(await output(world)).toBe("bash_1 ended: exit code 4\ntwo");
  expect(await output(world)).toBe("bash_1 ended: exit code 4\n(no new output)");
});

test("a filter shows only matching lines, and one that cannot be matched in time is given up", async () => {
  const world = await makeWorld();
  await world.bash("seq 1 100; echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", { run_in_background: true });
  await until(() => world.living().length === 0, "it has ended");
  const evil = await world.call("BashOutput", { bash_id: "bash_1", filter: "^(a+)+$" });
  expect(evil).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^Error: The filter failed: .* nothing was marked as read\.$/),
  });
  expect(await output(world, { filter: "^[0-9]*7$" })).toBe(
    "bash_1 ended: exit code 0\n7\n17\n27\n37\n47\n57\n67\n77\n87\n97",
  );
  const wrong = await world.call("BashOutput", { bash_id: "bash_1", filter: "(" });
  expect(wrong.text).toContain("`filter`: is not a valid regular expression");
});

test("of much new output both ends are shown, and the next call shows what came after", async () => {
  const world = await makeWorld({ maxOutputBytes: 200_000 });
  await world.bash("seq 1 30000; until [ -e go ]; do sleep 0.02; done; seq 1 50000; echo last", {
    run_in_background: true,
  });
  const [file = ""] = readdirSync(world.outputFolder).filter((name) => name.endsWith(".out"));
  const path = join(world.outputFolder, file);
  await until(() => statSync(path).size === 168_894, "its first output");
  const first = await output(world);
  expect(first).toMatch(
    /\n1\n2\n[^]*\n\[… about [\d,]+ of 168,894 bytes left out\. The full output is in \S+\. Read it with offset and limit\.\]\n[^]*\n30000$/,
  );
  writeFileSync(join(world.root, "go"), "");
  await until(() => world.living().length === 0, "it has ended");
  const second = await output(world);
  expect(second).toMatch(
    /^bash_1 ended: exit code 0\n[^]*\n\[… about [\d,]+ of 288,899 bytes left out\. The first 200,000 bytes \(the size limit\) are in /,
  );
  expect(second).toMatch(/\n50000\nlast$/);
});

test("KillShell ends a job with all its processes, once", async () => {
  const world = await makeWorld();
  await world.bash("sleep 60 & setsid sleep 61 & wait", { run_in_background: true });
  await until(() => world.living().length >= 3, "all are there");
  expect((await world.call("KillShell", { shell_id: "bash_1" })).text).toBe(
    "Ended bash_1: sleep 60 & setsid sleep 61 & wait",
  );
  expect(world.living()).toEqual([]);
  expect(await output(world)).toBe("bash_1 was killed with KillShell (killed by SIGTERM)\n(no new output)");
  expect((await world.call("KillShell", { shell_id: "bash_1" })).text).toMatch(/^bash_1 had already ended/);
  expect((await world.call("KillShell", { shell_id: "bash_9" })).text).toBe(
    "Error: There is no background job bash_9. Known jobs: bash_1.",
  );
});

test("above the limit no job starts, and processes that a command leaves running are ended", async () => {
  const world = await makeWorld({ maxJobs: 2 });
  await world.bash("sleep 60", { run_in_background: true });
  await world.bash("sleep 60", { run_in_background: true });
  const third = await world.bash("touch made", { run_in_background: true });
  expect(third).toEqual({
    text: "Error: Not run: the limit of 2 background jobs is reached (bash_1, bash_2). End one with KillShell first.",
    isError: true,
    progress: [],
  });
  expect(readdirSync(world.root)).toEqual([]);
  const left = await world.bash("sleep 62 & echo done");
  expect(left.text).toMatch(
    /^done\n\(Processes that it left running were ended because the limit of background jobs is reached: \d+ sleep 62\.\)$/,
  );
  expect(world.living().some((line) => line.includes("62"))).toBe(false);
});

test("BashOutput and KillShell on one job run in order, and in parallel with other jobs", async () => {
  const world = await makeWorld();
  const [, read, kill] = world.shell.tools;
  const context = { cwd: world.root };
  expect(read?.access?.({ bash_id: "bash_1" }, context)).toEqual([{ mode: "write", place: "job:/bash_1" }]);
  expect(kill?.access?.({ shell_id: "bash_1" }, context)).toEqual([{ mode: "write", place: "job:/bash_1" }]);
  expect([read?.isReadOnly?.({ bash_id: "bash_1" }), kill?.isReadOnly?.({ shell_id: "a" })]).toEqual([
    true,
    undefined,
  ]);
});

test("closing ends jobs, running commands and their processes, and nothing can start afterwards", async () => {
  const world = await makeWorld();
  await world.bash("sleep 60", { run_in_background: true });
  await world.bash("(setsid sleep 63 > /dev/null 2>&1 &) ; echo done");
  const call = world.bash("touch ready; sleep 64");
  await until(isThere(join(world.root, "ready")), "the command runs");
  await world.shell.close();
  expect(world.living()).toEqual([]);
  expect(await call).toMatchObject({ isError: true, text: "Killed by SIGTERM" });
  expect((await world.bash("echo no")).text).toBe("Error: Not run: the agent is closing.");
  expect(readdirSync(join(world.home, "shells"))).toEqual([]);
});

const CHILD = fileURLToPath(new URL("../../test/support/shell-child.ts", import.meta.url));

/** An agent in a process of its own. */
function agent(world: ShellWorld, task: string) {
  const child = spawn(process.execPath, ["--import", "tsx", CHILD, task, world.folder], {
    env: { ...process.env, CHILD_OF: world.folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (text: Buffer) => (printed += text.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const ready = () => until(() => printed.includes("ready"), "the agent is ready");
  return { child, ready, ended, left: () => living(`CHILD_OF=${world.folder}`) };
}

test("processes of a killed agent are ended at the next start, and no others", async () => {
  const world = await makeWorld();
  const { child, ready, ended, left } = agent(world, "wait");
  await ready();
  const home = join(world.folder, "home-of-child");
  expect(await reapOrphans(home)).toEqual([]);
  expect(left().length).toBeGreaterThan(4);
  child.kill("SIGKILL");
  await ended;
  const bystander = spawn("sleep", ["78"], { stdio: "ignore" });
  mkdirSync(join(home, "shells/1.1.another-boot.1.id"));
  mkdirSync(join(home, "shells/no-owner"));
  const reaped = await reapOrphans(home);
  expect(new Set(reaped.map(({ command }) => command.split(" ").slice(0, 2).join(" ")))).toEqual(
    new Set(["bash -c", "sleep 70", "sleep 71", "sleep 72", "sleep 73", "sleep 74"]),
  );
  expect(left()).toEqual([]);
  expect(existsSync(join(world.root, "cleaned"))).toBe(true);
  expect(readdirSync(join(home, "shells"))).toEqual(["no-owner"]);
  expect(await reapOrphans(home)).toEqual([]);
  expect(bystander.exitCode).toBe(null);
  bystander.kill();
});

test("F07: an agent that exits without closing takes its commands with it", async () => {
  const world = await makeWorld();
  const { ended, left } = agent(world, "leave");
  expect(await ended).toBe(7);
  await until(() => left().length === 0, "its commands are gone");
  expect(readdirSync(join(world.folder, "home-of-child/shells"))).toEqual([]);
});

test("F07, F08: an agent that gets a signal to stop lets its commands clean up", async () => {
  const world = await makeWorld();
  const { child, ready, ended, left } = agent(world, "obey");
  await ready();
  child.kill("SIGTERM");
  expect(await ended).toBe(143);
  expect(left()).toEqual([]);
  expect(existsSync(join(world.root, "bye"))).toBe(true);
});

test("jobs that ended are returned once, with their exit code and last lines", async () => {
  const world = await makeWorld();
  await world.bash("seq 1 30; exit 3", { run_in_background: true });
  await world.bash("sleep 60", { run_in_background: true });
  await world.bash("echo seen", { run_in_background: true });
  await until(() => world.living().every((line) => line.includes("sleep 60")), "two have ended");
  await world.call("BashOutput", { bash_id: "bash_3" });
  let ended = await world.shell.takeEndedJobs();
  await until(
    async () => (ended = [...ended, ...(await world.shell.takeEndedJobs())]).length > 0,
    "it is known",
  );
  expect(ended).toEqual([
    {
      id: "bash_1",
      command: "seq 1 30; exit 3",
      how: "exit code 3",
      lastLines: Array.from({ length: 10 }, (_, at) => String(at + 21)).join("\n"),
    },
  ]);
  expect(await world.shell.takeEndedJobs()).toEqual([]);
  await world.call("KillShell", { shell_id: "bash_2" });
  expect(await world.shell.takeEndedJobs()).toEqual([]);
});
