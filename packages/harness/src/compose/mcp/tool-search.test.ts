import { expect, test } from "vitest";
import { type AnyTool, defineTool } from "@runahead/engine";
import { type Message, type Model, ModelError, type ModelRequest, scripted } from "@runahead/agent";
import { z } from "zod";
import { runQuery } from "../../../../agent/test/support/run-query.ts";
import { canSearchTools, deferringModel, noteToolSearch } from "@runahead/agent/internal";
import { ToolSearch, isMcpTool, wishProblem } from "./tool-search.ts";

const called: unknown[] = [];
const tool = (name: string, description: string): AnyTool =>
  defineTool({
    name,
    description,
    inputSchema: z.object({ to: z.string() }),
    call: (input) => {
      called.push([name, input]);
      return "sent";
    },
    toResult: (text: string) => text,
  });

const mail = tool("mcp__mail__send", "Sends a message to a person.");
const others = Array.from({ length: 40 }, (_, at) =>
  tool(`mcp__big__tool_${at}`, `Does thing ${at}. ${"x".repeat(3_000)}`),
);

/** A model that keeps what it was asked. */
function keeping(model: Model, requests: ModelRequest[]): Model {
  return {
    name: model.name,
    stream: (request, signal) => {
      requests.push(request);
      return model.stream(request, signal);
    },
  };
}

test("a value of ENABLE_TOOL_SEARCH that has no effect is named", () => {
  for (const wish of [undefined, "", "true", "false", "1", "0", "auto", "auto:5"])
    expect(wishProblem(wish)).toBe(undefined);
  for (const wish of ["ture", "auto:", "auto:5%", "yes"])
    expect(wishProblem(wish)).toBe(
      `ENABLE_TOOL_SEARCH=${wish} has no effect: use true, false, auto or auto:PERCENT.`,
    );
});

test("few tools are offered as they are; many are deferred, and stay so", () => {
  expect(new ToolSearch(undefined, () => 200_000).with([mail]).map(({ name }) => name)).toEqual([
    "mcp__mail__send",
  ]);
  const search = new ToolSearch(undefined, () => 200_000);
  expect(search.with([mail, ...others])[0]?.name).toBe("ToolSearch");
  expect(search.with([mail])[0]?.name).toBe("ToolSearch");
  expect(new ToolSearch("false", () => 200_000).with([mail, ...others])).toHaveLength(41);
  expect(new ToolSearch("true", () => 200_000).with([mail])[0]?.name).toBe("ToolSearch");
  expect(new ToolSearch("auto:99", () => 200_000).with([mail, ...others])).toHaveLength(41);
  expect(new ToolSearch(undefined, () => 10_000_000).with([mail, ...others])).toHaveLength(41);
  expect(new ToolSearch(undefined, () => 100).with([mail])[0]?.name).toBe("ToolSearch");
});

test("a call of CallTool that names no tool is answered with what is missing", () => {
  const search = new ToolSearch("true", () => 200_000);
  const wrong = search.with([mail]).find(({ name }) => name === "CallTool");
  if (wrong === undefined) throw new Error("CallTool is missing");
  expect(wrong.description).toContain("Calls a tool that ToolSearch found.");
  const { validate } = (wrong.inputSchema as z.ZodType)["~standard"];
  expect(validate({ name: mail.name, input: {} })).toEqual({
    issues: [{ message: "must be the name of a tool that ToolSearch found", path: ["tool"] }],
  });
});

test("the tools of a server that is always loaded are never deferred, those of one that never is always are", async () => {
  const requests: ModelRequest[] = [];
  const pinned = tool("mcp__pinned__one", "Is always there.");
  const loads = (name: string): boolean | undefined =>
    name.startsWith("mcp__pinned") ? true : name.startsWith("mcp__mail") ? false : undefined;
  const few = new ToolSearch(undefined, () => 200_000, loads);
  expect(few.with([pinned]).map(({ name }) => name)).toEqual(["mcp__pinned__one"]);
  expect(few.with([mail, pinned])[0]?.name).toBe("ToolSearch");
  const search = new ToolSearch(undefined, () => 200_000, loads);
  const model = scripted([
    [{ type: "tool_use", id: "a", name: "mcp__pinned__one", input: { to: "Ann" } }],
    [{ type: "text", text: "Done." }],
  ]);
  await runQuery({
    prompt: "go",
    model: deferringModel(keeping(model, requests), { isDeferred: (one) => search.defers(one) }),
    tools: [],
    moreTools: () => search.with([mail, pinned, ...others]),
  });
  for (const { tools } of requests)
    expect(tools.map(({ name }) => name)).toEqual(["ToolSearch", "mcp__pinned__one", "CallTool"]);
  expect(JSON.stringify(requests[1]?.messages)).toContain('"name":"mcp__pinned__one"');
  const off = new ToolSearch("false", () => 200_000, loads);
  expect(off.with([mail, pinned]).map(({ name }) => name)).toEqual(["mcp__mail__send", "mcp__pinned__one"]);
});

