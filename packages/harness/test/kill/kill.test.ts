import { expect, test } from "vitest";
import { killSessions } from "./killing.ts";

const KILLS = 20;

test("G01, G03: sessions that are killed at any moment lose no finished result, run no writing call twice, and go on", {
  timeout: 120_000,
}, async () => {
  const { kills, whileRunning, problems } = await killSessions(KILLS, Math.random);
  expect(problems).toEqual([]);
  expect([kills, whileRunning >= kills / 2]).toEqual([KILLS, true]);
});
