/** An MCP server asks the user to fill in a form, to visit a page, and for a message of the model. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { programs } from "./programs.ts";
import type { Answering } from "./answers.ts";
import { type Program, newFolder, pause } from "./terminal.ts";

const tested = programs();
const SERVER = fileURLToPath(new URL("../../../mcp/test/support/talking-server.mjs", import.meta.url));
const ESC = "\u001b";
const DOWN = "\u001b[B";
const CLEAR = "\u0015";

/** The server is one of the user, so it needs no trust. */
function folderWithServer(): string {
  const folder = newFolder();
  const home = join(folder, "home/.runahead");
  mkdirSync(home, { recursive: true });
  const mcpServers = { talk: { command: process.execPath, args: [SERVER] } };
  writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers }));
  return folder;
}

const FORM = {
  mode: "form",
  message: "Where do you want to go?",
  requestedSchema: {
    type: "object",
    properties: {
      city: { type: "string", title: "City", minLength: 3 },
      people: { type: "integer", minimum: 1, maximum: 9 },
      direct: { type: "boolean", description: "Without a stop" },
      mail: { type: "string", format: "email" },
      seat: {
        type: "string",
        oneOf: [
          { const: "w", title: "Window" },
          { const: "a", title: "Aisle" },
        ],
      },
      meal: { type: "string", enum: ["none", "vegan"], default: "none" },
    },
    required: ["city", "people", "seat"],
  },
};
const SAMPLE = {
  systemPrompt: "You are short.",
  messages: [{ role: "user", content: { type: "text", text: "Say hi." } }],
  maxTokens: 10,
};

/** The server joins when it is ready, so prompts are sent until the model is offered its tools. */
async function connected(program: Program): Promise<Answering> {
  await program.sees("/help for commands");
  for (let at = 1; ; at++) {
    await program.types(`prompt ${at}`);
    const answering = await tested.model.asked();
    if (tested.model.requests.at(-1)?.includes("mcp__talk__ask") === true) return answering;
    answering.says(`Not yet ${at}.`);
    await program.sees(`Not yet ${at}.`);
    await program.idle();
  }
}

const call = (method: string, params: object): [string, object] => ["mcp__talk__ask", { method, params }];

/** What the server got as an answer, which its tool returns. */
function lastResult(): unknown {
  const { messages } = JSON.parse(tested.model.requests.at(-1) ?? "{}") as {
    messages: { content: { content: { text: string }[] }[] }[];
  };
  return JSON.parse(messages.at(-1)?.content[0]?.content[0]?.text ?? "null");
}

/** Chooses the answer that is this many rows below the first. */
async function chooses(program: Program, question: string, down = 0): Promise<void> {
  await program.answers(DOWN.repeat(down), question);
  program.press("\r");
}

/** Types into the field that is open, and presses Enter as a person would: again, until something happens. */
async function enters(program: Program, line: string, next: string | (() => boolean)): Promise<void> {
  const isThere = typeof next === "string" ? (): boolean => program.text().includes(next) : next;
  program.press(line);
  await program.sees(line);
  for (let waits = 0; !isThere(); waits++) {
    if (waits % 40 === 0) program.press("\r");
    if (waits > 1_000) throw new Error(`Not seen: ${String(next)}\n${program.text()}`);
    await pause(50);
  }
}

function start(columns: number): Program {
  const args = ["--allowedTools", "mcp__talk"];
  return tested.start({ folder: folderWithServer(), args, columns });
}

test("a form is filled in field by field, invalid answers are asked for again, and a page is opened by the user", async () => {
  const program = start(80);
  (await connected(program)).calls(call("elicitation/create", FORM));
  expect(await program.sees("Esc to cancel")).toMatch(
    /─ MCP server talk ─+\nThe MCP server talk asks: Where do you want to go\?\nIt wants to know: City, people, direct, mail, seat, meal\n→ Answer\n {2}Decline\n↑ ↓ to move, Enter to choose, Esc to cancel/,
  );
  await chooses(program, "It wants to know");
  await program.sees("talk: City ─ 1 of 6");
  await enters(program, "Os", "talk: people ─ 2 of 6");
  await enters(program, "many", "talk: direct ─ 3 of 6");
  await chooses(program, "Without a stop", 1);
  await program.sees("mail (optional, an email address)");
  await program.answers(ESC, "talk: mail ─ 4 of 6");
  await chooses(program, "talk: seat ─ 5 of 6", 1);
  expect(await program.sees("meal (optional, default: none)")).not.toContain("Other …");
  await program.answers(ESC, "talk: meal ─ 6 of 6");
  await program.sees('"Os" is too short: at least 3 characters.');
  await enters(program, "lo", '"many" is not a number.');
  expect(program.text()).toContain("people (a whole number from 1 to 9)");
  program.press(CLEAR);
  await enters(program, "12", "12 is too large: the largest number is 9.");
  program.press(CLEAR);
  await program.sees((text) => text.includes("12 is too large") && !text.includes("> 12"));
  const { length } = tested.model.requests;
  await enters(program, "2", () => tested.model.requests.length > length);
  (await tested.model.asked()).calls(call("elicitation/create", FORM));
  expect(lastResult()).toEqual({
    action: "accept",
    content: { direct: false, seat: "a", city: "Oslo", people: 2, meal: "none" },
  });

  await chooses(program, "It wants to know", 1);
  (await tested.model.asked()).calls(call("elicitation/create", FORM));
  expect(lastResult()).toEqual({ action: "decline" });
  await chooses(program, "It wants to know");
  await program.answers(ESC, "talk: City ─ 1 of 6");
  const page = { mode: "url", elicitationId: "1", message: "Log in.", url: "https://a.test/in?x=1" };
  (await tested.model.asked()).calls(call("elicitation/create", page));
  expect(lastResult()).toEqual({ action: "cancel" });
  await program.sees("Open this page: https://a.test/in?x=1");
  await chooses(program, "I have opened it");
  (await tested.model.asked()).calls(["mcp__talk__page", {}]);
  expect(lastResult()).toEqual({ action: "accept" });
  await chooses(program, "Open this page: https://a.test/in\n", 1);
  const last = await tested.model.asked();
  expect(tested.model.requests.at(-1)).toContain("https://a.test/in first. The user did not open it.");
  last.says("Booked.");
  await program.sees("Booked.");
});

test("a request to the model is shown, and needs consent", async () => {
  const program = start(40);
  (await connected(program)).calls(call("sampling/createMessage", SAMPLE));
  const text = await program.sees("Esc to cancel");
  expect(text).toMatch(/system: You are short\.\nuser: Say hi\.\n→ Allow\n {2}Deny\n/);
  const { length } = tested.model.requests;
  await chooses(program, "user: Say hi.", 1);
  (await tested.model.asked()).calls(call("sampling/createMessage", SAMPLE));
  expect(tested.model.requests.length).toBe(length + 1);
  expect(lastResult()).toMatchObject({ message: "The user did not allow the request to the model." });
  await chooses(program, "user: Say hi.");
  const sampled = await tested.model.asked();
  expect(JSON.parse(tested.model.requests.at(-1) ?? "{}")).toMatchObject({ max_tokens: 10 });
  sampled.says("hi");
  const last = await tested.model.asked();
  expect(lastResult()).toMatchObject({ role: "assistant", content: { type: "text", text: "hi" } });
  last.says("It said hi.");
  await program.sees("It said hi.");
});
