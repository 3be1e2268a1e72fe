import { expect, test } from "vitest";
import {
  agentCall,
  modelOf,
  optionsOf,
  remindersIn,
  resultsIn,
  text,
  use,
  waitingTool,
} from "../../test/support/tree-script.ts";
import { until } from "../../test/support/until.ts";
import { createAgent } from "../loop/agent.ts";
import type { AgentEvent } from "../loop/event.ts";
import { initialView, reduce } from "../view/reduce.ts";

/** An agent whose sub-agent runs a call that waits, and what the agent reported. */
function waiting(own: object = {}) {
  const { tool: work, started, done } = waitingTool("Work");
  const model = modelOf({
    go: [[agentCall("c1", "sub")], [text("I go on.")], [text("I have read it.")]],
    sub: [[use("w1", "Work")], [text("the answer")]],
  });
  const events: AgentEvent[] = [];
  const onEvent = (event: AgentEvent): void => void events.push(event);
  const agent = createAgent({ ...optionsOf(model, { tools: [work] }), onEvent, ...own });
  return { agent, started, done, events };
}

test("a sub-agent that is moved to the background goes on, its call returns its id, and its end wakes the model", async () => {
  const { agent, started, done, events } = waiting();
  const answer = agent.send("go");
  await started.promise;
  expect(agent.moveToBackground().map(({ id, isBackground }) => ({ id, isBackground }))).toEqual([
    { id: "agent-1", isBackground: true },
  ]);
  expect((await answer).text).toBe("I go on.");
  expect(resultsIn(agent.messages)).toEqual([
    "The user moved agent-1 to the background, where it goes on. You are notified when it ends. TaskOutput returns its state, SendMessage sends it a message, TaskStop stops it.",
  ]);
  expect(agent.background.map(({ id }) => id)).toEqual(["agent-1"]);
  expect(agent.moveToBackground()).toEqual([]);
  done.open();
  await until(() => JSON.stringify(agent.messages).includes("I have read it."));
  expect(remindersIn(agent.messages).join()).toContain("the answer");
  expect(agent.background).toEqual([]);
  expect(events.filter(({ type }) => type === "task-ended")).toMatchObject([
    { id: "agent-1", state: "finished" },
  ]);
  await agent.close();
});

test("H08: an interrupt of the main agent does not stop a sub-agent that was moved to the background", async () => {
  const { agent, started, done } = waiting();
  const answer = agent.send("go");
  await started.promise;
  agent.moveToBackground("agent-1");
  await agent.interrupt();
  await answer;
  expect(agent.agents.map(({ state }) => state)).toEqual(["running"]);
  done.open();
  await until(() => agent.agents[0]?.state === "finished");
  await agent.close();
});

test("a view of the events follows a sub-agent that was moved to the background until its end", async () => {
  const { agent, started, done, events } = waiting();
  const answer = agent.send("go");
  await started.promise;
  agent.moveToBackground();
  await answer;
  done.open();
  // The last events of a sub-agent can come after the event that it has ended.
  await until(() => events.some((event) => event.type === "agent-event" && event.event.type === "ended"));
  const view = initialView();
  const ends = events.flatMap((event) =>
    (reduce(view, event)?.calls ?? []).flatMap(({ what, call }) =>
      what === "ended" ? [`${call.toolName} ${call.end?.how}`] : [],
    ),
  );
  expect(ends.toSorted()).toEqual(["Agent succeeded", "Work succeeded"]);
  await agent.close();
});

test("sub-agents of sub-agents stay with the one that started them, and unknown ids move nothing", async () => {
  const { tool: work, started, done } = waitingTool("Work");
  const model = modelOf({
    go: [[agentCall("c1", "outer")], [text("On I go.")]],
    outer: [[agentCall("c2", "inner")], [text("outer is done")]],
    inner: [[use("w1", "Work")], [text("inner is done")]],
  });
  const agent = createAgent(optionsOf(model, { tools: [work] }));
  const answer = agent.send("go");
  await started.promise;
  expect(agent.moveToBackground("agent-7")).toEqual([]);
  expect(agent.moveToBackground("agent-2")).toEqual([]);
  expect(agent.moveToBackground().map(({ id }) => id)).toEqual(["agent-1"]);
  await answer;
  done.open();
  await until(() => agent.agents.every(({ state }) => state === "finished"));
  expect(agent.agents.map(({ id, isBackground }) => [id, isBackground])).toEqual([
    ["agent-1", true],
    ["agent-2", false],
  ]);
  await agent.close();
});
