/**
 * The AI SDK's harness for the protocol runs Runahead. The packages are installed for the test: they need Node 22, and
 * nothing else here uses them.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { textBlock } from "../../../agent/test/support/responses.ts";
import { askedModel } from "../repl/answers.ts";

const NODE = `node-${process.platform}-${process.arch}`;
const PACKAGES = [
  "@ai-sdk/harness-acp@1.0.38",
  "@ai-sdk/harness@1.0.100",
  "zod@4",
  // The harness installs the bridge to the agent with it.
  "pnpm@10",
  `${NODE}@22`,
];
const installed = mkdtempSync(join(tmpdir(), "harness-packages-"));

beforeAll(() => {
  writeFileSync(join(installed, "package.json"), '{"private":true,"type":"module"}');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...PACKAGES];
  const { status, stderr } = spawnSync("npm", args, { cwd: installed, encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot install ${PACKAGES.join(", ")}: ${stderr}`);
}, 300_000);
afterAll(() => rmSync(installed, { recursive: true, force: true }), 120_000);

interface Part {
  readonly prompt: string;
  readonly type: string;
  readonly text?: string;
  readonly output?: unknown;
}

test("the harness of the AI SDK prompts Runahead, approves a call, and cancels", async () => {
  const model = await askedModel();
  onTestFinished(() => model.close());
  const program = fileURLToPath(new URL("harness-program.mjs", import.meta.url));
  const child = spawn(
    join(installed, "node_modules", NODE, "bin/node"),
    [program, installed, inject("program"), model.url],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, TMPDIR: installed } },
  );
  const ended = once(child, "close");
  const [out, errors] = [text(child.stdout), text(child.stderr)];
  onTestFinished(() => void child.kill("SIGKILL"));
  (await model.asked()).says("Good day.");
  (await model.asked()).calls(["Write", { file_path: "b.txt", content: "x" }]);
  (await model.asked()).says("It is written.");
  expect(model.requests[2]).toContain("b.txt: 1 bytes.");
  // The rest of this answer never comes.
  (await model.asked()).send(...textBlock(0, "Wor").slice(0, 2));
  const parts = (await out)
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Part);
  expect([await errors, await ended]).toEqual(["", [0, null]]);
  const of = (prompt: string): Part[] => parts.filter((part) => part.prompt === prompt);
  expect(of("plain")).toEqual([{ prompt: "plain", type: "answer", text: "Good day." }]);
  const approved = of("approve").map(({ type }) => type);
  expect(approved.filter((type) => type === "tool-approval-request")).toHaveLength(1);
  expect(of("approve").flatMap(({ type, text: said = "" }) => (type === "text-delta" ? [said] : []))).toEqual(
    ["It is written."],
  );
  expect(of("cancel").at(-1)?.type).toBe("abort");
  expect(new Set(model.requests.map((request) => (JSON.parse(request) as { model: string }).model))).toEqual(
    new Set(["claude-opus-4-1"]),
  );
}, 300_000);
