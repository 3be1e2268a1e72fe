import { expect, test } from "vitest";
import { strip } from "../../shared/safe-text.ts";
import { Work } from "./work.ts";

test("the time starts again after a prompt, also if the next one was queued while it was interrupted", () => {
  let nowMs = 0;
  const work = new Work(
    () => {},
    () => {},
    () => nowMs,
  );
  const shown = (): string[] => work.lines({ isThinking: false, isBusy: false }).map(strip);
  expect(shown()).toEqual([]);
  const never = new Promise<void>(() => {});
  work.add(never);
  nowMs = 30_000;
  work.add(never);
  expect(shown()).toEqual(["Working 30 s · Esc to interrupt"]);
  work.interrupted();
  expect(shown()).toEqual(["Stopping …"]);
  work.restart();
  nowMs = 31_000;
  expect(shown()).toEqual(["Working 1.0 s · Esc to interrupt"]);
});

test("each prompt shows the next word of spinnerVerbs, without control characters", () => {
  const work = new Work(
    () => {},
    () => {},
    () => 0,
  );
  work.verbs = ["Baking", "Knead\u001b[31ming"];
  const word = (isThinking: boolean): string =>
    strip(work.lines({ isThinking, isBusy: false })[0] ?? "").split(" ", 1)[0] ?? "";
  work.add(new Promise(() => {}));
  const words = [word(false)];
  work.restart();
  words.push(word(false));
  expect(words.toSorted()).toEqual(["Baking", "Kneading"]);
  expect(word(true)).toBe("Thinking");
});
