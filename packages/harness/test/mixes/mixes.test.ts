/** Promise 2 with real tools: a mix of calls on a real folder has the same result in parallel and one by one. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type CallRequest, StreamingToolExecutor } from "@runahead/engine";
import { expect, test } from "vitest";
import { readOnlyCommand } from "../../../permissions/src/verdict/permissions.ts";
import { shellTools } from "../../../tools/src/shell/bash-tools.ts";
import { fileTools } from "../../../tools/src/files/file-tools.ts";
import { type Random, randomCalls } from "./calls.ts";

const MIXES = 50;
const CALLS = 14;

const FILES: Readonly<Record<string, string>> = {
  "a.txt": "one\ntwo\nthree\n",
  "src/b.ts": "one\r\ntwo\r\n",
  "src/c.ts": "two two\n",
  "src/deep/d.ts": "three\n",
  "lib/e.js": "one\n",
  ".gitignore": "*.log\n",
  "lib/f.log": "one\n",
};

test(`${MIXES} mixes of ${CALLS} calls lead to the same files and results in parallel and one by one`, async () => {
  let calls = 0;
  let overlapped = 0;
  for (let seed = 1; seed <= MIXES; seed++) {
    const mix = randomCalls(randomFrom(seed), CALLS);
    const parallel = await run(mix, 10);
    const serial = await run(mix, 1);
    expect({ seed, results: parallel.results }).toEqual({ seed, results: serial.results });
    expect({ seed, files: parallel.files }).toEqual({ seed, files: serial.files });
    expect(serial.overlapped).toBe(0);
    calls += mix.length;
    overlapped += parallel.overlapped;
  }
  console.log(`${overlapped} of ${calls} calls overlapped with another one.`);
  expect(overlapped).toBeGreaterThan(calls / 10);
}, 180_000);

interface Ended {
  readonly results: readonly unknown[];
  readonly files: Readonly<Record<string, string>>;
  /** Calls that ran while another one ran. */
  readonly overlapped: number;
}

async function run(mix: readonly CallRequest[], limit: number): Promise<Ended> {
  const folder = newFolder();
  const running = new Set<string>();
  const overlapping = new Set<string>();
  const shell = shellTools({
    root: folder,
    home: `${folder}.home`,
    outputFolder: `${folder}.out`,
    env: process.env,
    isReadOnlyCommand: readOnlyCommand,
  });
  const executor = new StreamingToolExecutor({
    tools: [...fileTools(), ...shell.tools],
    context: { cwd: folder },
    limit,
    onEvent: (event) => {
      if (event.type === "call-settled") running.delete(event.callId);
      if (event.type !== "call-changed" || event.state !== "running") return;
      running.add(event.callId);
      if (running.size > 1) for (const id of running) overlapping.add(id);
    },
  });
  for (const call of mix) executor.add(call);
  const results: unknown[] = [];
  for await (const update of executor.remaining())
    if (update.type === "result")
      results.push(JSON.parse(JSON.stringify(update.result).replaceAll(folder, "")));
  await shell.close();
  const files = contents(folder);
  for (const path of [folder, `${folder}.home`, `${folder}.out`])
    rmSync(path, { recursive: true, force: true });
  return { results, files, overlapped: overlapping.size };
}

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "runahead-mix-")));
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  symlinkSync("src", join(folder, "link"));
  return folder;
}

function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const isFile = (name: string): boolean => existsSync(join(folder, name)) && !isFolder(join(folder, name));
  return Object.fromEntries(
    names.filter(isFile).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): Random {
  let state = seed * 0x9e3779b9;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
