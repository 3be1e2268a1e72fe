import { expect, test } from "vitest";
import { endingWords } from "./ending.ts";

test("the message says why a run ended, and how to continue after a limit", () => {
  expect(endingWords({ reason: "max_turns", detail: "50 turns" })).toBe(
    "Stopped at the turn limit: 50 turns. Send another prompt to continue, or raise --max-turns.",
  );
  expect(endingWords({ reason: "model_error", detail: "The API key was refused." })).toBe(
    "The model request failed: The API key was refused.",
  );
  expect(endingWords({ reason: "aborted_tools", detail: "" })).toBe("Interrupted.");
});

test("a turn that the user ended is not blamed on a hook", () => {
  expect(endingWords({ reason: "hook_stopped", detail: "the user ended the turn" })).toBe(
    "Stopped: the user ended the turn.",
  );
});
