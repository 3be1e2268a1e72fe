import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  agentCall,
  hangingTool,
  modelOf,
  optionsOf,
  remindersIn,
  resultsIn,
  temporaryFolders,
  text,
  tool,
  use,
  waitingTool,
} from "../../test/support/tree-script.ts";
import { until } from "../../test/support/until.ts";
import { type Agent, createAgent } from "../loop/agent.ts";
import type { Model } from "../model/event.ts";
import type { Message } from "../model/message.ts";
import { sessions } from "../session/sessions.ts";
import type { AgentToolOptions } from "./sub-agent.ts";

const folder = temporaryFolders();

interface Crash {
  readonly model: Model;
  /** What happens before the program ends. */
  readonly before?: (agent: Agent) => Promise<void>;
  /** The program ends once this sub-agent's journal contains this text. */
  readonly until: readonly [id: string, text: string];
  readonly tools?: Partial<AgentToolOptions>;
}

/** Sends a prompt, copies what is on disk while the agents are at work, and opens the copy as the next process would. */
async function crashed({ model, before, until: [id, recorded], tools = {} }: Crash) {
  const where = { home: await folder(), cwd: await folder() };
  const { tool: work, started, done } = waitingTool("Work");
  const session = await sessions(where).create("s1");
  const killed = createAgent({ ...optionsOf(model, { tools: [work] }, tools), session });
  void killed.send("go");
  await started.promise;
  await before?.(killed);
  const journal = join(session.agents?.folder ?? "", "agents", `${id}.jsonl`);
  await until(async () => (await readFile(journal, "utf8").catch(() => "")).includes(recorded));
  await session.sync();
  const home = await copyOf(where.home);
  done.open();
  await killed.close();
  const next = await sessions({ ...where, home }).resume("s1");
  const options = optionsOf(model, { tools: [tool("Work")] }, tools);
  return { session: next, agent: createAgent({ ...options, session: next }) };
}

/** Without the locks of this process. */
async function copyOf(home: string): Promise<string> {
  const copy = await folder();
  await cp(home, copy, { recursive: true, filter: (path) => !path.endsWith(".lock") });
  return copy;
}

test("after a crash, the report on a nested sub-agent names who started it, and that one reads it when it goes on", async () => {
  let outer: readonly Message[] = [];
  const model = modelOf({
    go: [
      [agentCall("c1", "outer")],
      [agentCall("c9", "Go on.", { resume: "agent-1" })],
      [text("Everything is done.")],
    ],
    outer: [
      [agentCall("c2", "inner")],
      ({ messages }) => {
        outer = messages;
        return [text("outer is done")];
      },
    ],
    inner: [[use("w1", "Work")], [text("inner is done")]],
  });
  const { agent } = await crashed({ model, until: ["agent-2", "call-launched"] });
  const { text: answer } = await agent.resume();
  expect(answer).toBe("Everything is done.");
  const reports = remindersIn(agent.messages).join("\n");
  expect(reports).toContain("while sub-agent agent-1 (general-purpose: task outer) was at work.");
  expect(reports).toContain(
    "while sub-agent agent-2 (general-purpose: task inner) was at work.\nIt was started by agent-1 (general-purpose: task outer).",
  );
  const own = remindersIn(outer).join("\n");
  expect(own).toContain("while sub-agent agent-2 (general-purpose: task inner) was at work.");
  expect(own).toContain("Outcome unknown, can have had effects: Work");
  await agent.close();
});

test("after a crash, a sub-agent counts as reported only once the report is saved", async () => {
  const model = modelOf({
    go: [[agentCall("c1", "outer")], [text("Done.")]],
    outer: [[use("w1", "Work")], [text("outer is done")]],
  });
  const { session, agent } = await crashed({ model, until: ["agent-1", "call-launched"] });
  const journal = join(session.agents?.folder ?? "", "agents", "agent-1.jsonl");
  const isMarked = async (): Promise<boolean> => (await readFile(journal, "utf8")).includes("agent-ended");
  /** A mark that was written too early reaches the disk within these reads. */
  const isMarkedSoon = async (): Promise<boolean> => {
    for (let look = 0; look < 100; look++) if (await isMarked()) return true;
    return false;
  };
  const sync = session.sync.bind(session);
  const marked: boolean[] = [];
  session.sync = async () => {
    const isReported = remindersIn(agent.messages).join("\n").includes("sub-agent agent-1");
    if (isReported && marked.length === 0) marked.push(await isMarkedSoon());
    await sync();
  };
  await agent.resume();
  await agent.close();
  expect(marked).toEqual([false]);
  expect(await isMarked()).toBe(true);
});

