import { expect, test } from "vitest";
import { LastLines } from "./last-lines.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("H04: the last twenty lines are kept, and only the end of an endless line", () => {
  const lines = new LastLines();
  for (let line = 1; line <= 5_000; line++) lines.add(bytes(`line ${line}\n`));
  expect(lines.text.split("\n")).toEqual(Array.from({ length: 20 }, (_, index) => `line ${4_981 + index}`));
  for (let piece = 0; piece < 100; piece++) lines.add(bytes("x".repeat(100_000)));
  expect(lines.text).toBe("x".repeat(4_000));
});

test("control sequences are removed, and characters that arrive in two pieces are kept", () => {
  const lines = new LastLines();
  const whole = bytes("\u001B[31mred\u001B[0m\u0007 \u001B]0;title\u0007é\tend\r\n");
  const cut = whole.indexOf(0xc3) + 1;
  lines.add(whole.subarray(0, cut));
  lines.add(whole.subarray(cut));
  expect(lines.text).toBe("red é\tend");
});
