import { afterEach, expect, test } from "vitest";
import { HOSTILE, steeringIn } from "../../../test/support/hostile.ts";
import { fit } from "./live-region.ts";
import { setLinks, withLinks } from "./links.ts";

afterEach(() => setLinks(undefined));

const linked = (address: string): string => `\u001b]8;;${address}\u001b\\${address}\u001b]8;;\u001b\\`;

test("an address is linked to itself, without the punctuation after it", () => {
  setLinks(true);
  for (const [text, address] of [
    ["see https://example.com/a.", "https://example.com/a"],
    ["(https://example.com/a_(b))", "https://example.com/a_(b)"],
    ["text (https://example.com), more", "https://example.com"],
    ["http://localhost:3000/?q=1&r=2#x", "http://localhost:3000/?q=1&r=2#x"],
  ] as const)
    expect(withLinks(text, 80)).toBe(text.replace(address, linked(address)));
});

test("an address that can go on in the next row is not linked, and none where the terminal cannot", () => {
  setLinks(true);
  const row = "go to https://example.com/a/lon";
  expect(withLinks(row, row.length)).toBe(row);
  setLinks(false);
  expect(withLinks("https://example.com", 80)).toBe("https://example.com");
});

test("class 11: a link that is not ours is removed", () => {
  setLinks(true);
  expect(fit("\u001b]8;;http://evil.example\u001b\\https://good.example\u001b]8;;\u001b\\ x", 80)).toBe(
    `${linked("https://good.example")} x`,
  );
  setLinks(false);
  for (const text of HOSTILE) expect(steeringIn(fit(text, 60))).toBe(undefined);
});
