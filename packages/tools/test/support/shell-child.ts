/** An agent in a process of its own, for tests that starve or kill it. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { StreamingToolExecutor } from "@runahead/engine";
import { shellTools } from "../../src/shell/bash-tools.ts";

const [, , task, folder = "", kind = ""] = process.argv;
const { tools, close } = shellTools({
  root: join(folder, "project"),
  home: join(folder, "home-of-child"),
  outputFolder: join(folder, "outputs-of-child"),
  env: process.env,
  sandbox: kind === "sandboxed",
});

async function bash(command: string, more: object = {}): Promise<{ isError: boolean; text: string }> {
  const executor = new StreamingToolExecutor({ tools, context: { cwd: join(folder, "project") } });
  executor.add({ id: "call", name: "Bash", input: { command, ...more } });
  executor.end({ ok: true });
  for await (const update of executor.remaining()) {
    if (update.type === "result")
      return { isError: update.result.is_error, text: String(update.result.content) };
  }
  throw new Error("there was no result");
}

/** Opens files until there are none to be had. */
function takeAll(): number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    return taken;
  }
}

/** With ever more files to be had: enough to begin with, not to go on. */
async function starve(): Promise<void> {
  await bash("true");
  const starved = [];
  for (let left = 0; left < 12; left++) {
    const taken = takeAll();
    for (const one of taken.splice(0, left)) closeSync(one);
    starved.push(await bash("echo fine"));
    for (const one of taken) closeSync(one);
  }
  writeSync(1, JSON.stringify({ starved, fed: await bash("echo fine") }));
  await close();
}

/** With no process to be had, as a user who is not root; the way back is held ready, since nothing can be started then. */
async function crowd(): Promise<void> {
  const soft = (): string =>
    /^Max processes +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? "";
  const before = soft();
  // In a sandbox it is the first look whether there is one that finds no process.
  if (kind !== "sandboxed") await bash("true");
  const give = spawn("sh", ["-c", `read line; exec prlimit --pid ${process.pid} --nproc=${before}:`], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  execFileSync("prlimit", ["--pid", String(process.pid), "--nproc=1:"]);
  // More than were made ready, so that the making of pipes fails too.
  const starved = [];
  for (let call = 0; call < 12; call++) starved.push(await bash("echo fine"));
  give.stdin.end("\n");
  await once(give, "exit");
  writeSync(1, JSON.stringify({ starved, fed: await bash("echo fine") }));
  await close();
}

/** With ever less space in its home, which is a small disk: says what it was answered and whether the command ran. */
async function fill(): Promise<void> {
  const home = join(folder, "home-of-child");
  await bash("true");
  const page = Buffer.alloc(4_096);
  const filler = openSync(join(home, "filler"), "w");
  const answers = [];
  for (let at = 0; at < 24; at++) {
    const marker = join(folder, "project", `ran-${at}`);
    const answer = await bash(`echo ran > ${marker}`);
    answers.push({ ...answer, ran: existsSync(marker) });
    // At first a large part of the disk, then page by page until it is full.
    const pages = at === 0 ? Number(kind) : 1;
    for (let next = 0; next < pages; next++) if (!takes(filler, page)) break;
  }
  ftruncateSync(filler, 0);
  writeSync(1, JSON.stringify({ answers, freed: await bash("echo fine") }));
  await close();
}

function takes(file: number, page: Buffer): boolean {
  try {
    return writeSync(file, page) === page.length;
  } catch {
    return false;
  }
}

/** One command, wherever its home is. */
async function single(): Promise<void> {
  const answer = await bash("echo fine");
  writeSync(1, JSON.stringify(answer));
  await close();
}

/** Leaves processes of every kind running, reports when they exist, and waits to be killed. */
async function wait(): Promise<void> {
  await bash("sleep 71 & setsid sleep 72 & env -i setsid -f sleep 70 >/dev/null 2>&1; echo started", {});
  await bash("trap 'touch cleaned; exit' TERM; sleep 73 & wait", { run_in_background: true });
  void bash("exec env -i sleep 74");
  setTimeout(() => writeSync(1, "ready\n"), 500);
}

/** Runs a command that changes what it can in `.git`, and waits to be killed. */
async function spoil(): Promise<void> {
  const planted =
    "rm .git/HEAD; echo x > .git/unknown; ln -s /tmp .git/logs/planted; mkdir -p .git/more/folders";
  await bash(`${planted}; touch ready; sleep 79`, { run_in_background: true });
}

async function leave(): Promise<void> {
  await bash("sleep 75", { run_in_background: true });
  void bash("sleep 76");
  setTimeout(() => process.exit(7), 300);
}

/** As a program does that obeys TERM. */
async function obey(): Promise<void> {
  process.once("SIGTERM", () => void close().then(() => process.exit(143)));
  void bash("trap 'echo bye > bye; exit' TERM; sleep 77 & wait");
  setTimeout(() => writeSync(1, "ready\n"), 500);
}

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  starve,
  crowd,
  wait,
  spoil,
  leave,
  obey,
  fill,
  single,
};
await tasks[task ?? ""]?.();
