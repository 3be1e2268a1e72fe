import { type AgentEvent, createAgent, scripted } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { codeTool } from "../src/index.ts";

test("when a turn is stopped, a call of its script that ignores its signal settles before the call of the script", async () => {
  const stuck = defineTool({
    name: "Stuck",
    description: "Ignores its signal.",
    inputSchema: z.object({}),
    isReadOnly: () => true,
    call: () => new Promise(() => {}),
  });
  const script = "await Promise.all([tools.Stuck({}), tools.Stuck({})]);";
  const model = scripted([[{ type: "tool_use", id: "one", name: "Code", input: { script } }]]);
  const events: AgentEvent[] = [];
  const agent = createAgent({
    model,
    tools: [codeTool([stuck])],
    onEvent: (event) => void events.push(event),
  });
  const running = agent.send("go");
  const of = (type: AgentEvent["type"]): string[] =>
    events.flatMap((event) => (event.type === type && "callId" in event ? [event.callId] : []));
  await expect.poll(() => of("call-started")).toEqual(["one", "one.1", "one.2"]);
  void agent.interrupt();
  expect((await running).reason).toBe("aborted_tools");
  expect(of("call-settled")).toEqual(["one.1", "one.2", "one"]);
  await agent.close();
});
