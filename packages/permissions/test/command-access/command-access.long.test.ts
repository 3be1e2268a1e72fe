import { afterAll, expect, test } from "vitest";
import { removeWorld, tryCommands } from "./try-commands.ts";

afterAll(removeWorld);

test("what thousands of real commands change lies within their claims", { timeout: 1_200_000 }, () => {
  expect(tryCommands(12_000).known).toBeGreaterThan(2_000);
});
