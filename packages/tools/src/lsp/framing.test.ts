import { expect, test } from "vitest";
import { MessageReader, frame } from "./framing.ts";

test("messages are read in any portions", () => {
  const all = Buffer.concat([frame({ id: 1, result: "grüße 🙂" }), frame({ method: "exit" })]);
  for (let size = 1; size <= all.length; size++) {
    const reader = new MessageReader();
    const messages: unknown[] = [];
    for (let at = 0; at < all.length; at += size) messages.push(...reader.push(all.subarray(at, at + size)));
    expect(messages).toEqual([
      { jsonrpc: "2.0", id: 1, result: "grüße 🙂" },
      { jsonrpc: "2.0", method: "exit" },
    ]);
  }
});

test("other headers are ignored, and the case of names does not matter", () => {
  const text = 'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: 8\r\n\r\n{"id":1}';
  expect(new MessageReader().push(Buffer.from(text))).toEqual([{ id: 1 }]);
});

test.each([
  ["text", "hello\r\n\r\n", "not part of the protocol"],
  ["a huge message", "Content-Length: 99999999999\r\n\r\n", "announced a message of 99999999999 bytes"],
  ["no JSON", "Content-Length: 3\r\n\r\nabc", "not JSON"],
  ["an endless header", "a".repeat(10_000), "never ends"],
])("%s is an error", (_name, text, message) => {
  expect(() => new MessageReader().push(Buffer.from(text))).toThrow(message);
});
