import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readOnlyCommand, fileTools, shellTools } from "@runahead/harness";
import { remote } from "@runahead/workers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool } from "../../../workers/test/support/calling.ts";
import { type RedisServer, redisServer } from "../../../workers/test/support/redis-server.ts";
import type { World } from "../shared/world.ts";
import { runWorker } from "./worker.ts";
import { showWorkers } from "./workers.ts";

let server: RedisServer;
let root = "";

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-worker-")));
  server = await redisServer();
});

afterAll(async () => {
  await server?.close();
  rmSync(root, { recursive: true, force: true });
});

function world(): { world: World; out: string[]; errors: string[] } {
  const out: string[] = [];
  const errors: string[] = [];
  const env = { PATH: process.env["PATH"], RUNAHEAD_REDIS: server.url };
  const print = (text: string): void => void out.push(text);
  const complain = (text: string): void => void errors.push(text);
  return { world: { cwd: root, home: root, env, print, complain }, out, errors };
}

/** Looks until a text has come. */
async function said(texts: readonly string[], pattern: RegExp): Promise<string> {
  for (let at = 0; at < 400; at++) {
    const found = texts.map((text) => pattern.exec(text)).find((match) => match !== null);
    if (found) return found[1] ?? "";
    await pause(50);
  }
  throw new Error(`nobody said ${pattern}: ${texts.join("\n")}`);
}

test("a worker runs the tools that it is given, shows itself, and exits after a drain", async () => {
  const { world: ours, out } = world();
  const running = runWorker(ours, { queue: "tools", tools: "read,grep, BASH", concurrency: "3" });
  const id = await said(
    out,
    /^Worker (w\w+) takes calls from the queue tools: Read, Grep, Bash, 3 at a time\.$/,
  );

  writeFileSync(join(root, "a.txt"), "hello from the worker\n");
  const shell = shellTools({
    root,
    home: root,
    env: {},
    outputFolder: root,
    isReadOnlyCommand: readOnlyCommand,
  });
  const tools = remote([...fileTools(), ...shell.tools], {
    connection: server.url,
    queue: "tools",
    workspace: "s1",
  });
  const read = await callTool(tools, ["Read", { file_path: join(root, "a.txt") }], { cwd: root });
  expect(JSON.stringify(read.output ?? read.error?.message)).toContain("hello from the worker");
  const bash = await callTool(tools, ["Bash", { command: "mkdir sub && cd sub && pwd" }], { cwd: root });
  expect(JSON.stringify(bash.output ?? bash.error?.message)).toContain(join(root, "sub"));
  expect(bash.cwd).toBe(join(root, "sub"));
  const write = await callTool(tools, ["Write", { file_path: join(root, "b"), content: "x" }], { cwd: root });
  expect(write.error?.message).toBe("Not run: this worker has no tool Write.");

  const long = callTool(tools, ["Bash", { command: "sleep 3 && echo slept" }], { cwd: root });
  await pause(1_500);
  const shown = world();
  expect(await showWorkers(shown.world, { queue: "tools" })).toBe(0);
  const [text = ""] = shown.out;
  expect(text).toMatch(/^Queue tools: 1 worker, 1 call running, 0 waiting\.\n/);
  expect(text).toMatch(new RegExp(`\\n${id}  \\S+:${process.pid}  working  1 of 3  3 ended\\n`));
  expect(text).toMatch(/\n {4}tools {6}Read, Grep, Bash\n {4}waited {5}p50 [\d.]+ m?s, p99 [\d.]+ m?s\n/);
  expect(text).toMatch(/\n {4}workspaces s1\n {4}running {4}Bash for [\d.]+ m?s \(/);
  expect(await showWorkers(shown.world, { queue: "tools", json: true })).toBe(0);
  expect(JSON.parse(shown.out[1] as string)).toMatchObject({
    queue: "tools",
    workers: [{ id, concurrency: 3 }],
  });

  expect(await showWorkers(shown.world, { queue: "tools", drain: id })).toBe(0);
  expect(await running).toBe(0);
  expect(JSON.stringify((await long).output)).toContain("slept");
  expect(out.at(-1)).toBe(`Worker ${id} stopped.`);
  await tools.close();
  await shell.close();
});

test("invalid usage is reported without a stack trace", async () => {
  const { world: ours } = world();
  const start = (flags: object): Promise<number> => runWorker(ours, { queue: "q", tools: "read", ...flags });
  await expect(start({ tools: "read,raed" })).rejects.toThrow(
    /^--tools: unknown tool raed\. Available: Read, Write/,
  );
  await expect(start({ concurrency: "many" })).rejects.toThrow(
    "--concurrency must be a whole number from 1 to 1000",
  );
  await expect(start({ queue: "a:b" })).rejects.toThrow(/^The name of a queue must be/);
  await expect(start({ redis: "redis://127.0.0.1:1" })).rejects.toThrow(
    /^Cannot connect to the Redis server at 127\.0\.0\.1:1: connection refused/,
  );
  await expect(showWorkers(ours, { queue: "q", drain: "wnobody" })).rejects.toThrow(
    "no worker wnobody on the queue q. Run `runahead workers --queue q` to list the workers.",
  );
});
