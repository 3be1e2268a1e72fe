import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../agent/test/support/until.ts";
import { DEFERRING, type Parked, parkedSession } from "../../test/support/parked.ts";
import { terminalOf } from "../../test/support/terminal.ts";
import { App } from "./app.ts";
import { Conversation } from "./transcript/conversation.ts";

let parked: Parked;
beforeEach(async () => {
  parked = await parkedSession();
});
afterEach(() => parked.remove());

test("a call that a hook deferred is asked about as soon as the session is resumed, and runs", async () => {
  let shown = "";
  const { cwd, home, env, id } = parked;
  const world = { cwd, home, env, print: () => {}, complain: () => {} };
  const app = new App(world, terminalOf({ write: (bytes) => void (shown += bytes) }));
  const asked: string[] = [];
  const listeners = {
    ...app.listeners,
    askPerson: async ({ toolName }: { readonly toolName: string }) => {
      asked.push(toolName);
      return { type: "once" } as const;
    },
  };
  const flags = { resume: id, trust: true, settings: DEFERRING };
  const conversation = await Conversation.open(world, flags, listeners);
  app.begin(conversation);
  await until(() => shown.includes("Written."));
  app.leave(0);
  await app.left;
  await app.close();
  await conversation.made.close();
  app.end();
  expect(app.listeners.asksDeferred).toBe(true);
  expect(asked).toEqual(["Write"]);
  expect(existsSync(join(cwd, "later.txt"))).toBe(true);
});
