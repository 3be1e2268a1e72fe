import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Shell, said, uses } from "./shell.ts";

const PERMISSION_SERVER = fileURLToPath(new URL("./permission-server.mjs", import.meta.url));
const SERVER = { command: process.execPath, args: [PERMISSION_SERVER] };

let shell: Shell;
beforeEach(() => {
  shell = new Shell();
});
afterEach(() => shell.close());

const STREAM = ["--output-format", "stream-json"] as const;
const JSON_ONLY = ["--output-format", "json"] as const;
const kinds = (lines: readonly Record<string, unknown>[]): string[] =>
  lines.map(({ type, subtype }) =>
    subtype === undefined ? String(type) : `${String(type)}/${String(subtype)}`,
  );

test("--output-format text prints only the answer, json one object", async () => {
  const text = await shell.run({
    args: ["-p", "Sum up:"],
    stdin: "of a pipe",
    answers: [said("It is text.")],
  });
  expect([text.code, text.out, text.error]).toEqual([0, "It is text.\n", ""]);
  expect(text.server.requests[0]?.text).toContain("Sum up:\\n\\nof a pipe");
  const json = await shell.run({ args: ["--print", "x", ...JSON_ONLY], answers: [said("One.")] });
  expect([json.code, json.lines().length, json.lines()[0]?.["result"]]).toEqual([0, 1, "One."]);
});

test("--output-format stream-json prints everything, streamed text with --include-partial-messages, and its source", async () => {
  const task = { description: "look", prompt: "What is in a.txt?" };
  const { code, lines } = await shell.run({
    args: ["-p", "x", ...STREAM, "--include-partial-messages", "--verbose", "--allowedTools", "Agent"],
    answers: [
      uses("Agent", task, "toolu_main"),
      uses("Read", { file_path: "a.txt" }, "toolu_sub"),
      said("It says hello."),
      said("Done."),
    ],
  });
  expect(code).toBe(0);
  expect(
    lines().map((line) => [...kinds([line]), line["parent_tool_use_id"] ?? ""].join(" ").trim()),
  ).toEqual([
    "system/init",
    ...Array.from({ length: 6 }, () => "stream_event"),
    "assistant",
    "assistant toolu_main",
    "user toolu_main",
    "stream_event toolu_main",
    "assistant toolu_main",
    "user",
    ...Array.from({ length: 6 }, () => "stream_event"),
    "assistant",
    "result/success",
  ]);
});

