import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CodingAgent, codingAgent } from "@runahead/harness";
import { modelServer, sse } from "../../../agent/test/support/model-server.ts";
import { callBlock, messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import { elicitBy } from "./elicit.ts";
import { filledPrompt, isMcpPrompt, withResources } from "./mcp-text.ts";

const SERVER = fileURLToPath(new URL("../../../mcp/test/support/talking-server.mjs", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "mcp-text-"));
const { signal } = new AbortController();
const notices: string[] = [];
const asked: string[] = [];
let made: CodingAgent;
let server: Awaited<ReturnType<typeof modelServer>>;

const answer = (...events: readonly object[]) => ({ pieces: [sse([messageStart, ...events])] });
const uses = (name: string, id: string) =>
  answer(
    ...callBlock(0, id, "{}").map((event) =>
      "content_block" in event
        ? { ...event, content_block: { ...(event.content_block as object), name } }
        : event,
    ),
    ...messageEnd("tool_use"),
  );
const said = (text: string) => answer(...textBlock(0, text), ...messageEnd("end_turn"));

beforeAll(async () => {
  server = await modelServer(
    uses("mcp__talk__elicit", "toolu_1"),
    uses("mcp__talk__sample", "toolu_2"),
    said("hi from the model"),
    said("Done."),
  );
  const askUser: NonNullable<Parameters<typeof codingAgent>[0]>["askUser"] = async (questions) => {
    asked.push(...questions.map(({ question }) => question));
    return {
      type: "answered",
      answers: questions.map(({ options: [first] }) =>
        first === undefined ? { type: "said", text: "Oslo" } : { type: "chosen", labels: [first.label] },
      ),
    };
  };
  made = await codingAgent({
    cwd: root,
    home: root,
    env: { ...process.env, ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: server.url },
    mcpConfig: [JSON.stringify({ mcpServers: { talk: { command: process.execPath, args: [SERVER] } } })],
    allowedTools: ["mcp__talk"],
    disallowedTools: ["ReadMcpResource(uri:secret*)"],
    askUser: (questions, questionSignal) => askUser(questions, questionSignal),
    elicit: elicitBy((questions, questionSignal) => askUser(questions, questionSignal)),
  });
  await made.mcp.settled();
});
afterAll(async () => {
  await made.close();
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

const asking = () => ({ made, signal, onNotice: (message: string) => void notices.push(message) });

test("/mcp__server__prompt is filled in with its arguments; a missing one is reported", async () => {
  expect(made.mcp.prompts().map(({ name }) => name)).toEqual(["mcp__talk__review"]);
  expect(await filledPrompt("/mcp__talk__review a.ts names and types", asking())).toBe(
    "Review a.ts, mind names and types.",
  );
  expect(await filledPrompt("no command", asking())).toBe("no command");
  await expect(filledPrompt("/mcp__talk__review", asking())).rejects.toThrow("needs the argument file");
  await expect(filledPrompt("/mcp__talk__none", asking())).rejects.toThrow("Unknown MCP prompt");
  expect([isMcpPrompt("/mcp__a__b c"), isMcpPrompt("/help")]).toEqual([true, false]);
});

test("@server:uri attaches the resource, unless a rule denies it", async () => {
  expect(await withResources("read @talk:note://1 and @other:x", asking())).toEqual([
    { type: "text", text: "read @talk:note://1 and @other:x" },
    {
      type: "text",
      text: '<attached from="talk:note://1">\n[Resource note://1:]\ncontent of note://1\n</attached>',
    },
  ]);
  expect(await withResources("a@talk.org", asking())).toBe("a@talk.org");
  await withResources("@talk:secret://1", asking());
  expect(notices).toEqual([expect.stringContaining("@talk:secret://1 is not attached")]);
});

test("a server asks the user for a form, and for a message of the model, which the user allows", async () => {
  await made.agent.send("go");
  const results = JSON.stringify(server.requests.at(-1)?.body["messages"]);
  expect(results).toContain(JSON.stringify('{"action":"accept","content":{"city":"Oslo","cold":true}}'));
  expect(results).toContain("hi from the model");
  expect(asked.map((question) => question.split("\n")[0])).toEqual([
    "The MCP server talk asks: Where?",
    "city",
    "cold (optional)",
    "The MCP server talk wants to ask the model claude-sonnet-5 (an answer of at most 10 tokens):",
  ]);
});
