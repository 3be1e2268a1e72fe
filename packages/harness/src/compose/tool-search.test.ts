import { expect, test } from "vitest";
import { type AnyTool, defineTool } from "@runahead/engine";
import { type Message, type Model, type ModelRequest, scripted } from "@runahead/agent";
import { z } from "zod";
import { runQuery } from "../../../agent/test/support/run-query.ts";
import { ToolSearch, deferringModel } from "./tool-search.ts";

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

test("few tools are offered as they are; many are deferred, and stay so", () => {
  expect(new ToolSearch(undefined).with([mail]).map(({ name }) => name)).toEqual(["mcp__mail__send"]);
  const search = new ToolSearch(undefined);
  expect(search.with([mail, ...others])[0]?.name).toBe("ToolSearch");
  expect(search.with([mail])[0]?.name).toBe("ToolSearch");
  expect(new ToolSearch("false").with([mail, ...others])).toHaveLength(41);
  expect(new ToolSearch("true").with([mail])[0]?.name).toBe("ToolSearch");
  expect(new ToolSearch("auto:99").with([mail, ...others])).toHaveLength(41);
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
  const search = new ToolSearch(undefined);
  const asked: string[] = [];
  const { result } = await runQuery({
    prompt: "go",
    model: deferringModel(keeping(model, requests)),
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
