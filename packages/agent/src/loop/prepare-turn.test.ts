import { expect, test } from "vitest";
import { read } from "../../test/support/read-tool.ts";
import { runQuery } from "../../test/support/run-query.ts";
import { ModelError } from "../model/error.ts";
import type { Model } from "../model/event.ts";
import type { Block, ModelRequest } from "../model/message.ts";
import { type ScriptedTurn, scripted } from "../model/scripted.ts";
import { createAgent } from "./agent.ts";
import type { LoopOptions } from "./options.ts";
import type { NextTurn, PrepareTurn } from "./prepare-turn.ts";
import { defineTool } from "@runahead/engine";
import { z } from "zod";

const text = (said: string): Block => ({ type: "text", text: said });
const use = (id: string, name: string): Block => ({ type: "tool_use", id, name, input: {} });
const write = defineTool({
  name: "Write",
  description: "Writes.",
  inputSchema: z.object({}).loose(),
  call: () => "written",
});
const look = defineTool({ ...write, name: "Look", isReadOnly: () => true, call: () => "seen" });

/** A model that notes its requests. */
function noting(name: string, turns: readonly ScriptedTurn[]) {
  const requests: ModelRequest[] = [];
  const model = scripted(
    turns.map((turn) => (request: ModelRequest) => {
      requests.push(request);
      return typeof turn === "function" ? turn(request) : turn;
    }),
  );
  return { requests, model: { ...model, name } };
}

const run = (options: Partial<LoopOptions> & Pick<LoopOptions, "model">) =>
  runQuery({ prompt: "go", tools: [look, write], ...options });

