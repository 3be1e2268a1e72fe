import { expect, test } from "vitest";
import { PROTOCOL, boundText, parseCall, parseMail, parseRecord } from "./message.ts";

const CALL = {
  ...{ protocol: PROTOCOL, caller: "c1", callId: "id", tool: "Add", version: "v", input: { a: 1 } },
  ...{ context: { cwd: "/", more: 1 }, limitMs: 5, reads: true, server: "s" },
};

test("a valid call is accepted unchanged", () => {
  expect(parseCall(CALL)).toEqual({ ok: true, value: CALL });
});

test("an invalid call is refused with the reason", () => {
  for (const key of ["caller", "tool", "version", "context", "reads", "server"])
    expect(parseCall(without(CALL, key))).toMatchObject({ ok: false, why: expect.stringContaining(key) });
  for (const odd of [
    undefined,
    null,
    3,
    "x",
    [],
    { ...CALL, limitMs: -1 },
    { ...CALL, tool: "x".repeat(300) },
  ])
    expect(parseCall(odd)).toMatchObject({ ok: false });
});

function without(call: Record<string, unknown>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(call).filter(([name]) => name !== key));
}

test("a call with another protocol version is refused", () => {
  expect(parseCall({ ...CALL, protocol: 99 })).toEqual({
    ok: false,
    why: `protocol version 99 instead of ${PROTOCOL}`,
  });
});

test("invalid mail and invalid records are rejected with a reason", () => {
  expect([parseMail("{"), parseRecord("")]).toEqual([
    { ok: false, why: "not valid JSON" },
    { ok: false, why: "not valid JSON" },
  ]);
  expect(parseMail('{"job":"j","worker":"w","answer":{"type":"odd"}}')).toMatchObject({ ok: false });
  expect(parseMail('{"job":"j","worker":"w","answer":{"type":"output","parts":1e9}}')).toMatchObject({
    ok: false,
  });
});

test("a message that is too long is cut", () => {
  const long = boundText("x".repeat(200_000));
  expect(long.length).toBeLessThan(100_100);
  expect(long).toMatch(/ … \(100000 more characters\)$/);
});
