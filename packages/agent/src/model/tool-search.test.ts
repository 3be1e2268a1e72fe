import { type AnyTool, defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { runQuery } from "../../test/support/run-query.ts";
import type { Model } from "./event.ts";
import type { Block, ModelRequest } from "./message.ts";
import { scripted } from "./scripted.ts";
import { searchTools, toolSearch } from "./tool-search.ts";

const tool = (name: string, description: string): AnyTool =>
  defineTool({
    name,
    description,
    inputSchema: z.object({ to: z.string() }),
    call: ({ to }) => `${name} to ${to}`,
  });
const mail = tool("SendMail", "Sends a message to a person.");
const invoice = tool("Invoice", "Writes a bill, and sends it by mail.");
const refund = tool("Refund", "Gives money back.");
const TOOLS = [refund, invoice, mail];

const use = (id: string, name: string, input: object): Block => ({ type: "tool_use", id, name, input });
const namesOf = (tools: readonly { readonly name: string }[]): string[] => tools.map(({ name }) => name);

/** A model that keeps what it was asked. */
function keeping(turns: readonly Block[][], requests: ModelRequest[]): Model {
  const model = scripted(turns);
  return {
    name: model.name,
    stream: (request, signal) => {
      requests.push(request);
      return model.stream(request, signal);
    },
  };
}

test("words in the name count more than words in the description, and names can be selected", () => {
  expect(namesOf(searchTools(TOOLS, "mail"))).toEqual(["SendMail", "Invoice"]);
  expect(namesOf(searchTools(TOOLS, "MONEY back!"))).toEqual(["Refund"]);
  expect(namesOf(searchTools(TOOLS, "mail", 1))).toEqual(["SendMail"]);
  expect(namesOf(searchTools(TOOLS, "select:Refund, Invoice"))).toEqual(["Refund", "Invoice"]);
  expect([searchTools(TOOLS, "weather"), searchTools(TOOLS, ""), searchTools([], "mail")]).toEqual([
    [],
    [],
    [],
  ]);
});

test("the model finds a tool that its requests do not have, and calls it; everyone else sees a call of the tool itself", async () => {
  const requests: ModelRequest[] = [];
  const turns = [
    [use("a", "ToolSearch", { query: "money" })],
    [use("b", "CallTool", { tool: "Refund", input: { to: "Ada" } }), use("c", "SendMail", { to: "Ada" })],
    [{ type: "text", text: "Done." }],
  ];
  const judged: string[] = [];
  const { events, result } = await runQuery({
    ...toolSearch({
      model: keeping(turns, requests),
      tools: TOOLS,
      isDeferred: ({ name }) => name !== "SendMail",
    }),
    prompt: "go",
    canUseTool: ({ name }) => {
      judged.push(name);
      return { behavior: "allow" };
    },
  });
  expect(result.text).toBe("Done.");
  expect(requests.map(({ tools }) => namesOf(tools).toSorted())).toEqual(
    requests.map(() => ["CallTool", "SendMail", "ToolSearch"]),
  );
  const settled = events.flatMap((event) => (event.type === "call-settled" ? [event.toolName] : []));
  expect([settled.toSorted(), judged.includes("Refund")]).toEqual([
    ["Refund", "SendMail", "ToolSearch"],
    true,
  ]);
  expect(JSON.stringify(result.messages)).toContain("Refund to Ada");
  expect(JSON.stringify(result.messages)).not.toContain("CallTool");
  // The model reads its call as it made it.
  expect(JSON.stringify(requests[2]?.messages)).toContain('"name":"CallTool"');
});

test("a call of a tool that does not exist says which, and a name that no API takes does not reach the history", async () => {
  const odd = [
    use("a", "CallTool", { tool: "Refnd", input: { to: "Ada" } }),
    use("b", "CallTool", { tool: "a b 😀", input: {} }),
    use("c", "CallTool", {}),
  ];
  const model = scripted([odd, [{ type: "text", text: "No." }]]);
  const { result } = await runQuery({ ...toolSearch({ model, tools: TOOLS }), prompt: "go" });
  const said = JSON.stringify(result.messages);
  expect(said).toContain("No such tool available: Refnd. Did you mean Refund?");
  expect(said).toContain(
    "CallTool cannot take this input:\\n- `tool`: must be the name of a tool that ToolSearch found",
  );
  expect(said).not.toContain("No such tool available: CallTool");
  expect(said).not.toContain('"name":"a b');
});

test("a tool that the model must call is in the request of that turn", async () => {
  const requests: ModelRequest[] = [];
  const model = keeping([[use("a", "Refund", { to: "Ada" })], [{ type: "text", text: "Done." }]], requests);
  const { result } = await runQuery({
    ...toolSearch({ model, tools: TOOLS }),
    toolChoice: { tool: "Refund" },
    prompt: "go",
  });
  expect([result.reason, result.detail]).toEqual(["completed", ""]);
  expect(requests.map(({ tools }) => namesOf(tools))).toEqual([
    ["ToolSearch", "Refund", "CallTool"],
    ["ToolSearch", "CallTool"],
  ]);
});

test("a search that finds nothing says so, and wrong options are named", async () => {
  const turns = [[use("a", "ToolSearch", { query: "weather" })], [{ type: "text", text: "None." }]];
  const { result } = await runQuery({
    ...toolSearch({ model: scripted(turns), tools: TOOLS }),
    prompt: "go",
  });
  expect(JSON.stringify(result.messages)).toContain("No tool matches.");
  const model = scripted([]);
  expect(toolSearch({ model, tools: TOOLS, isDeferred: () => false })).toEqual({ model, tools: TOOLS });
  expect(() => toolSearch({ model } as never)).toThrow('toolSearch: "tools" is required');
  expect(() => toolSearch({ model, tools: TOOLS, maxFound: 0 })).toThrow("maxFound");
});
