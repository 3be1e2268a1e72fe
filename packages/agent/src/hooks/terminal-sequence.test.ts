import { expect, test } from "vitest";
import { harmlessSequences } from "./terminal-sequence.ts";

const ESC = "\u001b";
const BELL = "\u0007";

test("notifications, titles and the bell reach the terminal", () => {
  const allowed = [
    `${ESC}]0;title${BELL}`,
    `${ESC}]2;title${ESC}\\`,
    `${ESC}]9;done${BELL}`,
    `${ESC}]99;i=1;done${ESC}\\`,
    `${ESC}]777;notify;a;b${BELL}`,
    BELL,
  ].join("");
  expect(harmlessSequences(allowed)).toBe(allowed);
});

test("everything else is left out: text, the clipboard, links, colours and nested sequences", () => {
  const hostile = [
    "plain text",
    `${ESC}]52;c;ZXZpbA==`,
    `${ESC}[2J`,
    `${ESC}]8;;http://x${ESC}\\`,
    `${ESC}P+q544e${ESC}\\`,
    `${ESC}]9;a${ESC}[31m`,
    `${ESC}]99`,
  ].join("");
  expect(harmlessSequences(hostile)).toBe("");
  expect(harmlessSequences(`${ESC}]52;c;x${BELL}`)).toBe(BELL);
  expect(harmlessSequences(`${ESC}]9;${"a".repeat(5_000)}${BELL}`)).toBe("");
});
