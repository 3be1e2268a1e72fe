import { expect, test } from "vitest";
import { Recording, streamOf } from "../../test/support/wire.ts";
import { Assembly } from "./assemble.ts";
import { tap } from "./tap.ts";

test("An error of the sink reaches the consumer, and the source is closed", async () => {
  const sink = new Recording();
  const assembly = new Assembly(sink);
  const source = streamOf([1, 2, 3]);
  const events = tap(source, assembly, (event) => {
    if (event === 2) throw new Error("a bug of the caller");
  });
  expect(await events.next()).toEqual({ done: false, value: 1 });
  await expect(events.next()).rejects.toThrow("a bug of the caller");
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(await source.next()).toEqual({ done: true, value: undefined });
});

test("A source that cannot be opened counts as a cut connection", async () => {
  const sink = new Recording();
  const source: AsyncIterable<unknown> = {
    [Symbol.asyncIterator]() {
      throw new Error("locked");
    },
  };
  await expect(tap(source, new Assembly(sink), () => {}).next()).rejects.toThrow("locked");
  expect(sink.endings).toEqual([{ ok: false, reason: "the connection was cut: locked" }]);
});

test("Overlapping reads get the events in order", async () => {
  const sink = new Recording();
  const seen: number[] = [];
  const events = tap(streamOf([1, 2]), new Assembly(sink), (event) => void seen.push(event));
  const results = await Promise.all([events.next(), events.next(), events.next(), events.next()]);
  expect(results.map((result) => result.value)).toEqual([1, 2, undefined, undefined]);
  expect(seen).toEqual([1, 2]);
  expect(sink.endings).toHaveLength(1);
});
