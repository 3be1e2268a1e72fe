import { afterAll, expect, test } from "vitest";
import { removeWorld, tryCommands } from "./try-commands.ts";

afterAll(removeWorld);

test("what real commands change lies within their claims", { timeout: 60_000 }, () => {
  const { known, changed } = tryCommands(400);
  expect(known).toBeGreaterThan(15);
  expect(changed).toBeGreaterThan(10);
});
