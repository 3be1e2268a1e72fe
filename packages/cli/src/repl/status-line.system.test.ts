import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CodingAgent } from "@runahead/harness";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../agent/test/support/until.ts";
import type { Counts } from "./screen/counts.ts";
import { StatusLine } from "./status-line.ts";

let root = "";
let line: StatusLine | undefined;
beforeEach(() => (root = realpathSync(mkdtempSync(join(tmpdir(), "status-")))));
afterEach(() => {
  line?.close();
  rmSync(root, { recursive: true, force: true });
});

const COUNTS = {
  inputTokens: 1200,
  outputTokens: 300,
  contextTokens: 50_000,
  contextShare: 0.25,
  windowTokens: 200_000,
  costUsd: 0.5,
  cachedTokens: { read: 30_000, written: 5_000 },
} as unknown as Counts;

/** An agent whose settings have this status line. */
function madeWith(statusLine: object, trusted = true): CodingAgent {
  const value = (one: unknown) => [{ value: one, name: "s", level: "project", trusted }];
  const other = new Map([["statusLine", value(statusLine)]]);
  const settings = { cwd: root, root, other, env: { FROM_SETTINGS: "x" }, passEnv: [] };
  const session = { id: "s1", path: join(root, "s1.jsonl") };
  return {
    session,
    model: { name: "claude-x" },
    settings,
    outputStyle: "Terse",
    mainAgent: "one",
  } as unknown as CodingAgent;
}

function shown(): StatusLine {
  const world = {
    cwd: root,
    home: root,
    env: { PATH: process.env["PATH"] },
    print: () => {},
    complain: () => {},
  };
  return (line = new StatusLine({ world, counts: COUNTS, onChange: () => {} }));
}

test("class 1: the status line command gets the documented JSON, and its output is shown with its padding", async () => {
  const kept = join(root, "input.json");
  const status = shown();
  const command = `cat > ${kept}.new && mv ${kept}.new ${kept}; printf 'one %s\\ntwo\\n' "$FROM_SETTINGS"`;
  status.update(madeWith({ type: "command", command, padding: 2 }));
  await until(() => status.lines.length > 0);
  expect(status.lines).toEqual(["  one x", "  two"]);
  expect(JSON.parse(readFileSync(kept, "utf8"))).toMatchObject({
    hook_event_name: "Status",
    session_id: "s1",
    transcript_path: join(root, "transcripts/s1.jsonl"),
    cwd: root,
    model: { id: "claude-x", display_name: "claude-x" },
    agent: { name: "one" },
    workspace: { current_dir: root, project_dir: root },
    output_style: { name: "Terse" },
    cost: { total_cost_usd: 0.5 },
    context_window: {
      total_input_tokens: 1200,
      total_output_tokens: 300,
      context_window_size: 200_000,
      used_percentage: 25,
      remaining_percentage: 75,
      current_usage: {
        input_tokens: 15_000,
        output_tokens: 0,
        cache_read_input_tokens: 30_000,
        cache_creation_input_tokens: 5_000,
      },
    },
    exceeds_200k_tokens: false,
  });
});

test("class 1: refreshInterval runs the command again although nothing changed", async () => {
  const log = join(root, "log");
  const status = shown();
  status.update(
    madeWith({ type: "command", command: `echo x >> ${log}; wc -l < ${log}`, refreshInterval: 1 }),
  );
  await until(() => Number(status.lines[0]) >= 2);
});

test("class 1: a status line of an untrusted file, or of another type, does not run", async () => {
  const status = shown();
  const log = join(root, "log");
  status.update(madeWith({ type: "command", command: `echo x > ${log}` }, false));
  status.update(madeWith({ type: "static", command: `echo x > ${log}` }));
  const done = join(root, "done");
  status.update(madeWith({ command: `touch ${done}; echo only` }));
  await until(() => status.lines.length > 0);
  expect(status.lines).toEqual(["only"]);
});
