import { type AnyTool, defineTool } from "@runahead/engine";
import { anthropic } from "@runahead/agent";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { modelServer, sse } from "../../../../agent/test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../../../agent/test/support/responses.ts";
import { runQuery } from "../../../../agent/test/support/run-query.ts";
import { deferringModel, noteToolSearch } from "@runahead/agent/internal";
import { ToolSearch, isMcpTool as isDeferred } from "./tool-search.ts";

const tool = (name: string): AnyTool =>
  defineTool({
    name,
    description: `Does ${name}.`,
    inputSchema: z.object({ to: z.string() }),
    call: ({ to }) => `done for ${to}`,
  });

function started(index: number, block: object): object[] {
  return [
    { type: "content_block_start", index, content_block: block },
    { type: "content_block_stop", index },
  ];
}

const SEARCHED = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "tool_search_tool_bm25",
  input: { query: "mail" },
};
const FOUND = {
  type: "tool_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: {
    type: "tool_search_tool_search_result",
    tool_references: [{ type: "tool_reference", tool_name: "mcp__mail__send" }],
  },
};

test("what the provider's search found goes back unchanged, and the cached part of the request stays the same", async () => {
  const call = { type: "tool_use", id: "toolu_1", name: "mcp__mail__send", input: {} };
  const server = await modelServer(
    {
      pieces: [
        sse([
          messageStart,
          ...started(0, SEARCHED),
          ...started(1, FOUND),
          { type: "content_block_start", index: 2, content_block: call },
          {
            type: "content_block_delta",
            index: 2,
            delta: { type: "input_json_delta", partial_json: '{"to":"ann"}' },
          },
          { type: "content_block_stop", index: 2 },
          ...messageEnd("tool_use"),
        ]),
      ],
    },
    { pieces: [sse([messageStart, ...textBlock(0, "Sent."), ...messageEnd("end_turn")])] },
  );
  onTestFinished(() => server.close());
  const name = "claude-sonnet-4-6";
  const model = noteToolSearch(anthropic({ model: name, apiKey: "key", baseURL: server.url }), name, "");
  const search = new ToolSearch("true", () => 200_000);
  const { result } = await runQuery({
    model: deferringModel(model, { isDeferred }),
    tools: [tool("Other")],
    moreTools: () => [...search.with([tool("mcp__mail__send")])],
    prompt: "go",
  });
  expect(result.text).toBe("Sent.");
  const [first, second] = server.requests.map(({ body }) => body);
  expect(first?.["tools"]).toMatchObject([
    { name: "mcp__mail__send", defer_loading: true },
    { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" },
    { name: "Other", cache_control: { type: "ephemeral" } },
  ]);
  expect(second?.["tools"]).toEqual(first?.["tools"]);
  const messages = second?.["messages"] as { content: object[] }[];
  expect(messages[1]?.content).toEqual([SEARCHED, FOUND, { ...call, input: { to: "ann" } }]);
  expect(JSON.stringify(messages[2])).toContain("done for ann");
});
