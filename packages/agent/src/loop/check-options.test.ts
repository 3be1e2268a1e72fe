import { type AnyTool, defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { agentTool } from "../agents/sub-agent.ts";
import { autoJudge } from "../gate/auto.ts";
import { createPermissionGate } from "../gate/gate.ts";
import { aiSdk } from "../model/ai-sdk.ts";
import { anthropic } from "../model/anthropic.ts";
import { openai } from "../model/openai.ts";
import { scripted } from "../model/scripted.ts";
import { sessions } from "../session/sessions.ts";
import { telemetry } from "../telemetry/otel.ts";
import { createAgent } from "./agent.ts";
import { query } from "./query.ts";

const model = scripted([[{ type: "text", text: "Done." }]]);
const tool: AnyTool = defineTool({
  name: "Look",
  description: "Looks.",
  inputSchema: z.object({}),
  call: () => "seen",
});

/** As a program in JavaScript would call them. */
const agent = (more: object) => () => createAgent({ model, tools: [tool], ...more });
const gate = (more: object) => () =>
  createPermissionGate({ settings: { mode: "default", sources: [] }, ...more });

const WRONG: readonly (readonly [what: string, use: () => unknown, message: string])[] = [
  ["an unknown option", agent({ toolz: [] }), 'createAgent: unknown option "toolz". Did you mean "tools"?'],
  ["a typo in canUseTool", agent({ canUseTol: () => {} }), 'Did you mean "canUseTool"?'],
  ["canUseTool that is not a function", agent({ canUseTool: "deny" }), "must be a function"],
  ["tools that are not an array", agent({ tools: { tool } }), '"tools" must be an array of tools'],
  ["no tools", agent({ tools: undefined }), '"tools" must be an array of tools, got undefined'],
  ["a tool without a name", agent({ tools: [{ ...tool, name: undefined }] }), 'tools[0]: "name"'],
  ["a tool without call", agent({ tools: [{ ...tool, call: undefined }] }), 'has no function "call"'],
  [
    "isReadOnly: true",
    agent({ tools: [{ ...tool, isReadOnly: true }] }),
    "must be a function, such as () => true",
  ],
  ["no model", agent({ model: undefined }), 'createAgent: "model" is required.'],
  ["the name of a model", agent({ model: "claude" }), 'Use anthropic({ model: "claude" })'],
  ["a model of the AI SDK", agent({ model: { doStream: () => {} } }), "Wrap it: aiSdk(model)."],
  ["a limit that is a text", agent({ maxTurns: "3" }), 'got "3"'],
  ["a limit that is NaN", agent({ maxTurns: Number.NaN }), "got NaN"],
  ["a typo in a budget", agent({ budget: { costUSD: 1 } }), 'Did you mean "costUsd"?'],
  ["an unknown hook", agent({ hooks: { PreToolUse: () => {} } }), 'Did you mean "preToolUse"?'],
  ["rules that decide nothing", agent({ permissions: { deny: ["Look"] } }), "Use createPermissionGate("],
  ["a session that was not awaited", agent({ session: sessions().list() }), 'got a promise; add "await"'],
  ["an unknown start", agent({ start: "later" }), '"eager" or "reads" or "after"'],
  ["query without a prompt", () => query({ model, tools: [] }), '"prompt" is required without'],
  ["query with prompts", () => query({ model, tools: [], prompts: "" } as never), 'Did you mean "prompt"?'],
  [
    "a signal that is a controller",
    () => query({ model, tools: [], prompt: "", signal: new AbortController() } as never),
    "must be an AbortSignal",
  ],
  ["an unknown mode", gate({ settings: { mode: "acceptEdit", sources: [] } }), 'Did you mean "acceptEdits"?'],
  ["an unknown option of the gate", gate({ askperson: () => {} }), 'Did you mean "askPerson"?'],
  [
    "a misspelt list of rules",
    gate({ settings: { mode: "bypassPermissions", sources: [{ name: "a", root: "/", denny: ["Bash"] }] } }),
    'Did you mean "deny"?',
  ],
  ["rules that are a text", gate({ settings: { mode: "auto", sources: [{ deny: "Bash" }] } }), "an array"],
  ["agentTool without options", () => agentTool({ definitions: [] } as never), '"options" is required'],
  [
    "a typo in the options of a sub-agent",
    () => agentTool({ options: { model, tools: [], canUsetool: () => {} } } as never),
    'Did you mean "canUseTool"?',
  ],
  [
    "a typo in a definition",
    () => agentTool({ options: { model, tools: [] }, definitions: [{ name: "a", tool: [] }] } as never),
    'definitions[0]: unknown option "tool". Did you mean "tools"?',
  ],
  ["anthropic without a model", () => anthropic({} as never), 'anthropic: "model" is required.'],
  ["baseUrl", () => anthropic({ model: "m", baseUrl: "" } as never), 'Did you mean "baseURL"?'],
  ["an unknown API", () => openai({ model: "m", api: "response" } as never), 'Did you mean "responses"?'],
  [
    "a typo in a search",
    () => openai({ model: "m", webSearch: { maxUse: 1 } } as never),
    'openai: "webSearch": unknown option "maxUse". Did you mean "maxUses"?',
  ],
  [
    "a typo in options of the AI SDK",
    () => aiSdk({ specificationVersion: "v3", doStream: () => {} } as never, { header: {} } as never),
    'aiSdk: unknown option "header". Did you mean "headers"?',
  ],
  ["turns that are not a list", () => scripted("Done." as never), "scripted: the turns must be an array"],
  ["a turn that is not a list", () => scripted(["Done."] as never), "scripted: turn 1 must be an array"],
  ["a typo of sessions", () => sessions({ hom: "/" } as never), 'Did you mean "home"?'],
  ["a typo of autoJudge", () => autoJudge({ modle: model } as never), 'Did you mean "model"?'],
  ["a typo of telemetry", () => telemetry({ agentname: "" } as never), 'Did you mean "agentName"?'],
];

test.each(WRONG)("invalid use throws: %s", (_what, use, message) => {
  expect(use).toThrow(TypeError);
  expect(use).toThrow(message);
});

test("invalid use throws: setMode with an unknown mode", () => {
  const made = createPermissionGate({ settings: { mode: "default", sources: [] } });
  expect(() => made.setMode("planning")).toThrow(/^Unknown permission mode "planning"\. Modes: default, /);
  expect(made.mode).toBe("default");
});

test("invalid use throws: an invalid prompt, or an unknown option of send", () => {
  const made = createAgent({ model, tools: [tool] });
  expect(() => made.send(undefined as never)).toThrow("agent.send: the prompt must be a text");
  expect(() => made.compact(3 as never)).toThrow("agent.compact: the instructions must be a string, got 3.");
  expect(() => made.send("go", { interupt: true } as never)).toThrow('Did you mean "interrupt"?');
});

test.each([
  [[{ tipe: "text" }], 'the prompt[0]: unknown member "tipe". Did you mean "type"?'],
  [[{ text: "go" }], 'the prompt[0]: "type" is required.'],
  [[{ type: "text", content: "go" }], 'the prompt[0]: "text" is required.'],
  [[{ type: "txt", text: "go" }], 'the prompt[0]: unknown type "txt". Did you mean "text"?'],
  [[], "the prompt has no content blocks."],
  [["go"], "the prompt[0] must be a content block such as"],
])("invalid use throws: the block of a prompt %j", (prompt, message) => {
  const made = createAgent({ model, tools: [tool] });
  expect(() => made.send(prompt as never)).toThrow(`agent.send: ${message}`);
  expect(made.waiting).toEqual([]);
});

test.each([
  [{ systemPrompt: "x" }, 'createAgent: unknown option "systemPrompt". Use "system".'],
  [{ maxSteps: 3 }, 'createAgent: unknown option "maxSteps". Use "maxTurns".'],
  [{ prompt: "go" }, 'createAgent: unknown option "prompt". Pass the prompt to agent.send(prompt)'],
  [{ messages: [{ role: "system", content: "x" }] }, 'messages"[0] has the role "system". Pass its text as'],
  [{ session: {} }, '"session" must be a session, as from await sessions().create()'],
])("invalid use throws: createAgent with %j", (options, message) => {
  expect(() => createAgent({ model, tools: [], ...options } as never)).toThrow(message);
});

test.each(["allow", "ask", "deny", "rules", "additionalDirectories"])(
  "invalid use throws: settings of a gate with a list outside of its sources: %s",
  (list) => {
    const settings = { mode: "default", sources: [], [list]: ["Bash"] };
    expect(() => createPermissionGate({ settings })).toThrow(`settings: "${list}" belongs to a source.`);
  },
);

test("blocks of types that are not known are for the provider to judge", () => {
  const made = createAgent({ model, tools: [tool] });
  const prompt = [
    { type: "search_result", content: [] },
    { type: "image", source: {} },
  ];
  expect(() => made.send(prompt)).not.toThrow();
});

test("invalid use throws: a second reader of the events of a query", async () => {
  const events = query({ model: scripted([[{ type: "text", text: "Done." }]]), tools: [], prompt: "go" });
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  expect(types.at(-1)).toBe("ended");
  const again = async (): Promise<void> => {
    for await (const event of events) expect(event).toBeUndefined();
  };
  await expect(again()).rejects.toThrow("query: the events are already being read");
});

test("an agent that cannot start a run reports the error and accepts the next prompt", async () => {
  let isBroken = true;
  const hooks = {
    engineHooks: () => ({}),
    sessionStart: () => {
      if (isBroken) throw new Error("broken");
    },
  };
  const made = createAgent({ model, tools: [], hooks: hooks as never });
  await expect(made.send("first")).rejects.toThrow("broken");
  isBroken = false;
  expect(made.waiting).toEqual([]);
  await expect(made.send("second")).rejects.toThrow();
});