test("after a crash, tokens and cost of the session include those of its sub-agents", async () => {
  const model = modelOf(
    {
      go: [[agentCall("c1", "outer")], [text("Done.")]],
      outer: [[agentCall("c2", "inner")], [text("outer is done")]],
      inner: [[use("w1", "Work")], [use("w2", "Work")], [text("inner is done")]],
    },
    10,
  );
  const where = { home: await folder(), cwd: await folder() };
  const price = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };
  const first = createAgent({
    ...optionsOf(model, { price }),
    session: await sessions(where).create("s1"),
  });
  const result = await first.send("go");
  expect(result.usage.inputTokens).toBe(70);
  const home = await copyOf(where.home);
  await first.close();
  const session = await sessions({ ...where, home }).resume("s1");
  expect([session.usage.inputTokens, session.costUsd]).toEqual([70, result.costUsd]);
  await session.close();
});

test("a message that a sub-agent had not read is read when it goes on after a crash", async () => {
  const model = modelOf({
    go: [
      [agentCall("c1", "sub")],
      [agentCall("c9", "Go on.", { resume: "agent-1" })],
      [text("Everything is done.")],
    ],
    sub: [
      [use("w1", "Work")],
      ({ messages }) => [text(`Read: ${JSON.stringify(messages.slice(-3).map(({ content }) => content))}`)],
    ],
  });
  const { agent } = await crashed({
    model,
    before: (killed) => killed.sendTo("agent-1", "look at b.ts too"),
    until: ["agent-1", "look at b.ts too"],
  });
  await agent.resume();
  expect(remindersIn(agent.messages).join()).toContain(
    "Messages that it reads when it goes on: look at b.ts too",
  );
  expect(resultsIn(agent.messages).at(-1)).toContain('look at b.ts too","Go on.');
  await agent.close();
});

test("a sub-agent that waited for a slot when the program ended is reported, and goes on with its task", async () => {
  const model = modelOf({
    go: [
      [agentCall("c1", "one"), agentCall("c2", "two")],
      [agentCall("c9", "Go on.", { resume: "agent-2" })],
      [text("Everything is done.")],
    ],
    one: [[use("w1", "Work")], [text("one is done")]],
    two: [[text("two is done")]],
  });
  const { agent } = await crashed({ model, until: ["agent-2", '"inbox"'], tools: { maxAgents: 1 } });
  await agent.resume();
  expect(remindersIn(agent.messages).join()).toContain("Messages that it reads when it goes on: two");
  expect(resultsIn(agent.messages).at(-1)).toContain("two is done");
  await agent.close();
});

test("a sub-agent that is stopped says that it had not read a message, and reads it when it continues", async () => {
  const { tool: work, started } = hangingTool("Work");
  const model = modelOf({
    go: [
      [agentCall("c1", "sub")],
      [use("c2", "SendMessage", { to: "agent-1", message: "Go on." })],
      [text("Done.")],
    ],
    sub: [
      [use("w1", "Work")],
      ({ messages }) => [text(`Read: ${JSON.stringify(messages.slice(-2).map(({ content }) => content))}`)],
    ],
  });
  const agent = createAgent(optionsOf(model, { tools: [work] }));
  const answer = agent.send("go");
  await started.promise;
  await agent.sendTo("agent-1", "look at b.ts too");
  agent.stopAgent("agent-1");
  await answer;
  const [stopped, continued] = resultsIn(agent.messages);
  expect(stopped).toContain("It had not read a message, and reads it if it continues.");
  expect(continued).toContain('["look at b.ts too","Go on."]');
  await agent.close();
});
