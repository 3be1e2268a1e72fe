/** The tools of the worker tests, the same on both sides. */

import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { type AnyTool, defineTool } from "@runahead/engine";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";

const addTool = defineTool({
  name: "Add",
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  isReadOnly: () => true,
  access: () => [],
  call: ({ a, b }) => a + b,
});

/** Writes a line each time it starts, so that a second run is visible. */
const markTool = defineTool({
  name: "Mark",
  description: "Writes a line into a file, and waits.",
  inputSchema: z.object({ file: z.string(), line: z.string(), waitMs: z.number().default(0) }),
  access: () => [],
  call: async ({ file, line, waitMs }, { signal }) => {
    appendFileSync(file, `${line} ${process.pid}\n`);
    await pause(waitMs, undefined, { signal });
    return `marked ${line}`;
  },
});

const lookTool = defineTool({
  name: "Look",
  description: "Says after a while who it is.",
  inputSchema: z.object({ file: z.string().optional(), line: z.string().default(""), waitMs: z.number() }),
  isReadOnly: () => true,
  access: () => [],
  call: async ({ file, line, waitMs }, { signal }) => {
    if (file !== undefined) appendFileSync(file, `${line} ${process.pid}\n`);
    await pause(waitMs, undefined, { signal });
    return `looked ${line}`;
  },
});

/** Pays into a file, one line per idempotency key, and then waits for ever. */
const payTool = defineTool({
  name: "Pay",
  description: "Writes its idempotency key into a file.",
  inputSchema: z.object({ file: z.string(), pays: z.boolean() }),
  access: () => [],
  call: async ({ file, pays }, { idempotencyKey, signal }) => {
    appendFileSync(file, `${pays ? idempotencyKey : "nothing"} ${process.pid}\n`);
    await pause(60_000, undefined, { signal });
    return "never";
  },
  reconcile: (key, { file }) =>
    readFileSync(file, "utf8").includes(`${key} `)
      ? { fate: "finished", output: `paid ${key}` }
      : { fate: "never-started" },
});

const talkTool = defineTool({
  name: "Talk",
  description: "Reports what it does.",
  inputSchema: z.object({ count: z.number(), everyMs: z.number(), size: z.number().default(1) }),
  isReadOnly: () => true,
  access: () => [],
  call: async ({ count, everyMs, size }, { progress, signal }) => {
    for (let at = 0; at < count; at++) {
      progress({ type: "output", content: `${at}${".".repeat(size)}` });
      if (everyMs > 0) await pause(everyMs, undefined, { signal });
    }
    return count;
  },
});

/** Waits until a file exists, which the test creates when the first report has arrived. */
const untilTool = defineTool({
  name: "Until",
  description: "Reports, and waits for a file.",
  inputSchema: z.object({ file: z.string() }),
  isReadOnly: () => true,
  access: () => [],
  call: async ({ file }, { progress, signal }) => {
    progress({ type: "output", content: "waiting" });
    while (!existsSync(file)) await pause(20, undefined, { signal });
    return "found";
  },
});

const largeTool = defineTool({
  name: "Large",
  description: "Returns a long text.",
  inputSchema: z.object({ chars: z.number() }),
  isReadOnly: () => true,
  access: () => [],
  call: ({ chars }) => "ä1".repeat(Math.ceil(chars / 2)).slice(0, chars),
});

const oddTool = defineTool({
  name: "Odd",
  description: "Returns what cannot be sent, or fails.",
  inputSchema: z.object({ what: z.enum(["map", "bigint", "bytes", "error", "nothing", "text"]) }),
  access: () => [],
  call: ({ what }): unknown => {
    if (what === "error") throw new RangeError("the tool's own words");
    const odd = { map: new Map(), bigint: 1n, bytes: new Uint8Array(3), nothing: undefined, text: "text" };
    return what === "nothing" || what === "text" ? odd[what] : { inside: odd[what] };
  },
});

const stubbornTool = defineTool({
  name: "Stubborn",
  description: "Ignores its abort signal.",
  inputSchema: z.object({ waitMs: z.number() }),
  access: () => [],
  timeoutMs: () => 300,
  call: async ({ waitMs }, { progress }) => {
    progress({ type: "output", content: "begun" });
    await pause(waitMs);
    return "ended";
  },
});

/** Starts a process in its own group, as a shell tool does. */
const processTool = defineTool({
  name: "Process",
  description: "Runs a command until it ends or is stopped.",
  inputSchema: z.object({ seconds: z.number() }),
  access: () => [],
  call: ({ seconds }, { signal, progress }) =>
    new Promise<string>((resolve) => {
      const child = spawn("sleep", [String(seconds)], { detached: true, stdio: "ignore" });
      progress({ type: "pid", pid: child.pid });
      signal.addEventListener("abort", () => process.kill(-(child.pid as number), "SIGKILL"));
      child.once("exit", (code, name) => resolve(`${code} ${name}`));
    }),
});

const folderTool = defineTool({
  name: "Folder",
  description: "Goes into a folder, and says which worker it is.",
  inputSchema: z.object({ to: z.string().optional(), waitMs: z.number().default(0) }),
  access: () => [{ mode: "write", place: "fs:/" }],
  call: async ({ to, waitMs }, { cwd, change, signal }) => {
    if (to !== undefined) change((context) => ({ ...context, cwd: to }));
    await pause(waitMs, undefined, { signal });
    return { cwd, pid: process.pid };
  },
});

const blockTool = defineTool({
  name: "Block",
  description: "Keeps the whole process busy.",
  inputSchema: z.object({ forMs: z.number() }),
  isReadOnly: () => true,
  access: () => [],
  call: ({ forMs }) => {
    const until = Date.now() + forMs;
    while (Date.now() < until);
    return process.pid;
  },
});

export const TOOLS = [
  ...[addTool, markTool, lookTool, talkTool, largeTool, oddTool, stubbornTool, processTool, folderTool],
  ...[blockTool, untilTool, payTool],
] as unknown as readonly AnyTool[];
