import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Ran, runMain } from "../../test/support/run-main.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-command-")));
  for (const folder of ["home", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "project", "a.txt"), "the content of a file\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const run = (...args: readonly string[]): Promise<Ran> =>
  runMain(root, args, {
    input: { isTerminal: true, signal: new AbortController().signal, async *read() {} },
  });

/** A session of a read and an answer; gives its id. */
async function played(prompt: string, ...args: readonly string[]): Promise<string> {
  const input = { file_path: "a.txt" };
  const block = { type: "tool_use", id: `toolu_${prompt.length}`, name: "Read", input };
  const began = { type: "message-started", id: "a", model: "old" };
  const recording = [
    [
      { at: 0, event: began },
      { at: 5, event: { type: "call-complete", call: block } },
      { at: 5, event: { type: "block", block } },
      { at: 20, event: { type: "stopped", reason: "tool_use", detail: "" } },
    ],
    [
      { at: 0, event: began },
      { at: 1, event: { type: "text", text: "Done." } },
      { at: 1, event: { type: "block", block: { type: "text", text: "Done." } } },
      { at: 2, event: { type: "stopped", reason: "end_turn", detail: "" } },
    ],
  ];
  const file = join(root, "recording.json");
  writeFileSync(file, JSON.stringify(recording));
  const { code, out } = await run("-p", prompt, "--replay", file, "--output-format", "json", ...args);
  expect(code).toBe(0);
  return (JSON.parse(out) as { session_id: string }).session_id;
}

test("the latest session of the folder is drawn, or one by the start of its id; its runs are joined", async () => {
  const first = await played("the first prompt");
  const second = await played("the second prompt, a longer one");
  await played("go on with it", "--resume", second);
  const latest = await run("timeline");
  expect(latest.code).toBe(0);
  expect(latest.out).toMatch(/Turn 1 old[^]*✓ +Read a\.txt[^]*Resumed[^]*Turn 1 old[^]*4 turns, 2 calls/);
  const named = await run("timeline", first.slice(0, 8));
  expect(named.out).toMatch(/2 turns, 1 call,/);
  const json = JSON.parse((await run("timeline", first, "--json")).out) as Record<string, unknown>;
  expect(json).toMatchObject({
    title: "the first prompt",
    calls: [
      { toolName: "Read", content: { output: expect.stringContaining("the content of a file") as string } },
    ],
    summary: { turns: 2, calls: 1 },
  });
});

test("E11: only the owner can read a page and a trace, which have no content on request", async () => {
  await played("a secret prompt");
  const [html, trace] = [join(root, "turn.html"), join(root, "turn.trace")];
  const written = await run("timeline", "--html", html, "--trace", "../turn.trace");
  expect([written.code, written.out]).toEqual([0, `${html}\n${trace}`]);
  expect([html, trace].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(readFileSync(html, "utf8")).toContain("the content of a file");
  expect(JSON.parse(readFileSync(trace, "utf8"))).toHaveProperty("traceEvents");
  await run("timeline", "--html", html, "--no-content");
  expect(readFileSync(html, "utf8")).not.toMatch(/the content of a file|a secret prompt/);
  const nowhere = await run("timeline", "--html", join(root, "nowhere", "turn.html"));
  expect([nowhere.code, nowhere.error]).toEqual([1, expect.stringContaining("Cannot write") as string]);
});

test("a missing or damaged timeline gets a clear message", async () => {
  expect(await run("timeline")).toMatchObject({
    code: 2,
    error: "runahead: no sessions in this folder",
  });
  const id = await played("the first prompt");
  expect(await run("timeline", "zzz")).toMatchObject({
    code: 2,
    error: `runahead: no session in this folder starts with zzz. Latest sessions: ${id}.`,
  });
  const [projects = ""] = readdirSync(join(root, "home/.runahead/projects"));
  const file = join(root, "home/.runahead/projects", projects, id, "timeline.jsonl");
  const whole = readFileSync(file, "utf8");
  writeFileSync(file, `${whole}{"torn`);
  expect(await run("timeline")).toMatchObject({
    code: 0,
    error: expect.stringContaining("Skipped 1 unreadable line") as string,
  });
  writeFileSync(file, "nothing");
  expect(await run("timeline")).toMatchObject({
    code: 1,
    error: expect.stringContaining("damaged") as string,
  });
  rmSync(file);
  expect(await run("timeline")).toMatchObject({
    code: 1,
    error: expect.stringContaining("This session has no timeline yet") as string,
  });
});
