import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { History } from "./history.ts";

let home: string;
const notices: string[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "runahead-history-"));
  notices.length = 0;
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const path = (): string => join(home, ".runahead", "history.jsonl");

async function opened(cwd = "/a"): Promise<History> {
  const world = { cwd, home, env: {}, print: () => {}, complain: () => {} };
  const history = new History(world, (message) => notices.push(message));
  await history.load();
  return history;
}

test("prompts are saved per folder and for all folders, each once, the latest last", async () => {
  const first = await opened("/a");
  for (const text of ["one", "two", "one"]) first.add(text);
  await first.close();
  const second = await opened("/b");
  second.add("three\nlines");
  await second.close();
  const third = await opened("/a");
  expect([third.here, third.everywhere, notices]).toEqual([
    ["two", "one"],
    ["two", "one", "three\nlines"],
    [],
  ]);
  expect([statSync(path()).mode & 0o777, statSync(join(home, ".runahead")).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
});

test("pasted text is not saved, and foreign lines are skipped", async () => {
  mkdirSync(join(home, ".runahead"));
  writeFileSync(path(), 'nonsense\n{"cwd":1}\n{"cwd":"/a","text":"good"}\n{"cwd":"/a","te');
  const history = await opened();
  expect([history.add("x".repeat(10_000)), history.here]).toEqual([false, ["good"]]);
});

test("a file that has grown too long keeps its end", async () => {
  mkdirSync(join(home, ".runahead"));
  const lines = Array.from({ length: 30_000 }, (_, at) =>
    JSON.stringify({ cwd: "/a", text: `${at} ${"x".repeat(60)}` }),
  );
  writeFileSync(path(), `${lines.join("\n")}\n`);
  await opened();
  const kept = readFileSync(path(), "utf8").trim().split("\n");
  expect([kept.at(-1), kept.length < lines.length, statSync(path()).size <= 1_000_000]).toEqual([
    lines.at(-1),
    true,
    true,
  ]);
  expect(kept[0]).toBe(lines[lines.length - kept.length]);
});

test("a history that cannot be saved is reported once", async () => {
  writeFileSync(join(home, ".runahead"), "a file where a folder should be");
  const history = await opened();
  history.add("one");
  history.add("two");
  await history.close();
  expect([history.here, notices.length]).toEqual([["one", "two"], 1]);
  expect(notices[0]).toMatch(/^Cannot save the prompt history: /);
});
