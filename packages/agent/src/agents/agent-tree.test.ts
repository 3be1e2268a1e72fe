import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { AnyTool } from "@runahead/engine";
import { expect, test } from "vitest";
import {
  type Turn,
  agentCall,
  firstPrompt,
  gate,
  hangingTool,
  modelOf,
  optionsOf,
  remindersIn,
  resultsIn,
  temporaryFolders,
  text,
  tool,
  use,
} from "../../test/support/tree-script.ts";
import { until } from "../../test/support/until.ts";
import { runQuery } from "../../test/support/run-query.ts";
import { createAgent } from "../loop/agent.ts";
import type { AgentEvent } from "../loop/event.ts";
import type { Model } from "../model/event.ts";
import { sessions } from "../session/sessions.ts";
import type { AgentInfo } from "./agent-info.ts";

const SPARE = "\n\n[agent-1: to continue it with its context, use SendMessage.]";

const folder = temporaryFolders();

test("nested sub-agents do not block each other when every slot is taken", async () => {
  const model = modelOf({
    go: [[agentCall("a", "outer 1"), agentCall("b", "outer 2")], [text("Done.")]],
    "outer 1": [[agentCall("c", "inner 1")], [text("Outer 1.")]],
    "outer 2": [[agentCall("d", "inner 2")], [text("Outer 2.")]],
    "inner 1": [[use("1", "Work")], [text("Inner 1.")]],
    "inner 2": [[use("2", "Work")], [text("Inner 2.")]],
  });
  const { result } = await runQuery({ ...optionsOf(model, {}, { maxAgents: 1 }), prompt: "go" });
  expect(resultsIn(result.messages).map((one) => one.split("\n")[0])).toEqual(["Outer 1.", "Outer 2."]);
});

test("ten agents leave slots for their own calls", async () => {
  const names = Array.from({ length: 10 }, (_, at) => `w${at}`);
  const work = names.map((name): [string, Turn[]] => [name, [[use(name, "Work")], [text(`Did ${name}.`)]]]);
  const model = modelOf({
    go: [names.map((name) => agentCall(name, name)), [text("Done.")]],
    ...Object.fromEntries(work),
  });
  const { result, events } = await runQuery({ ...optionsOf(model, { limit: 1 }), prompt: "go" });
  const ids = events.flatMap((event) => (event.type === "agent-event" ? [event.agentId] : []));
  expect(new Set(ids).size).toBe(10);
  expect(resultsIn(result.messages).map((one) => one.split("\n")[0])).toEqual(
    names.map((name) => `Did ${name}.`),
  );
});

test("a call of the same response that comes after sub-agents waits for them", async () => {
  const order: string[] = [];
  const model = modelOf({
    go: [[agentCall("a", "sub"), use("b", "After")], [text("Done.")]],
    sub: [[use("1", "Work")], [text("Sub.")]],
  });
  const tools = [
    tool("Work", { call: () => void order.push("Work") }),
    tool("After", { call: () => void order.push("After"), access: () => [] }),
  ];
  await runQuery({ ...optionsOf(model, { tools }), prompt: "go" });
  expect(order).toEqual(["Work", "After"]);
});

test("conflicting calls of two sub-agents run one after the other, others together", async () => {
  let now = 0;
  let highest = 0;
  const call = async (): Promise<void> => {
    highest = Math.max(highest, ++now);
    await new Promise((resolve) => setTimeout(resolve, 5));
    now--;
  };
  const most = async (place: (name: unknown) => string): Promise<number> => {
    highest = 0;
    const model = modelOf({
      go: [[agentCall("a", "one"), agentCall("b", "two")], [text("Done.")]],
      one: [[use("1", "Work", { name: "one" })], [text("One.")]],
      two: [[use("1", "Work", { name: "two" })], [text("Two.")]],
    });
    const access: AnyTool["access"] = (input) => [
      { mode: "write", place: place((input as { name: string }).name) },
    ];
    await runQuery({ ...optionsOf(model, { tools: [tool("Work", { call, access })] }), prompt: "go" });
    return highest;
  };
  expect([await most(() => "fs:/same"), await most((name) => `fs:/${String(name)}`)]).toEqual([1, 2]);
});

test("the context of a sub-agent's calls names it, also after a call changed the folder", async () => {
  const seen: unknown[] = [];
  const look = tool("Look", {
    call: (_input, context) => {
      seen.push(context.context.agent);
      context.change(({ cwd }) => ({ cwd: `${cwd}/sub` }));
      return "ok";
    },
  });
  const model = modelOf({
    go: [[use("0", "Look"), agentCall("a", "sub", { subagent_type: "general-purpose" })], [text("Done.")]],
    sub: [[use("1", "Look")], [use("2", "Look")], [text("Sub.")]],
  });
  await runQuery({ ...optionsOf(model, { tools: [look], cwd: "/tmp" }), prompt: "go" });
  const agent = { id: "agent-1", type: "general-purpose" };
  expect(seen).toEqual([undefined, agent, agent]);
});

