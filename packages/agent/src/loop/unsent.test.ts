import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@runahead/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { scripted } from "../model/scripted.ts";
import type { Session } from "../session/session.ts";
import { type Sessions, sessions } from "../session/sessions.ts";
import { createAgent } from "./agent.ts";

let home = "";
let store: Sessions;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "runahead-unsent-"));
  store = sessions({ home, cwd: home });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** An agent whose first call waits until the test lets it go on. */
function busy(session: Session) {
  let goOn = (): void => {};
  let called = (): void => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const begun = new Promise<void>((resolve) => (called = resolve));
  const work = defineTool({
    name: "Work",
    description: "Works",
    inputSchema: z.object({}),
    call: async () => {
      called();
      await held;
      return "worked";
    },
  });
  const model = scripted([
    [{ type: "tool_use", id: "a", name: "Work", input: {} }],
    [{ type: "text", text: "Done." }],
  ]);
  return { agent: createAgent({ model, tools: [work], session }), begun, goOn: () => goOn() };
}

/** An agent on a copy of what the session has on disk now, which is what a killed process leaves. */
async function afterKill(session: Session) {
  await session.sync();
  const model = scripted([[{ type: "text", text: "Again." }]]);
  return createAgent({ model, tools: [], session: await store.fork(session.id) });
}

test("prompts that wait when the process is killed are offered after the session is resumed", async () => {
  const session = await store.create();
  const { agent, begun, goOn } = busy(session);
  const answers = [agent.send("one")];
  await begun;
  answers.push(agent.send("two"), agent.send([{ type: "text", text: "three" }]));
  const killed = await afterKill(session);
  expect(killed.unsent).toEqual(["two", [{ type: "text", text: "three" }]]);
  // They are not answered by themselves.
  expect([killed.waiting, killed.isBusy]).toEqual([[], false]);
  expect(killed.takeBack()).toEqual(["two", [{ type: "text", text: "three" }]]);
  expect(killed.unsent).toEqual([]);
  await killed.close();
  goOn();
  await Promise.all(answers);
  expect((await afterKill(session)).unsent).toEqual([]);
  await agent.close();
});

test("a prompt that was taken back, or that another one follows, is not offered again", async () => {
  const session = await store.create();
  const { agent, begun, goOn } = busy(session);
  const answer = agent.send("one");
  await begun;
  agent.send("two").catch(() => {});
  expect(agent.takeBack()).toEqual(["two"]);
  expect((await afterKill(session)).unsent).toEqual([]);
  agent.send("three").catch(() => {});
  const killed = await afterKill(session);
  expect(killed.unsent).toEqual(["three"]);
  await killed.send("four");
  expect(killed.unsent).toEqual([]);
  await killed.close();
  goOn();
  await answer;
  await agent.close();
});

test("prompts that wait when the agent is closed are offered to the next process", async () => {
  const session = await store.create();
  const { agent, begun, goOn } = busy(session);
  agent.send("one").catch(() => {});
  await begun;
  agent.send("two").catch(() => {});
  goOn();
  await agent.close();
  const next = createAgent({ model: scripted([]), tools: [], session: await store.resume(session.id) });
  expect(next.unsent).toEqual(["two"]);
  await next.close();
});