test("--input-format stream-json answers prompt after prompt, each with a result", async () => {
  const line = (content: string): string =>
    `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
  const args = ["-p", "--input-format", "stream-json", ...STREAM];
  const answers = [said("One."), said("Two.")];
  const { code, lines, server } = await shell.run({ args, stdin: line("one") + line("two"), answers });
  const results = lines().filter(({ type }) => type === "result");
  expect([code, server.requests.length, results.map(({ result }) => result)]).toEqual([
    0,
    2,
    ["One.", "Two."],
  ]);
  const odd = await shell.run({ args, stdin: `${line("one")}{"type": "other"}\n`, answers: [said("One.")] });
  expect([odd.code, odd.lines().at(-1)?.["result"]]).toEqual([
    2,
    expect.stringContaining('invalid line on standard input: {"type": "other"}. Expected') as string,
  ]);
});

test("--permission-mode, --add-dir and --tools work; an unknown mode is refused", async () => {
  const other = join(shell.root, "other");
  shell.write("other/c.txt", "c\n");
  const { code, lines, server } = await shell.run({
    args: [
      "-p",
      "x",
      ...STREAM,
      "--permission-mode",
      "acceptEdits",
      "--add-dir",
      other,
      "--tools",
      "Write,Read",
    ],
    answers: [uses("Write", { file_path: join(other, "new.txt"), content: "new\n" }), said("Done.")],
  });
  expect([code, readFileSync(join(other, "new.txt"), "utf8")]).toEqual([0, "new\n"]);
  expect(lines()[0]).toMatchObject({ permissionMode: "acceptEdits", tools: ["Read", "Write"] });
  expect(
    (server.requests[0]?.body["tools"] as { name: string }[] | undefined)?.map(({ name }) => name),
  ).toEqual(["Read", "Write"]);
  const wrong = await shell.run({ args: ["-p", "x", "--permission-mode", "yolo"] });
  expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining("acceptEdits") as string]);
});

test("--allowedTools allows, --disallowedTools denies, and calls that need approval do not run and are listed", async () => {
  const { code, lines } = await shell.run({
    args: ["-p", "x", ...STREAM, "--allowedTools", "Bash(touch:*)", "--disallowedTools", "Bash(touch no:*)"],
    answers: [
      uses("Bash", { command: "touch yes" }, "toolu_1"),
      uses("Bash", { command: "touch no" }, "toolu_2"),
      uses("Write", { file_path: "asked.txt", content: "" }, "toolu_3"),
      said("Done."),
    ],
  });
  const made = ["yes", "no", "asked.txt"].map((name) => existsSync(join(shell.root, "project", name)));
  expect([code, ...made]).toEqual([0, true, false, false]);
  expect(lines().at(-1)?.["permission_denials"]).toEqual([
    { tool_name: "Bash", tool_use_id: "toolu_2", tool_input: { command: "touch no" } },
    { tool_name: "Write", tool_use_id: "toolu_3", tool_input: { file_path: "asked.txt", content: "" } },
  ]);
  expect(kinds(lines()).filter((kind) => kind === "system/permission_denied")).toHaveLength(2);
});

test("--dangerously-skip-permissions asks nothing, and is refused for root", async () => {
  const answers = [uses("Bash", { command: "touch made" }), said("Done.")];
  const args = ["-p", "x", "--dangerously-skip-permissions"];
  const allowed = await shell.run({ args, answers, env: { RUNAHEAD_ALLOW_ROOT_BYPASS: "1" } });
  expect([allowed.code, existsSync(join(shell.root, "project", "made"))]).toEqual([0, true]);
  const asRoot = await shell.run({ args });
  const byAlias = await shell.run({ args: ["-p", "x", "--permission-mode", "allow"] });
  expect(process.getuid?.() === 0 ? [asRoot.code, byAlias.code] : [2, 2]).toEqual([2, 2]);
});

/** A folder that would change everything: instructions, a hook, a server, a sub-agent, rules. */
function busyFolder(): void {
  const hook = { type: "command", command: `touch ${join(shell.root, "hooked")}` };
  shell.write("project/.claude/settings.json", {
    permissions: { deny: ["Read(a.txt)"] },
    hooks: { UserPromptSubmit: [{ hooks: [hook] }] },
  });
  shell.write("project/CLAUDE.md", "Speak like a pirate.\n");
  shell.write("project/.mcp.json", { mcpServers: { folder: SERVER } });
  shell.write("project/.claude/agents/pirate.md", "---\nname: pirate\ndescription: Sails.\n---\nArr.\n");
}

const seenOf = (text: string | undefined): boolean[] =>
  ["pirate", "Sails", "mcp__folder__decide"].map((part) => text?.includes(part) === true);

test("--trust applies the folder's settings; --bare ignores them, and --setting-sources reads only some", async () => {
  busyFolder();
  const answers = [uses("Read", { file_path: "a.txt" }), said("Done.")];
  const trusted = await shell.run({ args: ["-p", "x", "--trust", ...STREAM], answers });
  expect([...seenOf(trusted.server.requests[0]?.text), existsSync(join(shell.root, "hooked"))]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(trusted.lines().at(-1)?.["permission_denials"]).toHaveLength(1);
  const bare = await shell.run({ args: ["-p", "x", "--trust", "--bare", ...STREAM], answers });
  expect(seenOf(bare.server.requests[0]?.text)).toEqual([false, false, false]);
  expect(bare.lines().at(-1)?.["permission_denials"]).toEqual([]);
  const user = await shell.run({ args: ["-p", "x", "--setting-sources", "user", ...STREAM], answers });
  expect(user.lines().at(-1)?.["permission_denials"]).toEqual([]);
  rmSync(join(shell.root, "hooked"), { force: true });
  const hook = { type: "command", command: `touch ${join(shell.root, "hooked")}` };
  const settings = {
    permissions: { deny: ["Read(a.txt)"] },
    hooks: { UserPromptSubmit: [{ hooks: [hook] }] },
  };
  const given = await shell.run({
    args: ["-p", "x", "--bare", ...STREAM, "--settings", JSON.stringify(settings)],
    answers,
  });
  expect(given.lines().at(-1)?.["permission_denials"]).toHaveLength(1);
  expect(existsSync(join(shell.root, "hooked"))).toBe(false);
});

test("--mcp-config accepts several files and JSON; --strict-mcp-config ignores other servers", async () => {
  busyFolder();
  const file = shell.write("servers.json", { mcpServers: { one: SERVER } });
  const configs = ["--mcp-config", file, "--mcp-config", JSON.stringify({ mcpServers: { two: SERVER } })];
  const both = await shell.run({
    args: ["-p", "x", "--trust", ...STREAM, ...configs],
    answers: [said("Done.")],
  });
  expect(both.lines()[0]?.["mcp_servers"]).toEqual([
    { name: "one", status: "connected" },
    { name: "two", status: "connected" },
    { name: "folder", status: "connected" },
  ]);
  const strict = await shell.run({
    args: ["-p", "x", "--trust", ...STREAM, ...configs, "--strict-mcp-config"],
    answers: [said("Done.")],
  });
  expect(strict.lines()[0]?.["mcp_servers"]).toHaveLength(2);
  const wrong = await shell.run({ args: ["-p", "x", "--mcp-config", "nowhere.json"] });
  expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining("nowhere.json") as string]);
  const odd = await shell.run({ args: ["-p", "x", "--mcp-config", '{"mcpServers": {"one": {}}}'] });
  expect([odd.code, odd.error]).toEqual([
    2,
    "runahead: --mcp-config: mcpServers.one: command: expected a string; this server is ignored\n",
  ]);
});

test("--permission-prompt-tool allows, changes and denies; after anything else the call does not run, and a deny rule still applies", async () => {
  const config = JSON.stringify({ mcpServers: { guard: SERVER } });
  const write = (name: string, content: string): ReturnType<typeof uses> =>
    uses("Write", { file_path: name, content }, `toolu_${name}`);
  const args = ["-p", "x", ...STREAM, "--mcp-config", config, "--permission-prompt-tool"];
  const { code, lines, server } = await shell.run({
    args: [...args, "mcp__guard__decide"],
    answers: [
      write("allowed", "allow\n"),
      write("changed", "change\n"),
      write("elsewhere", "elsewhere\n"),
      write("denied", "deny\n"),
      write("garbage", "whatever\n"),
      write("array", '[{"behavior": "allow"}]\n'),
      write("odd", '{"behavior": "maybe"}\n'),
      write("number", '{"behavior": "allow", "updatedInput": 5}\n'),
      said("Done."),
    ],
  });
  expect(code).toBe(0);
  const read = (name: string): string | undefined => {
    const path = join(shell.root, "project", name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  };
  const names = [
    "allowed",
    "changed",
    "elsewhere",
    "denied",
    "garbage",
    "array",
    "odd",
    "number",
    ".git/config",
  ];
  expect(names.map(read)).toEqual(["allow\n", "changed\n", ...Array.from({ length: 7 }, () => undefined)]);
  expect(lines().at(-1)?.["permission_denials"]).toHaveLength(6);
  expect(server.requests.at(-1)?.text).toContain("not Write");
  // The tool that decides about calls cannot be called itself.
  expect(lines()[0]?.["tools"]).not.toContain("mcp__guard__decide");
  const absent = await shell.run({ args: [...args, "mcp__guard__other"] });
  expect([absent.code, absent.lines().at(-1)?.["result"]]).toEqual([
    2,
    "--permission-prompt-tool: no MCP server has a tool named mcp__guard__other. MCP servers: guard (ready)",
  ]);
});

const ID = "11111111-2222-4333-8444-555555555555";

test("--session-id names a new session once; --resume, --continue and --fork-session continue one", async () => {
  const json = (...args: string[]) =>
    shell.run({ args: ["-p", "x", ...JSON_ONLY, ...args], answers: [said("Done.")] });
  const idOf = ({ lines }: Awaited<ReturnType<typeof json>>): unknown => lines()[0]?.["session_id"];
  const messagesOf = ({ server }: Awaited<ReturnType<typeof json>>): number | undefined =>
    (server.requests[0]?.body["messages"] as object[] | undefined)?.length;
  expect(idOf(await json("--session-id", ID.toUpperCase()))).toBe(ID);
  const again = await json("--session-id", ID);
  expect([again.code, again.lines()[0]?.["result"]]).toEqual([
    2,
    `Session ${ID} already exists. Resume it, or choose another id.`,
  ]);
  // Each resumption adds a note.
  const resumed = await json("--resume", ID);
  expect([idOf(resumed), messagesOf(resumed)]).toEqual([ID, 4]);
  const continued = await json("--continue");
  expect([idOf(continued), messagesOf(continued)]).toEqual([ID, 7]);
  const forked = await json("-r", ID, "--fork-session");
  expect([idOf(forked) === ID, messagesOf(forked)]).toEqual([false, 10]);
  const wrong = [
    ["--session-id", "mine"],
    ["--session-id", ID, "--continue"],
    ["--resume", "mine"],
    ["--resume", ID, "--no-session-persistence"],
  ];
  expect((await Promise.all(wrong.map((args) => json(...args)))).map(({ code }) => code)).toEqual([
    2, 2, 2, 2,
  ]);
  const kept = await json("--no-session-persistence");
  expect([idOf(kept), messagesOf(kept)]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/) as string, 1]);
});

test("--no-session-persistence: nothing is left of a long output when the program has ended", async () => {
  const { code, server } = await shell.run({
    args: ["-p", "x", "--no-session-persistence", "--allowedTools", "Bash(seq:*)"],
    answers: [uses("Bash", { command: "seq 1 20000" }, "toolu_1"), said("Counted.")],
  });
  expect(code).toBe(0);
  const path = /The full output is in (\S+\.out)\./.exec(server.requests.at(-1)?.text ?? "")?.[1] ?? "";
  expect(path).toContain(join(shell.root, "home/.runahead/output/"));
  expect(readdirSync(join(shell.root, "home/.runahead/output"))).toEqual([]);
});

const SCHEMA = {
  type: "object",
  properties: { count: { type: "integer" } },
  required: ["count"],
  additionalProperties: false,
};

test("--json-schema: the answer is valid JSON, is requested again at most twice, and otherwise is an error", async () => {
  const args = ["-p", "x", ...STREAM, "--json-schema", JSON.stringify(SCHEMA)];
  const second = await shell.run({
    args,
    answers: [said("There are 3."), said('```json\n{"count": 3}\n```')],
  });
  expect(second.server.requests[0]?.text).toContain('"format":{"type":"json_schema"');
  expect([second.code, second.lines().at(-1)]).toMatchObject([
    0,
    { subtype: "success", structured_output: { count: 3 }, num_turns: 2 },
  ]);
  const never = await shell.run({
    args,
    answers: [said("{"), said('{"count": "three"}'), said('{"count": 3, "more": 1}'), said('{"count": 3}')],
  });
  expect([never.code, never.server.requests.length, never.lines().at(-1)]).toMatchObject([
    1,
    3,
    { subtype: "error_max_structured_output_retries", is_error: true, detail: "more is not a known field." },
  ]);
  expect(never.server.requests[2]?.text).toContain("count must be integer");
  const file = shell.write("schema.json", SCHEMA);
  const text = await shell.run({
    args: ["-p", "x", "--json-schema", file],
    answers: [said(' {"count": 1} ')],
  });
  expect([text.code, text.out]).toEqual([0, '{"count":1}\n']);
  const wrong = ["{", "[]", '{"type": "odd"}', '{"$ref": "#/$defs/none"}', "nowhere.json"];
  const refusals = await Promise.all(
    wrong.map((one) => shell.run({ args: ["-p", "x", "--json-schema", one] })),
  );
  expect(refusals.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
});

test("--model, --append-system-prompt, --replay, --timeline, --max-turns and --max-budget-usd", async () => {
  const page = join(shell.root, "turn.html");
  const read = uses("Read", { file_path: "a.txt" });
  const limited = await shell.run({
    args: [
      "-p",
      "x",
      ...STREAM,
      "--model",
      "claude-opus-9",
      "--append-system-prompt",
      "Be brief.",
      "--max-turns",
      "1",
      "--timeline",
      page,
    ],
    answers: [read],
  });
  expect([limited.code, limited.lines().at(-1)?.["subtype"]]).toEqual([4, "error_max_turns"]);
  expect(limited.server.requests[0]?.body).toMatchObject({ model: "claude-opus-9" });
  expect(limited.server.requests[0]?.text).toContain("Be brief.");
  expect(readFileSync(page, "utf8")).toContain("a.txt");
  const dear = await shell.run({
    args: ["-p", "x", ...STREAM, "--model", "claude-sonnet-5", "--max-budget-usd", "0.000001"],
    answers: [read, read],
  });
  expect([dear.code, dear.lines().at(-1)?.["subtype"]]).toEqual([4, "error_max_budget_usd"]);
  const recording = shell.write("recording.json", [
    [
      { at: 0, event: { type: "message-started", id: "a", model: "old" } },
      { at: 1, event: { type: "text", text: "Played." } },
      { at: 1, event: { type: "block", block: { type: "text", text: "Played." } } },
      { at: 2, event: { type: "stopped", reason: "end_turn", detail: "" } },
    ],
  ]);
  const played = await shell.run({
    args: ["-p", "x", "--replay", recording],
    env: { ANTHROPIC_API_KEY: "" },
  });
  expect([played.code, played.out]).toEqual([0, "Played.\n"]);
});

test("--sandbox confines commands, which then need no question", async () => {
  const { code, server } = await shell.run({
    args: ["-p", "x", "--sandbox"],
    answers: [
      uses("Bash", { command: `touch inside; touch ${join(shell.root, "outside")}; true` }),
      said("Done."),
    ],
  });
  expect([
    code,
    existsSync(join(shell.root, "project", "inside")),
    existsSync(join(shell.root, "outside")),
  ]).toEqual([0, true, false]);
  expect(server.requests[1]?.text).not.toContain("denied by");
});