const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
function priced(name: string, dollars: number, turn: readonly Block[]): Model {
  const { model } = noting(name, [turn]);
  return {
    name,
    facts: { price: { ...price, input: dollars } },
    async *stream(request, signal) {
      for await (const event of model.stream(request, signal)) {
        if (event.type === "stopped")
          yield {
            type: "usage",
            usage: { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
          };
        yield event;
      }
    },
  };
}

test("each turn can have its own model, tools, tool choice and system prompt", async () => {
  const plain = noting("plain", [[use("1", "Look")], [text("Done.")]]);
  const strong = noting("strong", [[use("2", "Write")]]);
  const seen: Omit<NextTurn, "signal">[] = [];
  const { result } = await run({
    model: plain.model,
    system: "Be brief.",
    prepareTurn: ({ signal: _signal, ...turn }) => {
      seen.push(turn);
      if (turn.number === 1) return { tools: ["Look"], toolChoice: { tool: "Look" } };
      if (turn.number === 2) return Promise.resolve({ model: strong.model, system: "Be careful." });
      return undefined;
    },
  });
  expect([result.reason, result.turns]).toEqual(["completed", 3]);
  const shown = ({ system, tools, toolChoice }: ModelRequest) => [
    system,
    tools.map(({ name }) => name),
    toolChoice,
  ];
  expect(plain.requests.map(shown)).toEqual([
    ["Be brief.", ["Look"], { tool: "Look" }],
    ["Be brief.", ["Look", "Write"], undefined],
  ]);
  expect(strong.requests.map(shown)).toEqual([["Be careful.", ["Look", "Write"], undefined]]);
  expect(
    seen.map(({ number, messages, model, tools, system }) => [
      number,
      messages.length,
      model.name,
      tools.length,
      system,
    ]),
  ).toEqual([
    [1, 1, "plain", 2, "Be brief."],
    [2, 3, "plain", 2, "Be brief."],
    [3, 5, "plain", 2, "Be brief."],
  ]);
});

test("a call of a tool that the turn does not offer is refused", async () => {
  const { model } = noting("plain", [[use("1", "Write")], [text("Done.")]]);
  const { events } = await run({ model, prepareTurn: () => ({ tools: ["Look"] }) });
  const settled = events.flatMap((event) => (event.type === "call-settled" ? [event.outcome.type] : []));
  expect(settled).toEqual(["failed"]);
});

test("the cost of a turn is that of its own model", async () => {
  const cheap = priced("cheap", 1, [use("1", "Look")]);
  const dear = priced("dear", 100, [text("Done.")]);
  const { result } = await run({
    model: cheap,
    prepareTurn: ({ number }) => (number === 2 ? { model: dear } : {}),
  });
  expect(result.costUsd).toBe(101);
});

test("a model that was chosen for one turn is replaced by the fallback for that turn only", async () => {
  const fallback = noting("fallback", [[use("1", "Look")]]);
  const plain = noting("plain", [[text("Done.")]]);
  const overloaded: Model = {
    name: "overloaded",
    stream: () => {
      throw new ModelError("overloaded", "busy");
    },
  };
  const { events, result } = await run({
    model: plain.model,
    fallbackModel: fallback.model,
    retry: { attempts: 9, firstWaitMs: 0, longestWaitMs: 0, random: () => 0 },
    prepareTurn: ({ number }) => (number === 1 ? { model: overloaded } : undefined),
  });
  expect([result.reason, fallback.requests.length, plain.requests.length]).toEqual(["completed", 1, 1]);
  expect(events).toContainEqual({
    type: "notice",
    message: "overloaded is overloaded. Switched to fallback.",
  });
});

test.each([
  [{ tools: ["Loock"] }, 'unknown tool "Loock". Tools: Look, Write.'],
  [{ tool: "Look" }, 'unknown option "tool". Did you mean "tools"?'],
  [{ model: "gpt-5" }, "must be a model"],
  [{ toolChoice: "any" }, 'must be "required" instead of "any"'],
])("settings of a turn that are wrong end the run and say why: %j", async (settings, why) => {
  const { model, requests } = noting("plain", [[text("Done.")]]);
  const { result } = await run({ model, prepareTurn: () => settings as never });
  expect([result.reason, result.detail]).toEqual(["model_error", expect.stringContaining(why)]);
  expect(result.detail).toMatch(/^prepareTurn failed: /);
  expect(requests).toEqual([]);
});

test("a tool that the model must call and is not offered ends the run and says which tools are", async () => {
  const { model } = noting("plain", [[text("Done.")]]);
  const toolChoice = { tool: "Write" };
  const { result } = await run({ model, prepareTurn: () => ({ tools: ["Look"], toolChoice }) });
  expect([result.reason, result.detail]).toEqual([
    "model_error",
    'toolChoice names the tool "Write", which the request does not have. Tools: Look.',
  ]);
});

test("a prepareTurn that throws ends the run with its words", async () => {
  const { model } = noting("plain", [[text("Done.")]]);
  const { result } = await run({ model, prepareTurn: () => Promise.reject(new Error("no database")) });
  expect([result.reason, result.detail]).toEqual(["model_error", "prepareTurn failed: no database"]);
});

test("a prepareTurn that ignores its signal does not hold up a stop, and one that obeys it is not an error", async () => {
  const prepares: readonly PrepareTurn[] = [
    () => new Promise(() => {}),
    ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
  ];
  for (const prepareTurn of prepares) {
    const { model, requests } = noting("plain", [[text("Done.")]]);
    let hasBegun = (): void => {};
    const begun = new Promise<void>((resolve) => (hasBegun = resolve));
    const noted: PrepareTurn = (turn) => {
      hasBegun();
      return prepareTurn(turn);
    };
    const agent = createAgent({ model, tools: [look], prepareTurn: noted });
    const sent = agent.send("go");
    await begun;
    await agent.interrupt();
    expect((await sent).reason).toBe("aborted_streaming");
    expect(requests).toEqual([]);
    await agent.close();
  }
});

test("a forced choice holds for the first turn of each prompt, and none for all", async () => {
  const forced = noting("forced", [[use("1", "Look")], [text("One.")], [use("2", "Look")], [text("Two.")]]);
  const agent = createAgent({ model: forced.model, tools: [look], toolChoice: "required" });
  await agent.send("first");
  await agent.send("second");
  await agent.close();
  expect(forced.requests.map(({ toolChoice }) => toolChoice)).toEqual([
    "required",
    undefined,
    "required",
    undefined,
  ]);
  const none = noting("none", [[use("1", "Look")], [text("Done.")]]);
  await run({ model: none.model, toolChoice: "none" });
  expect(none.requests.map(({ toolChoice }) => toolChoice)).toEqual(["none", "none"]);
});

test("a toolChoice that is wrong is refused before anything runs", () => {
  const { model } = noting("plain", []);
  expect(() => createAgent({ model, tools: [read], toolChoice: "always" as never })).toThrow(
    'createAgent: "toolChoice" must be "auto", "none", "required" or { tool: "Name" }, got "always".',
  );
});
