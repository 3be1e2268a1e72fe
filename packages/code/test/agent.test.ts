import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentEvent,
  agentTool,
  createAgent,
  createPermissionGate,
  scripted,
  sessions,
} from "@runahead/agent";
import type { AnyTool } from "@runahead/engine";
import { expect, onTestFinished, test } from "vitest";
import { codeTool } from "../src/index.ts";
import { world } from "./support.ts";

const code = (script: string) => [{ type: "tool_use", id: "call-1", name: "Code", input: { script } }];
const done = [{ type: "text", text: "Done." }];

async function home(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "runahead-code-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

test("in an agent, the rules, the hooks and the limits of the agent hold for the calls of a script", async () => {
  const shop = world();
  const hooked: string[] = [];
  const script = `
    const results = await Promise.allSettled([
      ...Array.from({ length: 6 }, (_, at) => tools.Price({ sku: "p" + at })),
      tools.SetPrice({ sku: "a" }),
    ]);
    return results.map(({ status }) => status);
  `;
  const agent = createAgent({
    model: scripted([code(script), done]),
    tools: [codeTool(shop.tools)],
    permissions: createPermissionGate({
      settings: {
        mode: "default",
        sources: [{ name: "mine", root: "/", allow: ["Code", "Price"], deny: ["SetPrice"] }],
      },
    }),
    hooks: { preToolUse: ({ tool }) => void hooked.push(tool.name) },
    limits: { "tool:/Price": { concurrent: 2 } },
  });
  const { messages } = await agent.send("go");
  expect(JSON.stringify(messages)).toContain(
    JSON.stringify(JSON.stringify([...Array.from({ length: 6 }, () => "fulfilled"), "rejected"])).slice(
      1,
      -1,
    ),
  );
  expect(hooked.filter((name) => name === "Price").length).toBe(6);
  expect(shop.most).toBeLessThanOrEqual(2);
  expect(shop.log.some((line) => line.startsWith("write"))).toBe(false);
  await agent.close();
});

test("after a crash the model reads which calls of the script had finished", async () => {
  const shop = world();
  const folder = await home();
  const session = await sessions({ home: folder, cwd: folder }).create();
  const script = `await tools.SetPrice({ sku: "a" }); await tools.Wait({});`;
  const heard: AgentEvent[] = [];
  const agent = createAgent({
    model: scripted([code(script)]),
    tools: [codeTool(shop.tools)],
    session,
    onEvent: (event) => heard.push(event),
  });
  const running = agent.send("go").catch(() => undefined);
  await expect.poll(() => shop.log).toEqual(["write a", "waits"]);
  await session.sync();
  // What a killed program leaves: the files as they are now, without its lock.
  const left = await home();
  await cp(folder, left, { recursive: true, filter: (path) => !path.endsWith(".lock") });
  void agent.interrupt();
  await running;
  await agent.close();
  const resumed = await sessions({ home: left, cwd: folder }).resume(session.id);
  const text = JSON.stringify(resumed.messages.at(-1));
  expect(text).toContain("Calls that it had made:");
  expect(text).toContain("1. SetPrice: finished");
  expect(text).toContain("2. Wait: was running, its outcome is unknown");
  await resumed.close();
});

test("what a script writes counts for the cache of the agent, and a script reads from it whole", async () => {
  const { tools, log } = world();
  const [price, setPrice] = tools;
  const cached = { ...price, cache: true } as AnyTool;
  const use = (id: string, name: string, input: object) => [{ type: "tool_use", id, name, input }];
  const look = (id: string) => use(id, "Price", { sku: "a" });
  const script = (id: string, text: string) => use(id, "Code", { script: text });
  const agent = createAgent({
    model: scripted([
      look("1"),
      script("2", `return await tools.Price({ sku: "a" });`),
      script("3", `await tools.SetPrice({ sku: "a" });`),
      look("4"),
      look("5"),
      done,
    ]),
    tools: [cached, codeTool([cached, setPrice as AnyTool])],
  });
  const { messages } = await agent.send("go");
  expect(log).toEqual(["read a", "write a", "read a"]);
  expect(JSON.stringify(messages)).toContain(String.raw`{\"sku\":\"a\",\"price\":1}\n\n[1 call made.]`);
  await agent.close();
});

test("a call whose question was deferred in a script is made directly, and waits in the session for its answer", async () => {
  const shop = world();
  const folder = await home();
  const session = await sessions({ home: folder, cwd: folder }).create();
  const direct = [{ type: "tool_use", id: "call-2", name: "SetPrice", input: { sku: "a" } }];
  const agent = createAgent({
    model: scripted([code(`await tools.SetPrice({ sku: "a" });`), direct, done]),
    tools: [...shop.tools, codeTool(shop.tools)],
    session,
    canUseTool: ({ name }) => ({ behavior: name === "SetPrice" ? "ask" : "allow" }),
    ask: () => ({ behavior: "defer" }),
  });
  const parked = await agent.send("go");
  expect(parked.reason).toBe("deferred");
  expect(JSON.stringify(parked.messages)).toContain("Call SetPrice directly instead of in a script");
  expect([session.questions.length, shop.log]).toEqual([1, []]);
  await session.answer(session.questions[0]?.id ?? "", { behavior: "allow" });
  expect([(await agent.resume()).reason, shop.log]).toEqual(["completed", ["write a"]]);
  await agent.close();
});

test("a question of a script says who asks: the script, and the sub-agent that runs it", async () => {
  const { tools } = world();
  const from: unknown[] = [];
  const script = `return await tools.SetPrice({ sku: "a" })`;
  const delegate = [
    {
      type: "tool_use",
      id: "call-2",
      name: "Agent",
      input: { description: "set", prompt: "Set the price." },
    },
  ];
  const tool = codeTool(tools);
  const inner = { model: scripted([code(script), done]), tools: [tool] };
  const agent = createAgent({
    model: scripted([code(script), delegate, done]),
    tools: [tool, agentTool({ options: inner })],
    canUseTool: ({ name }) =>
      name === "SetPrice" ? { behavior: "ask", reason: "It sets a price." } : { behavior: "allow" },
    ask: (question) => (from.push(question.from), { behavior: "allow" }),
  });
  await agent.send("Set the price.");
  expect(from).toEqual(["Code", "Code of general-purpose (agent-1)"]);
});
