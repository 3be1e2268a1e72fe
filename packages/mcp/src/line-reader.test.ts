import { expect, test } from "vitest";
import { LineReader } from "./line-reader.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("lines are the same however the bytes are split", () => {
  const text = "first\r\n\nsecond é\n  third  \nnever ended";
  for (let size = 1; size < 20; size++) {
    const lines: string[] = [];
    const reader = new LineReader(100, (line) => void lines.push(line));
    const whole = bytes(text);
    for (let at = 0; at < whole.length; at += size) reader.add(whole.subarray(at, at + size));
    expect(lines).toEqual(["first", "second é", "third"]);
  }
});

test("H04: a line above the limit fails, a line at the limit does not", () => {
  const lines: string[] = [];
  const reader = new LineReader(5, (line) => void lines.push(line));
  expect([
    reader.add(bytes("12345\n12")),
    reader.add(bytes("345\n")),
    reader.add(bytes("123")),
    reader.add(bytes("456")),
  ]).toEqual([true, true, true, false]);
  expect(lines).toEqual(["12345", "12345"]);
});
