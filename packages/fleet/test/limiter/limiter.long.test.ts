import { type ChildProcess, spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { limitingServer } from "../../../agent/test/support/limiting-server.ts";
import { bundled } from "../../../postgres/test/support/bundle.ts";
import { redisServer } from "../../../workers/test/support/redis-server.ts";

const CHILD = new URL("limiter-child.ts", import.meta.url);
const PROCESSES = 4;
const AGENTS = 5;
const PROMPTS = 12;
const ALL = PROCESSES * AGENTS * PROMPTS;
const LIMITS = { requests: 25, tokens: 8_000, windowMs: 1_000 };

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<readonly string[]>;
}

async function world(limits: object): Promise<{ start: () => Started; answers: readonly number[] }> {
  const [server, redis, program] = await Promise.all([limitingServer(LIMITS), redisServer(), bundled(CHILD)]);
  onTestFinished(async () => {
    await server.close();
    await redis.close();
  });
  const start = (): Started => {
    const words = [program, server.url, redis.url, "long", AGENTS, PROMPTS].map(String);
    const child = spawn(process.execPath, words, {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, LIMITS: JSON.stringify(limits) },
    });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
    const ended = new Promise<readonly string[]>((resolve) =>
      child.on("close", () => resolve(printed.trim().split("\n"))),
    );
    return { child, ended };
  };
  return { start, answers: server.answers };
}

const count = <Value>(values: readonly Value[], wanted: Value): number =>
  values.filter((value) => value === wanted).length;

test(`${PROCESSES} processes with ${AGENTS} agents each are refused nothing, and one that is killed holds nobody up for good`, async () => {
  const { start, answers } = await world(LIMITS);
  const all = Array.from({ length: PROCESSES + 1 }, start);
  await expect.poll(() => answers.length).toBeGreaterThan(40);
  all[0]?.child.kill("SIGKILL");
  const [, ...others] = await Promise.all(all.map(({ ended }) => ended));
  console.log(`${answers.length} requests, ${count(answers, 429)} refused`);
  expect([count(answers, 429), count(others.flat(), "completed")]).toEqual([0, ALL]);
});

test("the same processes without common limits are refused requests", async () => {
  const { start, answers } = await world({});
  const all = Array.from({ length: PROCESSES }, start);
  await expect.poll(() => count(answers, 429)).toBeGreaterThan(0);
  for (const { child } of all) child.kill("SIGKILL");
  await Promise.all(all.map(({ ended }) => ended));
});
