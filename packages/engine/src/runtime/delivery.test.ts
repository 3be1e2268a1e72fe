import type { ToolResult } from "../core/outcome.ts";
import { expect, test } from "vitest";
import { Delivery } from "./delivery.ts";
import { Outbox, type Update } from "./outbox.ts";
import { bound } from "./output.ts";
import type { Results } from "./ports.ts";

type ResultUpdate = Extract<Update, { type: "result" }>;

function updateOf(callId: string, content: ToolResult["content"]): ResultUpdate {
  return {
    type: "result",
    callId,
    result: { type: "tool_result", tool_use_id: callId, content, is_error: false },
    output: "what the tool gave",
    outcome: { type: "succeeded", content },
  };
}

function newDelivery(results: Results = { store: () => "/stored" }) {
  const outbox = new Outbox();
  const failures: string[][] = [];
  const delivery = new Delivery(outbox, results, {
    idle: () => {},
    failed: (...failure) => void failures.push(failure),
  });
  const out = (): Update[] => {
    const updates: Update[] = [];
    for (let update = outbox.take(); update !== undefined; update = outbox.take()) updates.push(update);
    return updates;
  };
  return { delivery, failures, out, settled: () => new Promise(setImmediate) };
}

/** A save that finishes on request. */
function saving(): { saved: Promise<void>; done: () => void } {
  let done = (): void => {};
  const saved = new Promise<void>((resolve) => {
    done = resolve;
  });
  return { saved, done };
}

const words = (chars: number): string => "word ".repeat(chars / 5);

/** How many characters of each result came out, in order. */
const sizes = (updates: readonly Update[]): unknown[] =>
  updates.map((update) => update.type === "result" && update.result.content.length);

test("A result that is saved and fits is delivered at once, unchanged", () => {
  const { delivery, out } = newDelivery();
  const update = updateOf("a", "done");
  delivery.deliver("Look", update, undefined);
  expect([out()[0] === update, delivery.isIdle]).toEqual([true, true]);
});

test("A result waits until it is saved, and later ones wait for it, in order", async () => {
  const { delivery, out, settled } = newDelivery();
  const first = saving();
  const second = saving();
  delivery.deliver("Look", updateOf("a", "1"), first.saved);
  delivery.deliver("Look", updateOf("b", "2"), second.saved);
  delivery.deliver("Look", updateOf("c", "3"), undefined);
  second.done();
  await settled();
  expect([out(), delivery.isIdle]).toEqual([[], false]);
  first.done();
  await settled();
  expect(out()).toEqual([updateOf("a", "1"), updateOf("b", "2"), updateOf("c", "3")]);
  expect(delivery.isIdle).toBe(true);
  delivery.deliver("Look", updateOf("d", "4"), undefined);
  expect(out()).toEqual([updateOf("d", "4")]);
});

test("Above the limit of a turn, large results go to the store and small ones do not", async () => {
  const stored: unknown[] = [];
  const store: Results["store"] = (item) => `/results/${stored.push(item)}`;
  const { delivery, out, settled } = newDelivery({ store, turnChars: 10_000 });
  for (const [callId, chars] of [
    ["a", 10_000],
    ["b", 6_000],
    ["c", 4_000],
  ] as const)
    delivery.deliver("Look", updateOf(callId, words(chars)), undefined);
  await settled();
  const [first, second, third] = out() as [ResultUpdate, ResultUpdate, ResultUpdate];
  expect([first, third]).toEqual([updateOf("a", words(10_000)), updateOf("c", words(4_000))]);
  expect(stored).toEqual([{ callId: "b", toolName: "Look", text: words(6_000) }]);
  expect(second.result).toMatchObject({ type: "tool_result", tool_use_id: "b", is_error: false });
  expect(second.result.content).toMatch(
    /^\[Result too large: 6000 characters\. The full result is stored in \/results\/1\. /,
  );
  expect([second.output, second.outcome]).toEqual([
    "what the tool gave",
    { type: "succeeded", content: words(6_000) },
  ]);
});

test("A result that is too large by itself does not use up the limit of the turn", async () => {
  const { delivery, out, settled } = newDelivery({ store: () => "/stored", turnChars: 20_000 });
  for (const [callId, chars] of [
    ["a", 50_000],
    ["b", 12_000],
    ["c", 12_000],
  ] as const)
    delivery.deliver("Look", updateOf(callId, words(chars)), undefined);
  await settled();
  const [first, second, third] = sizes(out()) as [number, number, number];
  expect([first < 5_000, second, third < 5_000]).toEqual([true, 12_000, true]);
});

test("The default limit of a turn's results is 200,000 characters", async () => {
  const { delivery, out, settled } = newDelivery();
  for (let at = 0; at < 8; at++) delivery.deliver("Look", updateOf(`${at}`, words(30_000)), undefined);
  await settled();
  expect(sizes(out()).filter((size) => size === 30_000)).toHaveLength(6);
});

test("If the store fails, the middle of the text is left out, the failure is reported, and nothing else is delayed", async () => {
  const store = (): never => {
    throw new Error("disk full");
  };
  const { delivery, failures, out, settled } = newDelivery({ store, turnChars: 10 });
  delivery.deliver("Look", updateOf("a", words(6_000)), undefined);
  delivery.deliver("Look", updateOf("b", "short"), undefined);
  await settled();
  const [first, second] = sizes(out()) as [number, number];
  expect([first < 5_500, second, delivery.isIdle]).toEqual([true, 5, true]);
  expect(failures).toEqual([["a", "Look", "disk full"]]);
});

test("In a list of blocks, the texts are shortened and the images stay", async () => {
  const { delivery, out, settled } = newDelivery({ store: () => "/stored", turnChars: 10 });
  const image = { type: "image", source: { type: "url", url: "https://a.example/i.png" } } as const;
  delivery.deliver("Look", updateOf("a", [image, { type: "text", text: words(9_000) }]), undefined);
  await settled();
  expect(out()).toMatchObject([{ result: { content: [{ type: "text" }, image] } }]);
});

test("A result that was stored and shortened is not shortened again", async () => {
  const stored: string[] = [];
  const results: Results = { store: ({ text }) => `/results/${stored.push(text)}`, turnChars: 10 };
  const bounding = { callId: "a", toolName: "Look", maxChars: 30_000, results, onFailure: () => {} };
  const short = await bound(words(100_000), bounding);
  const { delivery, out, settled } = newDelivery(results);
  delivery.deliver("Look", updateOf("a", short), undefined);
  await settled();
  expect(stored).toEqual([words(100_000)]);
  expect(out()).toEqual([updateOf("a", short)]);
});
