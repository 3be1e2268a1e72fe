import { expect, test } from "vitest";
import { KeptPages } from "./kept-pages.ts";

const page = (text: string) => ({ page: { text }, etag: `"${text.slice(0, 8)}"` });

test("fifty pages are kept, and the one that was not used for longest makes room", () => {
  const pages = new KeptPages<{ text: string }>();
  for (let at = 0; at < 50; at++) pages.put(`https://a.com/${at}`, page(String(at)));
  pages.get("https://a.com/0");
  pages.put("https://a.com/50", page("50"));
  expect([pages.get("https://a.com/0"), pages.get("https://a.com/1")]).toEqual([page("0"), undefined]);
});

test("twenty million characters are kept at most, and a page that is put again counts once", () => {
  const pages = new KeptPages<{ text: string }>();
  const text = "x".repeat(8_000_000);
  for (const name of ["a", "b", "b", "b"]) pages.put(name, page(text));
  expect(["a", "b"].map((name) => pages.get(name) !== undefined)).toEqual([true, true]);
  pages.put("c", page(text));
  expect(["a", "b", "c"].map((name) => pages.get(name) !== undefined)).toEqual([false, true, true]);
});