test("usage, calls and budgets count all agents", async () => {
  const script = {
    go: [[agentCall("a", "sub")], [text("Done.")]],
    sub: [[use("1", "Work")], [use("2", "Work")], [text("Sub.")]],
  };
  const all = await runQuery({ ...optionsOf(modelOf(script, 100)), prompt: "go" });
  expect(all.result.usage.inputTokens).toBe(500);
  const limited = await runQuery({
    ...optionsOf(modelOf(script, 100), { budget: { tokens: 250 } }),
    prompt: "go",
  });
  expect(limited.result.reason).toBe("budget");
  expect(resultsIn(limited.result.messages)[0]).toContain("budget reached: 300 tokens");
});

test("a stopped agent's result says what it did, and the others go on", async () => {
  const { tool: hang, started } = hangingTool("Hang", {
    describe: () => "Hang docs/api.md",
    isReadOnly: () => true,
  });
  const model = modelOf({
    go: [[agentCall("a", "one"), agentCall("b", "two")], [text("Done.")]],
    one: [[use("1", "Hang")], [text("One.")]],
    two: [[use("1", "Work")], [text("Two.")]],
  });
  const agent = createAgent(optionsOf(model, { tools: [hang, tool("Work")] }));
  const answer = agent.send("go");
  await started.promise;
  const hanging = (): AgentInfo | undefined =>
    agent.agents.find(({ action }) => action === "Hang docs/api.md");
  await until(() => hanging() !== undefined);
  expect(agent.stopAgent(hanging()?.id ?? "")).toBe(true);
  const results = resultsIn((await answer).messages);
  expect(results[0]).toMatch(
    /^\[agent-\d was stopped: the user stopped it\.\] Stopped after \d+ s, 1 call: Hang docs\/api\.md; changed nothing\.\nIt had written nothing yet\.$/,
  );
  expect(results[1]).toContain("Two.");
  expect(agent.agents.map(({ state }) => state).toSorted()).toEqual(["finished", "stopped"]);
  await agent.close();
});

test("an interrupt of the whole turn also returns what the sub-agent did", async () => {
  const write = tool("Write", {
    describe: () => "Write a.ts",
    access: () => [{ mode: "write", place: "fs:/repo/a.ts" }],
  });
  const { tool: hang, started } = hangingTool("Hang");
  const model = modelOf({
    go: [[agentCall("a", "sub")], [text("Done.")]],
    sub: [[use("1", "Write")], [use("2", "Hang")], [text("Sub.")]],
  });
  const agent = createAgent(optionsOf(model, { tools: [write, hang], cwd: "/repo" }));
  const answer = agent.send("go");
  await started.promise;
  await agent.interrupt();
  const [result] = resultsIn((await answer).messages);
  expect(result).toMatch(/2 calls: Write a\.ts, Hang .*; changed a\.ts; can have changed files with: Hang/);
  await agent.close();
});

test("a background agent returns its id at once, and its end wakes an idle agent", async () => {
  const end = gate();
  const model = modelOf({
    go: [
      [agentCall("a", "slow", { run_in_background: true })],
      [text("Started.")],
      ({ messages }) => [text(`Heard: ${remindersIn(messages).join("")}`)],
    ],
    slow: [
      async () => {
        await end.promise;
        return [text("Slow result.")];
      },
    ],
  });
  const events: AgentEvent[] = [];
  const ended = gate();
  const agent = createAgent({
    ...optionsOf(model),
    onEvent: (event) => {
      events.push(event);
      if (event.type === "ended" && events.some(({ type }) => type === "task-ended")) ended.open();
    },
  });
  const { text: first, messages } = await agent.send("go");
  expect(first).toBe("Started.");
  expect(resultsIn(messages)[0]).toContain("Started agent-1 in the background.");
  expect(agent.background.map(({ id, kind }) => [id, kind])).toEqual([["agent-1", "agent"]]);
  end.open();
  await ended.promise;
  expect(events.find(({ type }) => type === "task-ended")).toEqual({
    type: "task-ended",
    id: "agent-1",
    kind: "agent",
    description: "task slow",
    state: "finished",
  });
  const last = agent.messages.at(-1);
  expect(JSON.stringify(last)).toContain("Heard: ");
  expect(JSON.stringify(last)).toContain(
    "Background sub-agent agent-1 (general-purpose: task slow) ended (finished). Its result:\\nSlow result.",
  );
  expect(agent.background).toEqual([]);
  await agent.close();
});

