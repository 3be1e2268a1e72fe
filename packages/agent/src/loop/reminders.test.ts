import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { read } from "../../test/support/read-tool.ts";
import type { Model } from "../model/event.ts";
import type { Block, ModelRequest } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import { sessions } from "../session/sessions.ts";
import { createAgent } from "./agent.ts";
import { asReminder, isReminderText, startsReminder } from "../model/reminder.ts";
import { INTERRUPTED, INTERRUPTED_CALLS, isReminder } from "./notes.ts";
import type { ReminderMoment } from "./reminders.ts";

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));

const text = (said: string): Block => ({ type: "text", text: said });
const call = (id: string): Block => ({ type: "tool_use", id, name: "Read", input: { file_path: id } });
const reminder = (fact: string): string => `<system-reminder>\n${fact}\n</system-reminder>`;

/** A model that plays turns, and the texts of each request. */
function heard(...turns: readonly (readonly Block[])[]) {
  const requests: string[][] = [];
  const inner = scripted(turns);
  const textsOf = ({ messages }: ModelRequest): string[] =>
    messages.flatMap(({ content }) =>
      typeof content === "string"
        ? [content]
        : content.map((block) => String(block["text"] ?? block["content"] ?? block["name"])),
    );
  const model: Model = {
    name: "heard",
    stream: (request, signal) => {
      requests.push(textsOf(request));
      return inner.stream(request, signal);
    },
  };
  return { model, requests };
}

/** Returns these facts one after the other, and notes when it was asked. */
function source(...facts: readonly (readonly string[])[]) {
  const moments: ReminderMoment[] = [];
  return { moments, next: (moment: ReminderMoment) => facts[moments.push(moment) - 1] ?? [] };
}

test("reminders are added before the first prompt and before each request, once each", async () => {
  const { model, requests } = heard([call("a")], [text("One.")], [text("Two.")]);
  const reminders = source(["start"], ["before 1"], ["before 2", "also before 2"], [], ["before 3"]);
  const agent = createAgent({ model, tools: [read], reminders, cwd: "/" });
  await agent.send("first");
  await agent.send("second");
  expect(requests).toEqual([
    [reminder("start"), "first", reminder("before 1")],
    [
      reminder("start"),
      "first",
      reminder("before 1"),
      "Read",
      "content of a",
      reminder("before 2"),
      reminder("also before 2"),
    ],
    expect.arrayContaining(["One.", "second"]) as string[],
  ]);
  expect(requests[2]?.filter((said) => said === reminder("before 1"))).toHaveLength(1);
  expect(reminders.moments.map(({ messages, cwd }) => [messages.length, cwd])).toEqual([
    [0, "/"],
    [2, "/"],
    [5, "/"],
    [8, "/"],
  ]);
});

test("reminders are not prompts: they cannot be returned to", async () => {
  const { model } = heard([text("One.")]);
  const agent = createAgent({ model, tools: [], reminders: source(["start"], ["before"]) });
  await agent.send("first");
  expect(agent.prompts).toEqual([{ messages: 1, text: "first", snapshot: undefined }]);
  expect(agent.messages.map(isReminder)).toEqual([true, false, true, false]);
});

test("a summary keeps the user's prompts, and no reminders", async () => {
  const { model } = heard([text("One. ".repeat(200))], [text("Two.")], [text("A summary.")]);
  const agent = createAgent({ model, tools: [], reminders: source(["start"], ["x".repeat(4_000), "y"]) });
  await agent.send("first");
  await agent.send("second");
  expect(await agent.compact()).toBe(true);
  const kept = JSON.stringify(agent.messages[0]);
  expect(kept).toContain("A summary.");
  expect(kept).toContain("first");
  expect(kept).not.toContain("system-reminder");
});

test("the list of sessions shows the first real prompt, also after long reminders", async () => {
  const folder = await mkdtemp(join(tmpdir(), "reminders-"));
  folders.push(folder);
  const store = sessions({ home: folder, cwd: folder });
  for (const size of [10, 100_000]) {
    const session = await store.create();
    const { model } = heard([text("One.")]);
    const agent = createAgent({ model, tools: [], session, reminders: source(["x".repeat(size)], ["more"]) });
    await agent.send(`first after ${size}`);
    await agent.close();
  }
  const prompts = (await store.list()).map(({ firstPrompt }) => firstPrompt);
  expect(prompts.toSorted()).toEqual(["first after 10", "first after 100000"]);
});

test("a source that fails does not end the run, and a warning reports it", async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error): number => warnings.push(message);
  process.on("warning", note);
  try {
    for (const next of [
      () => {
        throw new Error("broken");
      },
      () => Promise.reject(new Error("broken")),
    ]) {
      const { model, requests } = heard([text("One.")]);
      const result = await createAgent({ model, tools: [], reminders: { next } }).send("first");
      expect([result.reason, result.text, requests]).toEqual(["completed", "One.", [["first"]]]);
    }
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off("warning", note);
  }
  expect(warnings[0]).toBe("The source of reminders failed: Error: broken");
});

test("a reminder cannot be ended by its own text", () => {
  const block = asReminder("a </system-reminder> b");
  expect(block["text"]).toBe(reminder("a &lt;/system-reminder> b"));
  expect([isReminderText(block["text"]), startsReminder(String(block["text"]).slice(0, 30))]).toEqual([
    true,
    true,
  ]);
  expect(isReminderText(`${String(block["text"])} and more`)).toBe(false);
  expect(isReminder({ role: "assistant", content: [block] })).toBe(false);
});

test("isReminder is true for notes about an interruption, and false for what the user said with one", () => {
  for (const note of [INTERRUPTED, INTERRUPTED_CALLS])
    expect(isReminder({ role: "user", content: [text(note)] })).toBe(true);
  expect(isReminder({ role: "user", content: [text(INTERRUPTED), text("go on")] })).toBe(false);
});
