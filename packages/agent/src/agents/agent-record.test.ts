import { expect, test } from "vitest";
import { type AnyTool, defineTool } from "@runahead/engine";
import { z } from "zod";
import { scriptEvents, settled } from "../../test/support/timeline.ts";
import { AgentRecord } from "./agent-record.ts";

function summaryWith(tools: readonly AnyTool[]): string {
  const facts = {
    id: "agent-1",
    type: "x",
    description: "look",
    parent: undefined,
    callId: "a",
    isBackground: false,
  };
  const record = new AgentRecord(facts);
  for (const event of [...scriptEvents(2), settled("a", "Code")]) record.hear(event, tools, "/repo");
  return record.summary("/repo").replace(/^\d+ s, /, "");
}

test("the summary of a sub-agent names its script once, and what the calls of the script can have changed", () => {
  const code = { name: "Code", delegates: true } as AnyTool;
  // A tool that only the script has can do anything.
  expect(summaryWith([code])).toBe(
    "1 call: Code Run a script; can have changed files with: Price 1, Price 2",
  );
  const price = defineTool({
    name: "Price",
    description: "Price",
    inputSchema: z.object({}).loose(),
    isReadOnly: () => true,
    call: () => "",
  });
  expect(summaryWith([code, price])).toBe("1 call: Code Run a script; changed nothing");
});
