import { expect, test } from "vitest";
import { Channel, NOTHING } from "./channel.ts";

async function readAll<Value>(channel: Channel<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for await (const value of channel) values.push(value);
  return values;
}

test("values are read in order, also those that are added while reading", async () => {
  const channel = new Channel<number>();
  channel.push(1);
  const all = readAll(channel);
  await Promise.resolve();
  channel.push(2);
  channel.pushLatest("a", 3);
  channel.push(4);
  await new Promise((resolve) => setImmediate(resolve));
  channel.push(5);
  channel.close();
  channel.push(6);
  expect(await all).toEqual([1, 2, 3, 4, 5]);
});

test("C07: of many values of one kind only the latest are kept, and nothing else is lost", async () => {
  const channel = new Channel<string>();
  channel.push("first");
  for (let count = 1; count <= 100_000; count++) channel.pushLatest("flood", `flood ${count}`);
  channel.pushLatest("other", "other");
  channel.push("last");
  channel.close();
  const values = await readAll(channel);
  expect(values).toHaveLength(259);
  expect([values[0], values[1], values[256]]).toEqual(["first", "flood 99745", "flood 100000"]);
  expect(values.slice(257)).toEqual(["other", "last"]);
});

test("a channel that was read to its end is filled again, in order and without what was read", () => {
  const channel = new Channel<string>();
  const takeAll = () => {
    const taken: string[] = [];
    for (let next = channel.take(); next !== NOTHING; next = channel.take()) taken.push(next);
    return taken;
  };
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 5_000 * round + 3; count++) channel.push(`${round} ${count}`);
    channel.pushLatest("kind", "latest");
    const taken = takeAll();
    expect(taken).toHaveLength(5_000 * round + 4);
    expect([taken[0], taken.at(-2), taken.at(-1), channel.unread]).toEqual([
      `${round} 0`,
      `${round} ${5_000 * round + 2}`,
      "latest",
      0,
    ]);
  }
});

test("a reader that waits is woken by the next value, and by the end", async () => {
  const channel = new Channel<number>();
  const waited = channel.wait();
  channel.push(1);
  channel.push(2);
  await waited;
  expect([channel.take(), channel.take(), channel.take()]).toEqual([1, 2, NOTHING]);
  const again = channel.wait();
  channel.close();
  await again;
  expect(channel.isClosed).toBe(true);
});
