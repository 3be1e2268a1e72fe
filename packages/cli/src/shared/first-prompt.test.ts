import { expect, test } from "vitest";
import { firstPrompt } from "./first-prompt.ts";

const made = (initialPrompt: string | undefined, messages: readonly unknown[] = []) =>
  ({ ...(initialPrompt === undefined ? {} : { initialPrompt }), agent: { messages } }) as never;

test("the initial prompt of the main agent comes before the first prompt, or stands alone", () => {
  expect(firstPrompt(made("/review"), "src")).toBe("/review\n\nsrc");
  expect(firstPrompt(made("/review"), "")).toBe("/review");
  expect(firstPrompt(made(undefined), "src")).toBe("src");
});

test("a session that continues has had its first prompt", () => {
  expect(firstPrompt(made("/review", [{ role: "user", content: "x" }]), "src")).toBe("src");
});
