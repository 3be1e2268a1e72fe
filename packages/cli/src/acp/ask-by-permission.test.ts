import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { askUserByPermission } from "./ask-by-permission.ts";

const { signal } = new AbortController();
const COLOUR = {
  question: "Which colour?",
  options: [{ label: "red" }, { label: "blue", description: "calm" }],
};

/** Chooses these options, one for each request; undefined cancels. */
function asking(...ids: readonly (string | undefined)[]) {
  const asked: Omit<RequestPermissionRequest, "sessionId">[] = [];
  const ask = askUserByPermission(async (request) => {
    const optionId = ids[asked.length];
    asked.push(request);
    return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
  });
  return { ask, asked };
}

test("each question is a permission request whose options are its answers", async () => {
  const { ask, asked } = asking("option-2", "skip");
  expect(await ask([COLOUR, { ...COLOUR, question: "And now?" }], signal)).toEqual({
    type: "answered",
    answers: [{ type: "chosen", labels: ["blue"] }, { type: "skipped" }],
  });
  expect(asked.map(({ toolCall }) => toolCall.title)).toEqual(["Which colour?", "And now?"]);
  expect(asked[0]?.options.map(({ name }) => name)).toEqual(["red", "blue", "Skip this question"]);
  expect(new Set(asked.map(({ toolCall }) => toolCall.toolCallId)).size).toBe(2);
});

test("a question with several answers is asked until there are no more", async () => {
  const both = asking("option-2", "option-1");
  expect(await both.ask([{ ...COLOUR, multiSelect: true }], signal)).toMatchObject({
    answers: [{ type: "chosen", labels: ["blue", "red"] }],
  });
  const one = asking("option-1", "done");
  expect(await one.ask([{ ...COLOUR, multiSelect: true }], signal)).toMatchObject({
    answers: [{ type: "chosen", labels: ["red"] }],
  });
  expect(one.asked[1]?.options.map(({ name }) => name)).toEqual(["blue", "No more answers"]);
});

test("a cancelled question declines all, and a question for text says what to do", async () => {
  expect(await asking(undefined).ask([COLOUR], signal)).toEqual({ type: "declined", words: "" });
  const { ask, asked } = asking();
  expect(await ask([{ question: "Which name?", options: [] }], signal)).toEqual({
    type: "declined",
    words: "The editor can show only choices. Ask again with options, or ask in your answer.",
  });
  expect(asked).toEqual([]);
});
