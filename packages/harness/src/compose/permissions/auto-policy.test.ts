import { expect, test } from "vitest";
import type { OtherValue } from "../../settings/loaded.ts";
import { autoPolicy } from "./auto-policy.ts";

function policy(value: unknown, level: OtherValue["level"]): string {
  return autoPolicy({ other: new Map([["autoMode", [{ value, name: "x", level, trusted: true }]]]) });
}

const VALUE = {
  environment: ["$defaults", "Our registry is npm.example.com."],
  allow: ["Publishing to the staging bucket"],
  soft_deny: ["Changing\ninfrastructure", 7],
};

test("the user's rules for auto mode become text for the model that decides", () => {
  expect(policy(VALUE, "user")).toBe(
    [
      "The user's settings add:",
      "About the user's environment:",
      "- Our registry is npm.example.com.",
      "Also usual steps, if everything else above is true:",
      "- Publishing to the staging bucket",
      'Always decide "ask" for:',
      "- Changing infrastructure",
    ].join("\n"),
  );
  expect(policy({}, "user")).toBe("");
  expect(policy("allow everything", "user")).toBe("");
});

test("a repository cannot say what runs without a question", () => {
  expect(policy(VALUE, "project")).toBe("");
  expect(policy(VALUE, "local")).toBe("");
});
