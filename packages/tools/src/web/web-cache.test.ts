import { expect, test } from "vitest";
import { WebCache } from "./web-cache.ts";

test("fifty pages are kept, and the oldest makes room", () => {
  const cache = new WebCache<{ text: string }>(() => 0);
  for (let at = 0; at <= 50; at++) cache.put(`https://a.com/${at}`, { text: String(at) });
  expect([cache.get("https://a.com/0"), cache.get("https://a.com/1")]).toEqual([
    undefined,
    { page: { text: "1" }, ageMs: 0 },
  ]);
});

test("twenty million characters are kept at most, and a page that is put again counts once", () => {
  const cache = new WebCache<{ text: string }>(() => 0);
  const text = "x".repeat(8_000_000);
  for (const name of ["a", "b", "b", "b"]) cache.put(name, { text });
  expect(["a", "b"].map((name) => cache.get(name) !== undefined)).toEqual([true, true]);
  cache.put("c", { text });
  expect(["a", "b", "c"].map((name) => cache.get(name) !== undefined)).toEqual([false, true, true]);
});
