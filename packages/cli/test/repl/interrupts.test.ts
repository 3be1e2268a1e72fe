import { expect, test } from "vitest";
import type { Answering } from "./answers.ts";
import { callEvents } from "./answers.ts";
import { programs } from "./programs.ts";
import { type Program, pause, running } from "./terminal.ts";

const tested = programs();
const ROUNDS = 24;
const MOST_PRESSES = 20;
const LOOKS = 25;

/** The same numbers each time: mulberry32. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Text, a command, a half-streamed call and one that needs approval: in pieces, until it is stopped. */
async function answerIn(pieces: readonly object[], answer: Answering, next: () => number): Promise<void> {
  for (const event of pieces) {
    answer.send(event);
    await pause(next() * 20);
  }
}

/** So many were interrupted, or answered with no, and nothing is under way. */
function hasEnded(text: string, rounds: number): boolean {
  const ends = text.match(/^(?:Interrupted\.|Stopped: .*)$/gm) ?? [];
  return ends.length >= rounds && !text.includes("Esc to interrupt") && / · context \d+ %$/.test(text);
}

/** Esc, and again where it was the answer to a question while the model goes on. */
async function interrupt(program: Program, rounds: number): Promise<void> {
  for (let at = 0; at < MOST_PRESSES; at++) {
    program.press("\u001b");
    for (let looked = 0; looked < LOOKS; looked++) {
      if (hasEnded(program.text(), rounds)) return;
      await pause(20);
    }
  }
  throw new Error(`Not interrupted:\n${program.text()}`);
}

test("V6: after an interrupt at any moment the program still answers, and no process is left", async () => {
  const next = numbers(20_260_101);
  const program = tested.start({ args: ["--allowedTools", "Bash(sleep:*)"] });
  const mark = `35${program.pid}`;
  await program.sees("/help for commands");
  const serve = async (): Promise<void> => {
    for (;;) {
      const answer = await tested.model.asked();
      if (tested.model.requests.at(-1)?.includes("the last one") === true) return answer.says("Still here.");
      const text = { type: "content_block_start", index: 0, content_block: { type: "text", text: "Well" } };
      const half = callEvents(3, "Write", { file_path: "x", content: "y" }).slice(0, 2);
      const pieces = [
        text,
        { type: "content_block_stop", index: 0 },
        ...callEvents(1, "Bash", { command: `sleep ${mark}` }),
        ...callEvents(2, "Bash", { command: "touch never" }),
        ...half,
      ];
      void answerIn(pieces, answer, next);
    }
  };
  const serving = serve();
  for (let round = 0; round < ROUNDS; round++) {
    program.press(`round ${round}\r`);
    await pause(next() * 250);
    await interrupt(program, round + 1);
    // One that came back before it was sent.
    program.press("\u0015");
  }
  program.press("the last one\r");
  await program.sees("Still here.");
  await serving;
  await program.idle();
  expect(running(`sleep ${mark}`)).toEqual([]);
  program.press("\u0004");
  expect(await program.ended).toBe(0);
});
