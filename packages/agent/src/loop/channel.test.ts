import { expect, test } from "vitest";
import { Channel } from "./channel.ts";

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
