import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type ModelServer,
  type ScriptedAnswer,
  modelServer,
} from "../../../agent/test/support/model-server.ts";
import { sse } from "../../../agent/test/support/model-server.ts";
import { callBlock, messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import { checkedLines } from "../../test/run/stream-schema.ts";
import { main } from "../main.ts";
import { Checkpoints } from "../shared/checkpoints.ts";

let root = "";
const servers: ModelServer[] = [];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-headless-")));
  for (const folder of ["home", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "project", "a.txt"), "hello\n");
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  rmSync(root, { recursive: true, force: true });
});

const response = (...events: readonly object[]): ScriptedAnswer => ({
  pieces: [sse([messageStart, ...events])],
});
const said = (text: string): ScriptedAnswer => response(...textBlock(0, text), ...messageEnd("end_turn"));
const uses = (name: string, input: object): ScriptedAnswer => {
  const blocks = callBlock(0, "toolu_1", JSON.stringify(input)).map((event) =>
    "content_block" in event
      ? { ...event, content_block: { ...(event.content_block as object), name } }
      : event,
  );
  return response(...blocks, ...messageEnd("tool_use"));
};

interface Given {
  readonly args: readonly string[];
  readonly answers?: readonly ScriptedAnswer[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function run({ args, answers = [], stdin, env = {} }: Given) {
  const server = await modelServer(...answers);
  servers.push(server);
  const out: string[] = [];
  const error: string[] = [];
  const code = await main(args, {
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: server.url, ...env },
    print: (text) => out.push(text),
    complain: (text) => error.push(text),
    input: {
      isTerminal: stdin === undefined,
      signal: new AbortController().signal,
      async *read() {
        yield Buffer.from(stdin ?? "");
      },
    },
  });
  const lines = (): Record<string, unknown>[] => checkedLines(out.join("\n"));
  return { code, out: out.join("\n"), error: error.join("\n"), lines, server };
}

test("a /rewind that was killed in the middle is reported before the prompt is answered", async () => {
  const world = {
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: { PATH: process.env["PATH"] ?? "" },
    print: () => {},
    complain: () => {},
  };
  const checkpoints = new Checkpoints(world, world.cwd, () => {});
  const id = await checkpoints.take(new AbortController().signal);
  const [folder = ""] = readdirSync(join(root, "home/.runahead/snapshots"));
  const note = join(root, "home/.runahead/snapshots", folder, "restoring");
  writeFileSync(note, JSON.stringify({ id, before: id }));
  const { code, error } = await run({ args: ["-p", "hi"], answers: [said("Hello.")] });
  expect([code, error.includes("The last /rewind was interrupted")]).toEqual([0, true]);
});

test("-p answers a prompt followed by the text from standard input", async () => {
  const { code, out, server } = await run({
    args: ["-p", "Sum up:"],
    stdin: "some text\n",
    answers: [said("It is text.")],
  });
  expect([code, out]).toEqual([0, "It is text."]);
  expect(server.requests[0]?.body["messages"]).toMatchObject([{ role: "user" }]);
  expect(server.requests[0]?.text).toContain("Sum up:\\n\\nsome text");
});

test("stream-json prints one line per event, and its last line is the result", async () => {
  const { code, lines } = await run({
    args: ["-p", "look", "--output-format", "stream-json", "--include-partial-messages"],
    answers: [uses("Read", { file_path: "a.txt" }), said("It says hello.")],
  });
  expect(code).toBe(0);
  const types = lines().map(({ type, subtype }) =>
    subtype === undefined ? type : `${String(type)}/${String(subtype)}`,
  );
  expect(types).toEqual([
    "system/init",
    ...Array.from({ length: 6 }, () => "stream_event"),
    "assistant",
    "user",
    ...Array.from({ length: 6 }, () => "stream_event"),
    "assistant",
    "result/success",
  ]);
  expect(JSON.stringify(lines()[8])).toContain("hello");
  expect(lines().at(-1)).toMatchObject({
    is_error: false,
    result: "It says hello.",
    num_turns: 2,
    permission_denials: [],
  });
});

test("calls that need approval do not run if nobody can be asked, and are listed", async () => {
  const { code, lines } = await run({
    args: ["-p", "write", "--output-format", "json"],
    answers: [uses("Write", { file_path: "b.txt", content: "x" }), said("I could not.")],
  });
  expect(code).toBe(0);
  expect(lines()).toMatchObject([
    { type: "result", permission_denials: [{ tool_name: "Write", tool_use_id: "toolu_1" }] },
  ]);
});

test("--permission-mode and --allowedTools permit, --disallowedTools does not", async () => {
  const write = uses("Write", { file_path: "b.txt", content: "x\n" });
  const edited = await run({
    args: ["-p", "w", "--permission-mode", "acceptEdits"],
    answers: [write, said("Done.")],
  });
  expect([edited.code, readFileSync(join(root, "project", "b.txt"), "utf8")]).toEqual([0, "x\n"]);
  const make = uses("Bash", { command: "touch made" });
  const allowed = await run({
    args: ["-p", "m", "--allowedTools", "Bash(touch:*)"],
    answers: [make, said("Done.")],
  });
  expect(JSON.stringify(allowed.server.requests[1]?.body["messages"])).not.toContain("denied");
  const denied = await run({
    args: ["-p", "m", "--allowedTools", "Bash(touch:*)", "--disallowedTools", "Bash(touch made)"],
    answers: [make, said("Done.")],
  });
  expect(JSON.stringify(denied.server.requests[1]?.body["messages"])).toContain("denied");
});

test("in mode auto a model decides from the prompt alone, and calls that it does not allow do not run", async () => {
  const make = uses("Bash", { command: "touch made" });
  const verdict = (decision: string) => said(JSON.stringify({ decision, reason: "Because." }));
  const args = ["-p", "make it", "--permission-mode", "auto", "--output-format", "stream-json"];
  const allowed = await run({ args, stdin: "FROM A PIPE", answers: [make, verdict("allow"), said("Done.")] });
  expect(readFileSync(join(root, "project", "made"), "utf8")).toBe("");
  expect(allowed.lines().find(({ subtype }) => subtype === "permission_judged")).toMatchObject({
    tool_name: "Bash",
    tool_use_id: "toolu_1",
    decision: "allow",
    reason: "Because.",
  });
  const [, judging] = allowed.server.requests;
  expect(judging?.text).toContain("make it");
  expect(judging?.text).not.toContain("FROM A PIPE");
  const asked = await run({ args, answers: [make, verdict("ask"), said("I could not.")] });
  expect(asked.lines().at(-1)).toMatchObject({ permission_denials: [{ tool_name: "Bash" }] });
});

test("a session continues with --continue and --resume, and in a copy with --fork-session", async () => {
  const first = await run({ args: ["-p", "one", "--output-format", "json"], answers: [said("One.")] });
  const id = String(first.lines()[0]?.["session_id"]);
  const second = await run({ args: ["-p", "two", "--continue"], answers: [said("Two.")] });
  // Two messages, the prompt, and the note that the session was resumed.
  expect(second.server.requests[0]?.body["messages"]).toHaveLength(4);
  const forked = await run({
    args: ["-p", "three", "--resume", id, "--fork-session", "--output-format", "json"],
    answers: [said("Three.")],
  });
  expect(forked.server.requests[0]?.body["messages"]).toHaveLength(7);
  expect(forked.lines()[0]?.["session_id"]).not.toBe(id);
  const unknown = await run({ args: ["-p", "x", "--resume", "nobody"] });
  expect([unknown.code, unknown.error.includes("No session")]).toEqual([2, true]);
});

test("exit codes: no key 3, a bad key 3, a limit 4, an error 1, bad use 2", async () => {
  const none = await run({ args: ["-p", "x"], env: { ANTHROPIC_API_KEY: "" } });
  expect([none.code, none.error.split("\n").length]).toEqual([3, 1]);
  const bad = await run({
    args: ["-p", "x"],
    answers: [{ status: 401, pieces: ['{"error": {"message": "invalid"}}'] }],
  });
  expect([bad.code, bad.error]).toEqual([
    3,
    expect.stringMatching(/^runahead: The model request failed: .*401/) as string,
  ]);
  const limit = await run({
    args: ["-p", "x", "--max-turns", "1", "--output-format", "json"],
    answers: [uses("Read", { file_path: "a.txt" })],
  });
  expect([limit.code, limit.lines()[0]?.["subtype"]]).toEqual([4, "error_max_turns"]);
  const error = await run({
    args: ["-p", "x"],
    answers: [{ status: 400, pieces: ['{"error": {"message": "odd"}}'] }],
  });
  expect(error.code).toBe(1);
  for (const args of [
    ["-p"],
    ["-p", "x", "--max-turns", "0"],
    ["-p", "x", "--output-format", "xml"],
    ["--nonsense"],
  ])
    expect((await run({ args })).code).toBe(2);
});

test("several prompts are read as lines of JSON, and an invalid line is named", async () => {
  const line = (content: string): string =>
    JSON.stringify({ type: "user", message: { role: "user", content } });
  const { code, server } = await run({
    args: ["-p", "--input-format", "stream-json", "--output-format", "stream-json"],
    stdin: `${line("one")}\n${line("two")}\n`,
    answers: [said("One."), said("Two.")],
  });
  expect([code, server.requests.length]).toEqual([0, 2]);
  const odd = await run({ args: ["-p", "--input-format", "stream-json"], stdin: "hello\n" });
  expect([odd.code, odd.error.includes("hello")]).toEqual([2, true]);
});

test("I03: standard input above 10 MB is refused", async () => {
  const { code, error } = await run({ args: ["-p"], stdin: "x".repeat(10_000_001) });
  expect([code, error.includes("10 MB")]).toEqual([2, true]);
});

test("class 11: in an untrusted folder, -p uses no model and no address of the folder, and one notice says what is ignored", async () => {
  mkdirSync(join(root, "project/.claude"));
  writeFileSync(
    join(root, "project/.claude/settings.json"),
    JSON.stringify({
      model: "of-the-folder",
      env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
      hooks: { Stop: [{ hooks: [{ type: "command", command: "touch hooked" }] }] },
    }),
  );
  writeFileSync(
    join(root, "project/.mcp.json"),
    JSON.stringify({ mcpServers: { own: { command: "touch" } } }),
  );
  const { out, error, server } = await run({ args: ["-p", "go"], answers: [said("Done.")] });
  expect([out, ...error.split("\n")]).toEqual([
    "Done.",
    `${join(root, "project/.claude/settings.json")}: env.ANTHROPIC_BASE_URL: has no effect on Runahead: set it in the environment of Runahead`,
    "This folder is not trusted. Ignored: 1 hook, 1 MCP server, 1 environment variable, 1 other setting. " +
      "To apply them, run `runahead trust` or use --trust.",
  ]);
  expect(server.requests[0]?.body["model"]).toBe("claude-sonnet-5");
  const trusted = await run({ args: ["-p", "go", "--model", "x", "--bare"], answers: [said("Done.")] });
  expect(trusted.error).toBe("");
});

test("class 11: an answer to a pipe is unchanged, and JSON is safe and means the same", async () => {
  const hostile = "a\u001b[2J\u009b8m\u202eb\u2028";
  const text = await run({ args: ["-p", "go"], answers: [said(hostile)] });
  expect(text.out).toBe(hostile);
  const json = await run({ args: ["-p", "go", "--output-format", "json"], answers: [said(hostile)] });
  expect(json.out).toContain("a\\u001b[2J\\u009b8m\\u202eb\\u2028");
  expect(JSON.parse(json.out)).toMatchObject({ result: hostile });
});

test("the first line of stream-json describes the run; what was noticed before it comes next", async () => {
  const args = ["-p", "x", "--output-format", "stream-json", "--debug", "--settings", '{"voice": {}}'];
  const { lines } = await run({ args, answers: [said("One.")] });
  const [first, ...others] = lines();
  expect([first?.["subtype"], others.slice(0, 2).map(({ subtype }) => subtype)]).toEqual([
    "init",
    ["notice", "notice"],
  ]);
  expect(new Set(lines().map(({ session_id }) => session_id)).size).toBe(1);
  const failed = await run({ args: [...args, "--session-id", "x"] });
  expect(failed.lines().map(({ subtype }) => subtype)).toEqual([
    "notice",
    "notice",
    "error_during_execution",
  ]);
});

test("/compact summarises the conversation of a session, and says if there is nothing to summarise", async () => {
  const nothing = await run({ args: ["-p", "/compact"] });
  expect([nothing.code, nothing.out]).toEqual([0, "There is nothing to summarise yet."]);
  const long = "word ".repeat(40_000);
  const lines = [long, `more ${long}`, "/compact keep the names", "/compact", "three"].map((content) =>
    JSON.stringify({ type: "user", message: { role: "user", content } }),
  );
  const refused = { status: 400, pieces: ["no"] };
  const made = await run({
    args: ["-p", "--input-format", "stream-json", "--output-format", "stream-json"],
    stdin: `${lines.join("\n")}\n`,
    answers: [said("One."), said("Two."), said("The summary."), refused, said("Three.")],
  });
  expect(made.lines().find(({ subtype }) => subtype === "compact_boundary")).toMatchObject({
    compact_metadata: { trigger: "manual", how: "summarised" },
  });
  const results = made.lines().filter(({ type }) => type === "result");
  expect(results.map(({ result, stop_reason }) => [result, stop_reason])).toEqual([
    ["One.", "end_turn"],
    ["Two.", "end_turn"],
    ["", null],
    ["The conversation was not made shorter.", null],
    ["Three.", "end_turn"],
  ]);
  expect(results[2]).toMatchObject({
    total_cost_usd: expect.any(Number) as number,
    usage: results[0]?.["usage"],
  });
  expect(results[2]?.["total_cost_usd"]).toBeGreaterThan(0);
  expect(made.server.requests[2]?.text).toContain("keep the names");
  expect(made.server.requests.at(-1)?.text).toContain("The summary.");
});