test("the model finds a deferred tool and calls it; the tools of its requests never change, so the cache is kept", async () => {
  called.length = 0;
  const requests: ModelRequest[] = [];
  const model = scripted([
    [{ type: "tool_use", id: "a", name: "ToolSearch", input: { query: "send message" } }],
    [
      {
        type: "tool_use",
        id: "b",
        name: "CallTool",
        input: { tool: "mcp__mail__send", input: { to: "Ann" } },
      },
    ],
    [{ type: "tool_use", id: "c", name: "CallTool", input: { tool: "Bash", input: { command: "ls" } } }],
    [{ type: "text", text: "Done." }],
  ]);
  const search = new ToolSearch(undefined, () => 200_000);
  const asked: string[] = [];
  const { result } = await runQuery({
    prompt: "go",
    model: deferringModel(keeping(model, requests), { isDeferred: isMcpTool }),
    tools: [],
    moreTools: () => search.with([mail, ...others]),
    canUseTool: ({ name }) => {
      asked.push(name);
      return { behavior: "allow" };
    },
  });
  expect(result.text).toBe("Done.");
  expect(called).toEqual([["mcp__mail__send", { to: "Ann" }]]);
  // Rules and hooks see the tool itself.
  expect(asked).toEqual(["ToolSearch", "mcp__mail__send"]);
  const [first, ...later] = requests.map(({ tools }) => JSON.stringify(tools));
  expect(requests[0]?.tools.map(({ name }) => name)).toEqual(["ToolSearch", "CallTool"]);
  expect(later.every((tools) => tools === first)).toBe(true);
  const texts = JSON.stringify(requests[1]?.messages);
  expect([texts.includes("mcp__mail__send"), texts.includes("mcp__big__tool_1")]).toEqual([true, false]);
  // The model reads its call as it made it, and the session has the tool.
  const prefix = (messages: readonly Message[], count: number): string =>
    JSON.stringify(messages.slice(0, count));
  expect(prefix(requests[3]?.messages ?? [], 5)).toBe(prefix(requests[2]?.messages ?? [], 5));
  expect(prefix(requests[2]?.messages ?? [], 5)).toContain('"name":"CallTool"');
  expect(JSON.stringify(result.messages)).toContain('"name":"mcp__mail__send"');
});

test("a provider that can search finds the deferred tools itself, and the marked tool is never a deferred one", async () => {
  called.length = 0;
  const requests: ModelRequest[] = [];
  const search = new ToolSearch("true", () => 200_000);
  const model = noteToolSearch(
    keeping(
      scripted([
        [{ type: "tool_use", id: "1", name: "mcp__mail__send", input: { to: "ann" } }],
        [{ type: "text", text: "Sent." }],
      ]),
      requests,
    ),
    "claude-sonnet-4-6",
    "",
  );
  const { result } = await runQuery({
    model: deferringModel(model, { isDeferred: isMcpTool }),
    tools: [tool("Other", "Something else.")],
    moreTools: () => [...search.with([mail])],
    prompt: "go",
  });
  expect([result.text, called]).toEqual(["Sent.", [["mcp__mail__send", { to: "ann" }]]]);
  for (const { tools } of requests) {
    expect(tools.map(({ name }) => name)).toEqual(["mcp__mail__send", "tool_search_tool_bm25", "Other"]);
    expect(tools[0]).toMatchObject({ defer_loading: true });
    expect(tools.at(-1)).not.toHaveProperty("defer_loading");
  }
  expect(requests[0]?.tools).toEqual(requests[1]?.tools);
});

test("if the server refuses the provider's search, ours is used for the rest of the session", async () => {
  const requests: ModelRequest[] = [];
  const answers = scripted([[{ type: "text", text: "One." }], [{ type: "text", text: "Two." }]]);
  const refusing: Model = {
    name: "claude-opus-4-1",
    stream: (request, signal) => {
      requests.push(request);
      if (request.tools.some((one) => "defer_loading" in one))
        throw new ModelError("bad-request", "tools.0.defer_loading: Extra inputs are not permitted", {
          status: 400,
        });
      return answers.stream(request, signal);
    },
  };
  const model = deferringModel(noteToolSearch(refusing, "claude-opus-4-1", "https://api.anthropic.com"), {
    isDeferred: isMcpTool,
  });
  const search = new ToolSearch("true", () => 200_000);
  for (const expected of ["One.", "Two."]) {
    const options = { model, tools: [], moreTools: () => [...search.with([mail])], prompt: "go" };
    expect((await runQuery(options)).result.text).toBe(expected);
  }
  expect(requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ["mcp__mail__send", "tool_search_tool_bm25"],
    ["ToolSearch", "CallTool"],
    ["ToolSearch", "CallTool"],
  ]);
});

test("only Anthropic's own address and Claude 4 or newer count as able to search tools", () => {
  const able = (name: string, address: string): boolean =>
    canSearchTools(noteToolSearch({ ...scripted([]) }, name, address));
  expect(able("claude-sonnet-4-6", "")).toBe(true);
  expect(able("claude-opus-5", "https://api.anthropic.com/")).toBe(true);
  expect(able("claude-3-5-haiku-latest", "")).toBe(false);
  expect(able("claude-sonnet-4-6", "https://proxy.example")).toBe(false);
  expect(able("glm-5", "")).toBe(false);
});
