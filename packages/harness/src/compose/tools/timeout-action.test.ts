import { expect, test } from "vitest";
import { timeoutAction } from "./timeout-action.ts";

const value = (given: unknown, trusted = true) => ({
  value: given,
  name: "settings.json",
  level: "user" as const,
  trusted,
});

test("a command that reaches its limit goes on in the background only if trusted settings say so", () => {
  const notices: string[] = [];
  const action = (...values: ReturnType<typeof value>[]): string =>
    timeoutAction({ other: new Map([["bashTimeoutAction", values]]) }, (message) => notices.push(message));
  expect([
    timeoutAction({ other: new Map() }, () => {}),
    action(value("background")),
    action(value("kill"), value("background")),
    action(value("background", false)),
  ]).toEqual(["kill", "background", "kill", "kill"]);
  expect(notices).toEqual([]);
  expect(action(value("never"), value("background"))).toBe("background");
  expect(notices).toEqual([
    'settings.json: bashTimeoutAction must be "kill" or "background"; it is ignored.',
  ]);
});
