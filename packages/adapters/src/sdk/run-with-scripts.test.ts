import Anthropic from "@anthropic-ai/sdk";
import { defineTool, toAnthropicTools } from "@runahead/engine";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { modelServer, sse } from "../../../agent/test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import { runWith } from "./run-with.ts";

const roll = defineTool({
  name: "Roll",
  description: "Rolls a die.",
  inputSchema: z.object({ player: z.string() }),
  isReadOnly: () => true,
  call: ({ player }) => `${player}: 2`,
});

const use = (id: string, player: string) => ({
  ...{ type: "tool_use", id, name: "Roll", input: { player } },
  caller: { type: "code_execution_20260120", tool_id: "srvtoolu_1" },
});

test("calls of a script that the provider runs, in the start of a message, are in the history with their container", async () => {
  const container = { id: "container_1", expires_at: "2999-01-01T00:00:00Z" };
  const start = {
    type: "message_start",
    message: {
      ...{ id: "msg_2", type: "message", model: "claude-test", role: "assistant", container },
      content: [use("toolu_1", "one"), use("toolu_2", "two")],
      stop_reason: "tool_use",
      usage: { input_tokens: 0, output_tokens: 0 },
    },
  };
  const server = await modelServer(
    { pieces: [sse([start, { type: "message_stop" }])] },
    { pieces: [sse([messageStart, ...textBlock(0, "Done."), ...messageEnd("end_turn")])] },
  );
  onTestFinished(() => server.close());
  const [definition] = toAnthropicTools([roll]);
  if (definition === undefined) throw new Error("no definition");
  const result = await runWith(
    new Anthropic({ baseURL: server.url, apiKey: "none", maxRetries: 0 }),
    {
      ...{ model: "claude-test", max_tokens: 9, messages: [{ role: "user" as const, content: "go" }] },
      tools: [
        { type: "code_execution_20260120", name: "code_execution" },
        { ...definition, allowed_callers: ["code_execution_20260120" as const] },
      ],
    },
    [roll],
  ).result();
  expect([result.reason, result.stop, result.turns]).toEqual(["completed", "end_turn", 2]);
  expect(result.messages.slice(1, 3)).toMatchObject([
    { role: "assistant", content: [use("toolu_1", "one"), use("toolu_2", "two")] },
    { role: "user", content: [{ content: "one: 2" }, { content: "two: 2" }] },
  ]);
  expect(server.requests.map(({ body }) => body["container"])).toEqual([undefined, "container_1"]);
  expect(server.requests[1]?.body["tools"]).toMatchObject([
    { name: "code_execution" },
    { name: "Roll", allowed_callers: ["code_execution_20260120"] },
  ]);
});
