import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Chain, Fifo, IndexHeap, NameMap } from "./queue.ts";

const callOf = (index: number) => ({ index });

describe("The heap of calls", () => {
  test("The earliest call comes out first, whatever the order of insertion", () => {
    const step = fc.oneof(fc.nat({ max: 50 }), fc.constant("pop" as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new IndexHeap<{ index: number }>();
        const inside: number[] = [];
        for (const one of steps) {
          if (one === "pop") {
            expect(heap.pop()?.index).toBe(inside.sort((a, b) => a - b).shift());
          } else {
            heap.push(callOf(one));
            inside.push(one);
          }
          expect(heap.size).toBe(inside.length);
        }
      }),
    );
  });

  test("A call that is added twice comes out twice", () => {
    const heap = new IndexHeap<{ index: number }>();
    const call = callOf(3);
    for (const one of [call, callOf(5), call]) heap.push(one);
    expect([heap.pop(), heap.pop(), heap.pop()?.index, heap.pop()]).toEqual([call, call, 5, undefined]);
  });

  test("An empty heap returns nothing and can be filled again", () => {
    const heap = new IndexHeap<{ index: number }>();
    expect([heap.pop(), heap.size]).toEqual([undefined, 0]);
    heap.push(callOf(1));
    expect([heap.pop()?.index, heap.pop(), heap.size]).toEqual([1, undefined, 0]);
  });
});

test("Removed calls are dropped, and the order of the others stays the same", () => {
  const heap = new IndexHeap<{ index: number }>();
  const fifo = new Fifo<number>();
  for (const index of [5, 3, 8, 1, 4]) heap.push({ index });
  for (const item of [5, 3, 8, 1, 4]) fifo.push(item);
  fifo.shift();
  heap.keep(({ index }) => index > 3);
  fifo.keep((item) => item > 3);
  expect([heap.pop(), heap.pop(), heap.pop(), heap.pop()].map((item) => item?.index)).toEqual([
    4,
    5,
    8,
    undefined,
  ]);
  expect([fifo.size, fifo.shift(), fifo.shift(), fifo.shift()]).toEqual([2, 8, 4, undefined]);
});

describe("First in, first out", () => {
  test("It behaves like a list", () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ push: fc.nat() }) },
      { weight: 2, arbitrary: fc.constant("shift" as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 500, size: "max" }), (steps) => {
        const fifo = new Fifo<number>();
        const list: number[] = [];
        for (const one of steps) {
          if (one === "shift") {
            expect(fifo.shift()).toBe(list.shift());
          } else {
            fifo.push(one.push);
            list.push(one.push);
          }
          expect([fifo.size, fifo.peek()]).toEqual([list.length, list[0]]);
        }
      }),
    );
  });

  test("Undefined is a valid item", () => {
    const fifo = new Fifo<string | undefined>();
    for (const item of [undefined, "a"]) fifo.push(item);
    expect([fifo.size, fifo.peek(), fifo.shift(), fifo.size, fifo.shift(), fifo.size]).toEqual([
      2,
      undefined,
      undefined,
      1,
      "a",
      0,
    ]);
  });

  test("Shifting an empty queue leaves it usable", () => {
    const fifo = new Fifo<number>();
    expect([fifo.shift(), fifo.shift(), fifo.size]).toEqual([undefined, undefined, 0]);
    fifo.push(1);
    expect([fifo.size, fifo.shift()]).toEqual([1, 1]);
  });

  test("A million items pass through with only a few inside at a time", { timeout: 20_000 }, () => {
    const fifo = new Fifo<number>();
    let sum = 0;
    for (let item = 0; item < 1_000_000; item++) {
      fifo.push(item);
      if (item >= 100) sum += fifo.shift() as number;
    }
    expect([fifo.size, fifo.peek(), sum]).toEqual([100, 999_900, (999_899 * 999_900) / 2]);
  });
});

interface Link {
  readonly name: string;
  before: Link | undefined;
  after: Link | undefined;
}

test("A chain keeps items in insertion order, and an item can be removed from anywhere", () => {
  const chain = new Chain<Link>();
  const link = (name: string): Link => ({ name, before: undefined, after: undefined });
  const [a, b, c, d] = [link("a"), link("b"), link("c"), link("d")];
  const names = (): string =>
    chain
      .list()
      .map(({ name }) => name)
      .join("");
  for (const item of [a, b, c, d]) chain.append(item);
  expect([names(), chain.first]).toEqual(["abcd", a]);
  chain.remove(b);
  chain.remove(b);
  expect(names()).toBe("acd");
  chain.remove(a);
  chain.remove(d);
  expect([names(), chain.first]).toEqual(["c", c]);
  chain.remove(c);
  chain.remove(link("elsewhere"));
  expect([names(), chain.first]).toEqual(["", undefined]);
  chain.append(b);
  chain.append(a);
  expect(names()).toBe("ba");
});

describe("The map of names", () => {
  test("It contains what a plain map contains, whatever is added and deleted", () => {
    const names = fc.constantFrom(...Array.from({ length: 60 }, (_, at) => `n${at}`));
    fc.assert(
      fc.property(fc.array(names, { maxLength: 400 }), (steps) => {
        const map = new NameMap<{ at: number }>();
        const plain = new Map<string, { at: number }>();
        for (const [at, name] of steps.entries()) {
          if (plain.delete(name)) map.delete(name);
          else {
            map.add(name, { at });
            plain.set(name, { at });
          }
          expect([map.size, map.get(name)]).toEqual([plain.size, plain.get(name)]);
        }
        expect(new Set(map.values())).toEqual(new Set(plain.values()));
      }),
    );
  });
});
