import { expect, test } from "vitest";
import type { LiveNotice } from "./dispatcher.ts";
import { Feed, type FeedItem } from "./feed.ts";

/** A feed whose worker is the test. */
async function opened(hasText = true) {
  let send: (notice: LiveNotice) => void = () => {};
  let asked = 0;
  const dispatcher = {
    announce: async (): Promise<void> => void asked++,
    subscribe: async (_session: object, listener: (notice: LiveNotice) => void) => {
      send = listener;
      return () => {};
    },
  };
  const feed = new Feed({ session: { tenant: "default", id: "s" }, dispatcher, hasText });
  await feed.open(undefined);
  return { feed, send: (notice: LiveNotice): void => send(notice), asked: () => asked };
}

const stored = (at: number, ...lines: string[]): LiveNotice => ({
  type: "stored",
  at,
  end: at + lines.length,
  lines,
});
const text = (at: number, offset: number, words: string, more: object = {}): LiveNotice => ({
  type: "text",
  response: "r1",
  turn: 1,
  at,
  offset,
  text: words,
  ...more,
});

/** Everything that can be read at a position without the store. */
function all(feed: Feed, from: number): (string | number)[] {
  const found: (string | number)[] = [];
  let at = from;
  for (let item: FeedItem | undefined = feed.next(at); item !== undefined; item = feed.next(at)) {
    at = item.position;
    found.push("line" in item ? item.line : item.entry.text);
  }
  return [...found, at];
}

test("lines and texts come in the order of the journal", async () => {
  const { feed, send } = await opened();
  send(stored(0, "a", "b"));
  send(text(2, 0, "Hel"));
  send(text(2, 3, "lo"));
  send(stored(2, "c"));
  expect(all(feed, 0)).toEqual(["a", "b", "Hel", "lo", "c", 3]);
  expect([feed.end, feed.hasNext(3)]).toEqual([3, false]);
});

test("what was read from the store is not repeated, and what is missing is read from it", async () => {
  const { feed, send } = await opened();
  send(stored(0, "a", "b", "c"));
  expect(all(feed, 2)).toEqual(["c", 3]);
  send(stored(5, "f"));
  expect([all(feed, 3), feed.hasNext(3)]).toEqual([[3], true]);
  expect(all(feed, 5)).toEqual(["f", 6]);
  // A batch without its lines, or of a store whose positions are not numbers of lines.
  for (const notice of [{ type: "stored", at: 6, end: 8 } as const, { ...stored(6, "x"), end: 99 }]) {
    send(notice);
    expect([all(feed, 6), feed.hasNext(6)]).toEqual([[6], true]);
  }
});

test("a reader that comes in the middle of a text asks for it once, and gets the rest without a gap", async () => {
  const { feed, send, asked } = await opened();
  for (const offset of [6, 7]) send(text(0, offset, "world"));
  expect([all(feed, 0), asked()]).toEqual([[0], 1]);
  send(text(0, 4, "o world", { isAll: true }));
  send(text(0, 6, "world!"));
  expect(all(feed, 0)).toEqual(["o world", "!", 0]);
  send(text(0, 0, "Again", { response: "r2" }));
  send(text(0, 20, "gap", { response: "r2" }));
  expect(all(feed, 0)).toEqual(["Again", 0]);
});

test("text from before the last entry that was read is dropped: its entry can have been read already", async () => {
  const { feed, send } = await opened();
  send(text(3, 0, "old"));
  send(text(4, 0, "new", { response: "r2" }));
  expect(all(feed, 4)).toEqual(["new", 4]);
});

test("a reader that is too slow reads from the store, and one without texts gets none", async () => {
  const { feed, send } = await opened(false);
  send(text(0, 0, "no"));
  expect(all(feed, 0)).toEqual([0]);
  for (let at = 0; at < 1_500; at++) send(stored(at, String(at)));
  expect([all(feed, 0), feed.end]).toEqual([[0], 1_500]);
  expect(all(feed, 1_200).at(-1)).toBe(1_500);
});

test("a journal that turns out to be shorter does not make readers wait for the rest", async () => {
  const { feed, send } = await opened();
  send(stored(7, "x"));
  send(text(8, 0, "y"));
  feed.endsAt(2);
  expect([feed.end, feed.hasNext(2), all(feed, 2)]).toEqual([2, false, [2]]);
});