test("a query waits for its background agents", async () => {
  const model = modelOf({
    go: [
      [agentCall("a", "slow", { run_in_background: true })],
      [text("Started.")],
      ({ messages }) => [text(remindersIn(messages).length === 1 ? "Heard." : "Not heard.")],
    ],
    slow: [
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return [text("Slow result.")];
      },
    ],
  });
  const { result, events } = await runQuery({ ...optionsOf(model), prompt: "go" });
  expect(result.text).toBe("Heard.");
  expect(events.some(({ type }) => type === "task-ended")).toBe(true);
});

test("TaskOutput waits for a background agent, and its result is not repeated", async () => {
  const model = modelOf({
    go: [
      [agentCall("a", "slow", { run_in_background: true })],
      [use("b", "TaskOutput", { task_id: "agent-1" })],
      [text("Done.")],
    ],
    slow: [
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return [text("Slow result.")];
      },
    ],
  });
  const { result } = await runQuery({ ...optionsOf(model), prompt: "go" });
  expect(resultsIn(result.messages)[1]).toBe(
    `agent-1 (general-purpose: task slow) ended (finished).\nSlow result.${SPARE}`,
  );
  expect([result.text, remindersIn(result.messages)]).toEqual(["Done.", []]);
});

test("TaskStop stops a background agent, and close stops all that is left", async () => {
  const hang: Turn = () => new Promise(() => {});
  const model: Model = {
    ...modelOf({}),
    async *stream(request, signal) {
      const first = firstPrompt(request.messages);
      if (first === "hang")
        await new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(new Error("aborted"))),
        );
      yield* modelOf({
        hang: [hang],
        go: [
          [
            agentCall("a", "hang", { run_in_background: true }),
            agentCall("b", "hang", { run_in_background: true }),
          ],
          [use("c", "TaskStop", { task_id: "agent-1" })],
          [text("Done.")],
        ],
      }).stream(request, signal);
    },
  };
  const agent = createAgent(optionsOf(model));
  const { messages } = await agent.send("go");
  expect(resultsIn(messages)[2]).toMatch(/^Stopped agent-1 after \d+ s, no calls; changed nothing\.$/);
  expect(agent.background.map(({ id }) => id)).toEqual(["agent-2"]);
  await agent.close();
  expect(agent.agents.map(({ state }) => state)).toEqual(["stopped", "stopped"]);
});

test("a message reaches a sub-agent at work after its turn, from the user too", async () => {
  const started = gate();
  const sent = gate();
  const wait = tool("Wait", {
    call: async () => {
      started.open();
      await sent.promise;
      return "waited";
    },
  });
  const model = modelOf({
    go: [[agentCall("a", "sub")], [text("Done.")]],
    sub: [[use("1", "Wait")], ({ messages }) => [text(`Last: ${JSON.stringify(messages.at(-1)?.content)}`)]],
  });
  const agent = createAgent(optionsOf(model, { tools: [wait] }));
  const answer = agent.send("go");
  await started.promise;
  await agent.sendTo("agent-1", "look at b.ts too");
  sent.open();
  expect(resultsIn((await answer).messages)[0]).toBe(`Last: "look at b.ts too"${SPARE}`);
  await expect(agent.sendTo("agent-9", "hello")).rejects.toThrow(
    "There is no sub-agent agent-9. Known: agent-1.",
  );
  await agent.close();
});

for (const isSaved of [false, true])
  test(`a finished sub-agent continues with its context ${isSaved ? "from its journal" : "in memory"}`, async () => {
    const store = sessions({ home: await folder(), cwd: await folder() });
    const model = modelOf({
      go: [
        [agentCall("a", "sub")],
        [use("b", "SendMessage", { to: "agent-1", message: "and then?" })],
        [use("c", "Agent", { description: "more", prompt: "and more?", resume: "agent-1" })],
        [text("Done.")],
      ],
      sub: [
        [use("1", "Work")],
        [text("First.")],
        ({ messages }) => [text(`Second after ${messages.length}.`)],
        ({ messages }) => [text(`Third after ${messages.length}.`)],
      ],
    });
    const session = isSaved ? { session: await store.create() } : {};
    const agent = createAgent({ ...optionsOf(model), ...session });
    const { messages } = await agent.send("go");
    expect(resultsIn(messages)).toEqual([
      `First.${SPARE}`,
      `Second after 5.${SPARE}`,
      `Third after 7.${SPARE}`,
    ]);
    await agent.close();
  });

