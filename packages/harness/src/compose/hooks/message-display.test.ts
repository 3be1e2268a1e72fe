import type { AgentEvent, EventResult } from "@runahead/agent";
import type { Shape } from "@runahead/base";
import { expect, test } from "vitest";
import { MessageDisplay } from "./message-display.ts";

const NOTHING: EventResult = { blocked: undefined, stop: undefined, context: [], messages: [] };
const text = (words: string): AgentEvent => ({ type: "text", text: words });
const turnEnded = { type: "turn-ended" } as unknown as AgentEvent;

/** Runs one hook, and resolves when all events have been passed on. */
async function displayed(
  events: readonly AgentEvent[],
  {
    isReplaced = true,
    answer = (): Shape => ({}),
  }: { isReplaced?: boolean; answer?: (facts: Shape) => Shape } = {},
) {
  const heard: Shape[] = [];
  const passed: AgentEvent[] = [];
  let resolve = (): void => {};
  const last = new Promise<void>((resolved) => (resolve = resolved));
  const display = new MessageDisplay({
    isReplaced,
    hooks: {
      has: () => true,
      happen: async (_event, facts) => {
        heard.push(facts);
        await Promise.resolve();
        if (facts["final"] === true) setImmediate(resolve);
        return { ...NOTHING, specific: [answer(facts)] };
      },
    },
    pass: (event) => passed.push(event),
  });
  for (const event of events) display.hear(event);
  await last;
  return { heard, passed };
}

test("hooks get whole lines, then the rest, with one id and a growing index", async () => {
  const { heard, passed } = await displayed([text("one\ntw"), text("o\nth"), text("ree"), turnEnded]);
  const [first] = heard;
  expect(heard.map(({ index, final, delta }) => [index, final, delta])).toEqual([
    [0, false, "one\n"],
    [1, false, "two\n"],
    [2, true, "three"],
  ]);
  for (const facts of heard)
    expect([facts["message_id"], facts["turn_id"]]).toEqual([first?.["message_id"], first?.["turn_id"]]);
  expect(passed).toEqual([text("one\n"), text("two\n"), text("three"), turnEnded]);
});

test("displayContent replaces what is shown, in the order of the events", async () => {
  const call = { type: "call-arriving" } as unknown as AgentEvent;
  const answer = ({ delta }: Shape): Shape => ({ displayContent: String(delta).replace("secret", "***") });
  const { passed } = await displayed([text("the secret\n"), text("is out"), call], { answer });
  expect(passed).toEqual([text("the ***\n"), text("is out"), call]);
});

test("a program that does not wait shows the text at once, and its last flush is empty after a line break", async () => {
  const events = [text("one\n"), turnEnded];
  const { heard, passed } = await displayed(events, {
    isReplaced: false,
    answer: () => ({ displayContent: "other" }),
  });
  expect(passed).toEqual(events);
  expect(heard.map(({ final, delta }) => [final, delta])).toEqual([
    [false, "one\n"],
    [true, ""],
  ]);
});
