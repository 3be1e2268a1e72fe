import { expect, test } from "vitest";
import { TokenGuess } from "./token-guess.ts";

test("without experience, a fifth is added to the estimate", () => {
  expect(new TokenGuess().of(1_000)).toBe(1_200);
});

test("what a server counted for a size raises the guess for it and for larger ones, until they were seen", () => {
  const guess = new TokenGuess();
  guess.learn(100, 300);
  expect([guess.of(100), guess.of(10_000), guess.of(10)]).toEqual([330, 33_000, 12]);
  guess.learn(10_000, 15_000);
  expect([guess.of(100), guess.of(10_000)]).toEqual([330, 16_500]);
});

test("one lower count hardly lowers the guess, and many do", () => {
  const guess = new TokenGuess();
  guess.learn(100, 400);
  guess.learn(100, 200);
  expect(guess.of(100)).toBeGreaterThan(400);
  for (let at = 0; at < 200; at++) guess.learn(100, 200);
  expect(guess.of(100)).toBeLessThan(225);
});