test("sub-agents have journals, ids are not repeated, and one can continue in a later process", async () => {
  const where = { home: await folder(), cwd: await folder() };
  const model = modelOf({
    go: [[agentCall("a", "sub")], [text("Done.")], [agentCall("b", "sub")], [text("Again.")]],
    sub: [[use("1", "Work")], [text("First.")]],
  });
  const first = createAgent({ ...optionsOf(model), session: await sessions(where).create("s1") });
  await first.send("go");
  await first.close();
  const session = await sessions(where).resume("s1");
  const journal = await readFile(join(session.agents?.folder ?? "", "agents", "agent-1.jsonl"), "utf8");
  expect(JSON.parse(journal.split("\n")[0] ?? "")).toMatchObject({
    id: "agent-1",
    agent: { type: "general-purpose", description: "task sub", callId: "a", isBackground: false },
  });
  expect(journal).toContain('{"type":"agent-ended","state":"finished"');
  const second = createAgent({ ...optionsOf(model), session });
  await second.send("go on");
  expect(second.agents.map(({ id }: AgentInfo) => id)).toEqual(["agent-2"]);
  expect(remindersIn(second.messages)).toEqual([]);
  await second.close();
  expect(await readdir(join(session.agents?.folder ?? "", "agents"))).toEqual([
    "agent-1.jsonl",
    "agent-2.jsonl",
  ]);
});

test("explore and plan only read", async () => {
  const ran: string[] = [];
  const shell = tool("Shell", {
    isReadOnly: (input) => (input as { command: string }).command === "ls",
    call: (input) => void ran.push((input as { command: string }).command),
  });
  const offered: string[][] = [];
  const model = modelOf({
    go: [[agentCall("a", "look", { subagent_type: "explore" })], [text("Done.")]],
    look: [
      ({ tools }) => {
        offered.push(tools.map(({ name }) => name));
        return [use("1", "Shell", { command: "ls" }), use("2", "Shell", { command: "rm" })];
      },
      ({ messages }) => [text(resultsIn(messages).join(" | "))],
    ],
  });
  const { result } = await runQuery({ ...optionsOf(model, { tools: [shell, tool("Write")] }), prompt: "go" });
  expect(offered).toEqual([["Shell"]]);
  expect(ran).toEqual(["ls"]);
  expect(resultsIn(result.messages)[0]).toContain("The sub-agent explore only reads.");
});

test("explore uses the fast model", async () => {
  const model = modelOf({ go: [[agentCall("a", "look", { subagent_type: "explore" })], [text("Done.")]] });
  const fastModel = { ...modelOf({ look: [[text("Fast.")]] }), name: "fast" };
  const { result } = await runQuery({ ...optionsOf(model, {}, { fastModel }), prompt: "go" });
  expect(resultsIn(result.messages)).toEqual([`Fast.${SPARE}`]);
});

test("one model for all sub-agents comes before those of calls and definitions", async () => {
  const model = modelOf({
    go: [
      [agentCall("a", "look", { subagent_type: "explore" }), agentCall("b", "look", { model: "other" })],
      [text("Done.")],
    ],
  });
  const other = { ...modelOf({ look: [[text("Other.")]] }), name: "other" };
  const onlyModel = { ...modelOf({ look: [[text("Only.")]] }), name: "only" };
  const more = { fastModel: other, models: { other }, onlyModel };
  const { result } = await runQuery({ ...optionsOf(model, {}, more), prompt: "go" });
  expect(resultsIn(result.messages).map((one) => one.slice(0, 5))).toEqual(["Only.", "Only."]);
});

test("at most one question is open, also with background agents", async () => {
  let open = 0;
  let highest = 0;
  const model = modelOf({
    go: [
      [agentCall("a", "back", { run_in_background: true })],
      [use("1", "Work"), use("2", "Work")],
      [text("Done.")],
    ],
    back: [[use("1", "Work"), use("2", "Work")], [text("Back.")]],
  });
  const asked: (string | undefined)[] = [];
  await runQuery({
    ...optionsOf(model, {
      tools: [tool("Work", { access: () => [] })],
      canUseTool: ({ name }) => ({ behavior: name === "Work" ? "ask" : "allow" }),
      ask: async ({ from }) => {
        asked.push(from);
        highest = Math.max(highest, ++open);
        await new Promise((resolve) => setTimeout(resolve, 5));
        open--;
        return { behavior: "allow" };
      },
    }),
    prompt: "go",
  });
  expect(highest).toBe(1);
  expect(asked.map(String).toSorted()).toEqual([
    "general-purpose (agent-1)",
    "general-purpose (agent-1)",
    "undefined",
    "undefined",
  ]);
});
