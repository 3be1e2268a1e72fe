import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Results, memoryResults } from "@runahead/engine";
import { checkHistory } from "@runahead/engine/history";
import { expect, test } from "vitest";
import type { Block, Message } from "../model/message.ts";
import { shortenResults } from "./shorten.ts";

const LONG = `beginning ${"x".repeat(5_000)} the end`;
const signal = new AbortController().signal;
const call = (id: string, name = "Read"): Block => ({ type: "tool_use", id, name, input: {} });
const result = (id: string, content: unknown, more: object = {}): Block => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
const user = (...content: Block[]): Message => ({ role: "user", content });
const assistant = (...content: Block[]): Message => ({ role: "assistant", content });
const contentOf = (message: Message | undefined): readonly Block[] =>
  message === undefined || typeof message.content === "string" ? [] : message.content;
const ask: Message = { role: "user", content: "go" };
const done: Message = assistant({ type: "text", text: "Done." });
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(4_000) } };
const failing: Results = { store: () => Promise.reject(new Error("ENOSPC: no space left on device")) };

/** A result of an old turn, shortened. */
async function shortenedOld(content: unknown, results: Results = memoryResults()): Promise<Block> {
  const messages = [ask, assistant(call("a")), user(result("a", content)), done];
  const after = await shortenResults(messages, { keepTokens: 0, results, signal });
  expect(checkHistory(after)).toEqual([]);
  return contentOf(after[2])[0] as Block;
}

test("a long old result becomes a note that says where the full result is stored", async () => {
  const folder = await mkdtemp(join(tmpdir(), "shorten-"));
  const results: Results = {
    async store({ callId, text }) {
      await writeFile(join(folder, callId), text);
      return join(folder, callId);
    },
  };
  try {
    const path = join(folder, "a");
    expect(await shortenedOld(LONG, results)).toEqual(
      result(
        "a",
        `[Shortened: the result of Read, ${LONG.length} characters. The full result is stored in ${path}.]`,
      ),
    );
    expect(await readFile(path, "utf8")).toBe(LONG);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a result that was stored before keeps its path and is not stored again", async () => {
  const about =
    "[Result too large: 70123 characters. The full result is stored in /tmp/a. b/1.txt. Its beginning and end:]\n";
  const note =
    "[Shortened: the result of Read, 70123 characters. The full result is stored in /tmp/a. b/1.txt.]";
  expect(await shortenedOld(`${about}${LONG}`, failing)).toEqual(result("a", note));
});

test("E01: a result that cannot be stored keeps both ends and says that the rest is lost", async () => {
  const { content } = await shortenedOld(LONG, failing);
  const lines = String(content).split("\n");
  expect(lines[0]).toBe(
    `[Shortened: the result of Read, ${LONG.length} characters. It could not be stored (ENOSPC: no space left on device). Only its beginning and end are kept:]`,
  );
  expect(lines.slice(1)).toEqual([
    LONG.slice(0, 150),
    `[… ${LONG.length - 300} characters omitted …]`,
    LONG.slice(-150),
  ]);
  const torn = await shortenedOld("😀".repeat(75).padStart(151, "-").padEnd(999, "x"), failing);
  expect(String(torn["content"]).isWellFormed()).toBe(true);
});

test("errors stay errors, and other fields of a result stay too", async () => {
  const failed = result("a", LONG, { is_error: true, cache_control: { type: "ephemeral" } });
  const messages = [ask, assistant(call("a")), user(failed), done];
  const after = await shortenResults(messages, { keepTokens: 0, results: memoryResults(), signal });
  expect(after[2]?.content).toMatchObject([{ is_error: true, cache_control: { type: "ephemeral" } }]);
});

test("images and documents become a line that names them; short texts next to them stay", async () => {
  const pdf = { type: "document", source: { type: "url", url: "https://example.com" } };
  const text = { type: "text", text: "a picture" };
  expect(await shortenedOld([text, image, pdf])).toEqual(
    result("a", [
      text,
      { type: "text", text: "[Shortened: an image, image/png, 3000 bytes, is no longer shown.]" },
      {
        type: "text",
        text: "[Shortened: a document, of an unknown kind, of an unknown size, is no longer shown.]",
      },
    ]),
  );
  const other = { type: "search_result", title: "t" };
  expect(await shortenedOld([{ type: "text", text: LONG }, image, other])).toEqual(
    result("a", [
      {
        type: "text",
        text: `[Shortened: the result of Read, ${LONG.length} characters. The full result is stored in memory:/results/1-a.]`,
      },
      { type: "text", text: "[Shortened: an image, image/png, 3000 bytes, is no longer shown.]" },
      other,
    ]),
  );
});

test("the newest messages, the last turn and everything that is not a result stay unchanged", async () => {
  const thinking = { type: "thinking", thinking: LONG, signature: "s" };
  const said: Message = { role: "user", content: LONG };
  const old = [said, assistant(thinking, call("a"), { type: "text", text: LONG }), user(result("a", LONG))];
  const middle = [assistant(call("b")), user(result("b", LONG), { type: "text", text: LONG })];
  const last = [assistant(call("c"), call("d")), user(result("c", LONG), result("d", LONG)), said];
  const messages = [...old, ...middle, ...last];
  const options = { results: memoryResults(), signal };
  const changed = async (keepTokens: number): Promise<number[]> => {
    const after = await shortenResults(messages, { ...options, keepTokens });
    expect(checkHistory(after)).toEqual([]);
    return messages.flatMap((message, at) => (message === after[at] ? [] : [at]));
  };
  expect(await changed(0)).toEqual([2, 4]);
  expect(await changed(6_500)).toEqual([2]);
  const after = await shortenResults(messages, { ...options, keepTokens: 0 });
  expect(contentOf(after[4])[1]).toBe(contentOf(messages[4])[1]);
  expect(await shortenResults(messages, { ...options, keepTokens: 100_000 })).toBe(messages);
});

test("a shortened result is not shortened again, however long its path and however many its images", async () => {
  const contents = [
    LONG,
    `short`,
    [image, { type: "text", text: LONG }],
    Array.from({ length: 40 }, () => image),
  ];
  for (const results of [memoryResults(), failing, { store: () => `/${"p".repeat(4_000)}` }]) {
    const messages = contents.flatMap((content, at) => [
      assistant(call(`c${at}`)),
      user(result(`c${at}`, content)),
    ]);
    const options = { keepTokens: 0, results, signal };
    const once = await shortenResults([ask, ...messages, done], options);
    expect(once.slice(0, 3)).not.toEqual([ask, ...messages.slice(0, 2)]);
    expect(await shortenResults(once, options)).toBe(once);
  }
});

test("a text that only begins like a note is shortened", async () => {
  const { content } = await shortenedOld(`[Shortened: not at all${LONG}${LONG}`);
  expect(content).toMatch(
    /^\[Shortened: the result of Read, \d+ characters\. The full result is stored in memory:/,
  );
});

test("the user can stop it while the store hangs", async () => {
  const abort = new AbortController();
  const hanging: Results = { store: () => new Promise(() => {}) };
  const messages = [ask, assistant(call("a")), user(result("a", LONG)), done];
  const running = shortenResults(messages, { keepTokens: 0, results: hanging, signal: abort.signal });
  setTimeout(() => abort.abort(), 5);
  await expect(running).rejects.toMatchObject({ name: "AbortError" });
});
