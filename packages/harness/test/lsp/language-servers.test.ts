import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ScriptedAnswer, modelServer, sse } from "../../../agent/test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import { type CodingAgentOptions, codingAgent, readPlugin } from "../../src/index.ts";

const FAKE = fileURLToPath(new URL("../../../tools/test/support/fake-language-server.mjs", import.meta.url));
const SERVERS = {
  fake: {
    command: process.execPath,
    args: [FAKE, "${MODE:-good}"],
    extensionToLanguage: { ".fake": "fake" },
    transport: "stdio",
  },
};
let root = "";

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "lsp-harness-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function file(path: string, value: unknown): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof value === "string" ? value : JSON.stringify(value));
}

async function agentWith(turns: readonly ScriptedAnswer[], options: CodingAgentOptions = {}) {
  const server = await modelServer(...turns);
  mkdirSync(join(root, "project"), { recursive: true });
  const notices: string[] = [];
  const made = await codingAgent({
    cwd: join(root, "project"),
    home: join(root, "home"),
    // Servers that are installed on this machine are not found.
    env: { PATH: join(root, "bin"), ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: server.url },
    sessionPersistence: false,
    permissionMode: "acceptEdits",
    onNotice: (message) => notices.push(message),
    ...options,
  });
  const close = async (): Promise<void> => {
    await made.close();
    await server.close();
  };
  return { made, server, notices, close };
}

const answer = (...events: readonly object[]) => ({ pieces: [sse([messageStart, ...events])] });
const uses = (id: string, name: string, input: object) =>
  answer(
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id, name, input: {} } },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
    },
    { type: "content_block_stop", index: 0 },
    ...messageEnd("tool_use"),
  );
const said = (text: string) => answer(...textBlock(0, text), ...messageEnd("end_turn"));

test("the model reads new diagnostics with a result, and can ask the server", async () => {
  file("home/.claude/settings.json", { lspServers: SERVERS });
  const { made, server, close } = await agentWith([
    uses("1", "Write", { file_path: "a.fake", content: "BAD one\n" }),
    uses("2", "LSP", { operation: "diagnostics", filePath: "a.fake" }),
    uses("3", "LSP", { operation: "hover", filePath: "a.fake", line: 1, symbol: "one" }),
    said("Done."),
  ]);
  await made.agent.send("go");
  const sent = JSON.stringify(server.requests.at(-1));
  expect(sent).toContain("Diagnostics of a.fake");
  expect(sent).toContain("1:1 error: BAD one [fake 1]");
  expect(sent).toMatch(/at \{[^}]*line[^}]*0[^}]*character[^}]*4/);
  expect(made.toolNames()).toContain("LSP");
  expect(made.languageServers()).toMatchObject([
    { name: "fake", isWithheld: false, running: [{ root: join(root, "project"), state: { type: "ready" } }] },
  ]);
  await close();
});

test("servers of a project need trust, and false turns all of them off", async () => {
  file("project/.claude/settings.json", { lspServers: SERVERS });
  const untrusted = await agentWith([said("Done.")]);
  expect(untrusted.made.languageServers()).toEqual([]);
  expect(untrusted.made.toolNames()).not.toContain("LSP");
  await untrusted.close();
  const trusted = await agentWith([said("Done.")], { trust: true });
  expect(trusted.made.languageServers().map(({ name }) => name)).toEqual(["fake"]);
  await trusted.close();
  const off = await agentWith([said("Done.")], { trust: true, settings: '{"lspServers": {"fake": false}}' });
  expect(off.made.languageServers()).toEqual([]);
  await off.close();
});

test("an entry that cannot be used is reported", async () => {
  const lspServers = {
    a: { command: "x" },
    b: { command: "no-such-program", extensionToLanguage: { ".b": "b" }, maxRestart: 1 },
  };
  file("home/.claude/settings.json", { lspServers });
  const { notices, close } = await agentWith([said("Done.")]);
  expect(notices.join("\n")).toContain(
    "lspServers.a: extensionToLanguage: expected language ids by extension",
  );
  expect(notices.join("\n")).toContain("lspServers.b.maxRestart: has no effect here.");
  expect(notices.join("\n")).toContain("Language server b: the program no-such-program was not found.");
  await close();
});

test("a plugin brings servers in .lsp.json and in its manifest", async () => {
  file("plugin/.lsp.json", {
    go: { command: "${CLAUDE_PLUGIN_ROOT}/bin/gopls", extensionToLanguage: { ".go": "go" } },
  });
  file("plugin/.claude-plugin/plugin.json", {
    name: "langs",
    lspServers: { zig: { command: "zls", extensionToLanguage: { ".zig": "zig" } } },
  });
  const { languageServers, problems } = await readPlugin({ root: join(root, "plugin"), env: {} });
  expect(languageServers.map(({ name, command }) => [name, command])).toEqual([
    ["go", join(root, "plugin/bin/gopls")],
    ["zig", "zls"],
  ]);
  expect(problems).toEqual([]);
});
