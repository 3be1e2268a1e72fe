import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentEvent,
  type Block,
  type LoopOptions,
  agentTools,
  createAgent,
  scripted,
} from "@runahead/agent";
import { type ShellTools, shellTools } from "@runahead/tools";
import { afterEach, beforeEach, expect, test } from "vitest";

let world = "";
let shell: ShellTools;

beforeEach(() => {
  world = realpathSync(mkdtempSync(join(tmpdir(), "runahead-background-")));
  shell = shellTools({ root: world, home: world, outputFolder: join(world, "out"), env: process.env });
});
afterEach(async () => {
  await shell.close();
  rmSync(world, { recursive: true, force: true });
});

const text = (said: string): Block => ({ type: "text", text: said });
const use = (id: string, name: string, input: object): Block => ({ type: "tool_use", id, name, input });
const start = (command: string): Block => use("a", "Bash", { command, run_in_background: true });

function optionsFor(turns: Parameters<typeof scripted>[0]): LoopOptions {
  const reminders = {
    next: async () => (await shell.takeEndedJobs()).map(({ id, lastLines }) => `${id} ended: ${lastLines}`),
  };
  const options: LoopOptions = {
    model: scripted(turns),
    tools: shell.tools,
    cwd: world,
    background: shell.background,
    reminders,
  };
  return { ...options, tools: [...shell.tools, ...agentTools({ options })] };
}

test("TaskOutput waits for a background command, and TaskStop ends one", async () => {
  const agent = createAgent(
    optionsFor([
      [start("sleep 0.1; echo ready")],
      [use("b", "TaskOutput", { task_id: "bash_1" })],
      [start("sleep 60")],
      [use("c", "TaskStop", { task_id: "bash_2" })],
      [text("Done.")],
    ]),
  );
  const { messages } = await agent.send("go");
  expect(JSON.stringify(messages[4])).toContain("bash_1 ended: exit code 0\\nready");
  expect(JSON.stringify(messages[8])).toContain("Stopped bash_2: sleep 60");
  expect(agent.background).toEqual([]);
  await agent.close();
});

test("BashOutput and KillShell work for sub-agents too", async () => {
  const go = { description: "work", prompt: "work", run_in_background: true };
  const main = scripted([
    [use("a", "Agent", go)],
    [use("b", "BashOutput", { bash_id: "agent-1" })],
    [use("c", "KillShell", { shell_id: "agent-1" })],
    [text("Done.")],
  ]);
  const options = optionsFor([[use("1", "Bash", { command: "sleep 60" })]]);
  const sub: LoopOptions = { ...options, tools: shell.tools };
  const tools = [...shell.tools, ...agentTools({ options: sub })];
  const agent = createAgent({ ...options, model: main, tools });
  const { messages } = await agent.send("go");
  expect(JSON.stringify(messages[4])).toMatch(/agent-1 \(general-purpose: work\) is (?:waiting|running)/);
  expect(JSON.stringify(messages[6])).toContain("Stopped agent-1 after");
  expect(agent.background).toEqual([]);
  await agent.close();
});

test("a background command that ends wakes an idle agent", async () => {
  const events: AgentEvent[] = [];
  const woken = withResolvers();
  const agent = createAgent({
    ...optionsFor([[start("sleep 0.3; echo built")], [text("Started.")], [text("It is built.")]]),
    onEvent: (event) => {
      events.push(event);
      if (event.type === "ended" && event.result.text === "It is built.") woken.resolve();
    },
  });
  const { text: first } = await agent.send("go");
  expect([first, agent.background.map(({ id }) => id)]).toEqual(["Started.", ["bash_1"]]);
  await woken.promise;
  const ended = events.find(({ type }) => type === "task-ended");
  expect(ended).toMatchObject({ id: "bash_1", kind: "command", description: "sleep 0.3; echo built" });
  expect(JSON.stringify(agent.messages.at(-2))).toContain("bash_1 ended: built");
  await agent.close();
});

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
