import { expect, test } from "vitest";
import { runInProcess } from "../shared/own-process.ts";
import { readPage, withoutTags } from "./web-page.ts";

const never = new AbortController().signal;
const url = "https://example.com/a/b";

test("a page without a main part is shown completely, without a note", async () => {
  const html = '<base href="/c/"><ul><li><a href="d">one</a></li><li><del>two</del></li></ul>';
  expect(await readPage({ url, html }, never)).toEqual({
    title: "",
    text: "-   [one](https://example.com/c/d)\n-   ~two~",
    notes: [],
  });
});

test("a page without a head is shown with its title", async () => {
  for (const before of [
    "<title>T</title>",
    "<meta charset=utf-8>\n<title>T</title>",
    "<head><title>T</title></head>",
  ]) {
    const html = `<!doctype html><html>${before}<body><p>some words</p></body></html>`;
    expect(await readPage({ url, html }, never)).toEqual({ title: "T", text: "some words", notes: [] });
  }
});

test("hidden text of a page is shown, or a note says that it is left out", async () => {
  const words = `<p>${"Plain words of the main part, and more. ".repeat(50)}</p>`;
  const html = `<html><body><article>${words}<p style="display:none">hidden words</p></article></body></html>`;
  const { text, notes } = await readPage({ url, html }, never);
  expect(text).not.toContain("hidden words");
  expect(notes).toEqual([
    "Only the main part of the page is shown (1999 of 2012 characters of text); menus and hidden text are left out.",
  ]);
  const bare = await readPage(
    { url, html: '<p>seen</p><p style="display:none">hidden words, more than are seen</p>' },
    never,
  );
  expect(bare).toEqual({ title: "", text: "seen\n\nhidden words, more than are seen", notes: [] });
});

test("links to scripts and data are not passed on", async () => {
  const html =
    '<p><a href="javascript:alert(1)">run</a> <a href="data:text/html,x">see</a> <img src="data:x" alt="dot"></p>';
  expect((await readPage({ url, html }, never)).text).toBe("run see \\[image: dot\\]");
});

test("pages of nothing, of text only and of broken HTML are read", async () => {
  const texts = await Promise.all(
    [
      "",
      "just text",
      "<p>open <b>bold",
      "<frameset></frameset>",
      "<html><head><title>T</title></head></html>",
    ].map((html) => readPage({ url, html }, never)),
  );
  expect(texts.map(({ title, text }) => [title, text])).toEqual([
    ["", ""],
    ["", "just text"],
    ["", "open **bold**"],
    ["", ""],
    ["T", ""],
  ]);
});

test("a page that is nested too deeply or takes too long is returned as plain text, with a note", async () => {
  const deep = await readPage({ url, html: `${"<div>".repeat(100_000)}inside`, limitMs: 2_000 }, never);
  expect(deep.text).toBe("inside");
  expect(deep.notes).toEqual([
    expect.stringMatching(/^The page could not be converted \(.+\); this is its plain text\.$/),
  ]);
  const html = `<script>x</script><p>${"word <b>bold</b> ".repeat(20_000)}</p>`;
  const slow = await readPage({ url, html, limitMs: 1 }, never);
  expect(slow.notes).toEqual([
    "The page could not be converted (it took longer than 0.001 s); this is its plain text.",
  ]);
  expect(slow.text.startsWith("word bold word bold")).toBe(true);
});

test("a page with too much markup is returned as plain text, with a note", async () => {
  const tags = await readPage({ url, html: "<i>x</i>".repeat(50_001) }, never);
  const long = await readPage({ url, html: `<p>${"words ".repeat(900_000)}</p>` }, never);
  expect([tags, long].map(({ notes }) => notes)).toEqual([
    ["The page could not be converted (it has more than 100000 tags); this is its plain text."],
    [
      "The page could not be converted (it has more than 5000000 characters of HTML); this is its plain text.",
    ],
  ]);
  expect([tags.text.length, long.text.length]).toEqual([100_001, 5_399_999]);
});

test("a conversion that runs out of memory fails alone and is reported", async () => {
  const script =
    "const all = []; while (all.length < 110_000) all.push(new Array(1_000).fill(0.5)); return 1;";
  expect(await runInProcess({ script, input: 1, limitMs: 25_000, signal: never })).toEqual({
    type: "failed",
    message: "the reader crashed or ran out of memory",
  });
});

test("a conversion that never ends is stopped with its call", async () => {
  const controller = new AbortController();
  const script = "for (;;);";
  const running = runInProcess({ script, input: 1, limitMs: 600_000, signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
});

test("scripts, styles and comments do not count as markup, and hide nothing but themselves", async () => {
  const script = `<script type="x">${"a < b /".repeat(200_000)}</SCRIPT >`;
  const html = `<p>one</p>${script}<p>two</p><!-- <script> --><p>three</p><style>p > a {}</style>four<script>five`;
  expect(await readPage({ url, html }, never)).toEqual({
    title: "",
    text: "one\n\ntwo\n\nthree\n\nfour",
    notes: [],
  });
});

test("the reading is stopped with its call", async () => {
  const controller = new AbortController();
  const reading = readPage({ url, html: "<p>x</p>".repeat(20_000) }, controller.signal);
  controller.abort(new Error("enough"));
  await expect(reading).rejects.toThrow("enough");
});

test("tags are taken out in one pass, however many are left open", () => {
  expect(withoutTags("a<!-- x --><style>s</style>b <i>c</i>\n\n<script>\nx")).toBe("a b c");
  expect(withoutTags("<".repeat(1_000_000))).toBe("");
  expect(withoutTags("<script>".repeat(200_000))).toBe("");
});
