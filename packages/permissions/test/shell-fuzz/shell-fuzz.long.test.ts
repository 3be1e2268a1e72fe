import { expect, test } from "vitest";
import { describeReport, fuzz } from "./fuzz.ts";
import { useJail } from "./use-jail.ts";

const COMMANDS = 10_000;

const jail = useJail();

test(`of ${COMMANDS} commands, those that are allowed run and change only what is allowed`, {
  timeout: 1_200_000,
}, async () => {
  const firstSeed = Math.floor(Math.random() * 2 ** 31);
  const report = await fuzz({ firstSeed, count: COMMANDS, jail: jail() });
  const text = `first seed ${firstSeed}: ${describeReport(report)}`;
  expect([report.total, report.counterexamples.length, text]).toEqual([COMMANDS, 0, text]);
});
