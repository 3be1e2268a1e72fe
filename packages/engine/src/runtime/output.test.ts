import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Bounding,
  PrintedSoFar,
  bothEnds,
  bound,
  contentChars,
  memoryResults,
  toContent,
} from "./output.ts";
import { collectGarbage } from "../../test/support/garbage.ts";
import type { Results } from "./ports.ts";
import type { AnyTool, ResultContent } from "./tool.ts";

function toolOf(toResult?: (output: unknown) => unknown): AnyTool {
  const tool = { name: "Look", description: "", inputSchema: {}, call: () => undefined };
  return (toResult === undefined ? tool : { ...tool, toResult }) as AnyTool;
}

function bounding(maxChars: number, results: Results, failures: unknown[] = []): Bounding {
  return {
    callId: "c1",
    toolName: "Look",
    maxChars,
    results,
    onFailure: (...about) => void failures.push(about),
  };
}

/** What is still held after collecting garbage, in megabytes. */
function heldMb(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

const someText = fc.string({ unit: fc.constantFrom("a", "7", " ", "\n", "é", "😀", "👩‍💻"), maxLength: 400 });

describe("From output to content", () => {
  test.each<[string, unknown, ResultContent]>([
    ["text", "found it", "found it"],
    ["nothing", undefined, "(Look completed with no output)"],
    ["empty text", "", "(Look completed with no output)"],
    ["a value", { a: [1, 2n] }, '{"a":[1,"2"]}'],
    ["bytes", Buffer.from("PNG"), "[binary data, 3 bytes]"],
    ["text that is binary data", "\u0089PNG\u0000\u0001", "[binary data, 6 characters, not shown]"],
    ["half of a surrogate pair", "x\ud83d", "x\ufffd"],
  ])("A tool can return %s", (_, output, content) => {
    expect(toContent(toolOf(), output)).toEqual(content);
  });

  test("A tool's own blocks are kept, their texts are cleaned, and other values become text", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
    const blocks = [
      { type: "text", text: "a\ud83d" },
      image,
      { type: "text", text: 7n },
      { type: "odd" },
      null,
    ];
    expect(
      toContent(
        toolOf(() => blocks),
        "ignored",
      ),
    ).toEqual([
      { type: "text", text: "a\ufffd" },
      image,
      { type: "text", text: "7" },
      { type: "text", text: '{"type":"odd"}' },
      { type: "text", text: "null" },
    ]);
  });

  test("A rendering that is neither text nor blocks becomes text, and an empty one is marked as empty", () => {
    expect(
      toContent(
        toolOf(() => ({ a: 1 })),
        "x",
      ),
    ).toBe('{"a":1}');
    expect(
      toContent(
        toolOf(() => undefined),
        "x",
      ),
    ).toBe("(Look completed with no output)");
    expect(
      toContent(
        toolOf(() => []),
        "x",
      ),
    ).toBe("(Look completed with no output)");
  });

  test.each<[string, object]>([
    ["an empty text", { type: "text", text: "" }],
    ["blank text", { type: "text", text: " \n" }],
    ["a text without text", { type: "text" }],
  ])("A block with %s is left out: the API refuses it", (_, block) => {
    const kept = { type: "text", text: "kept" };
    const contentOf = (...blocks: object[]): unknown =>
      toContent(
        toolOf(() => blocks),
        "x",
      );
    expect(contentOf(block, kept)).toEqual([kept]);
    expect(contentOf(block)).toBe("(Look completed with no output)");
  });

  test.each<object>([
    { type: "image" },
    { type: "image", source: null },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "" } },
    { type: "image", source: { type: "base64", data: "aGk=" } },
    { type: "document", source: { type: "url" } },
    { type: "document", source: { type: "file", file_id: 5 } },
  ])("The API refuses %o, so it becomes text", (block) => {
    expect(
      toContent(
        toolOf(() => [block]),
        "x",
      ),
    ).toEqual([{ type: "text", text: JSON.stringify(block) }]);
  });
});

describe("The two ends of a text (C14)", () => {
  test("A text that fits is returned unchanged", () => {
    expect(bothEnds("12345", 5)).toBe("12345");
    expect(bothEnds("", 0)).toBe("");
  });

  test("The middle of a text that does not fit is left out and counted", () => {
    expect(bothEnds("1 2 3 4 5 6", 4)).toBe("1 \n[… 7 characters left out …]\n 6");
    expect(bothEnds("1 2 3 4 5 6", 5)).toBe("1 2\n[… 6 characters left out …]\n 6");
    expect(bothEnds("1 2 3", 0)).toBe("\n[… 5 characters left out …]\n");
  });

  test("C14: no cut splits a surrogate pair, nothing is counted twice, and the limit is kept", () => {
    fc.assert(
      fc.property(someText, fc.nat({ max: 300 }), (text, maxChars) => {
        const short = bothEnds(text, maxChars);
        expect(short.isWellFormed()).toBe(true);
        if (text.length <= maxChars) return;
        const match = /^(.*)\n\[… (\d+) characters left out …\]\n(.*)$/s.exec(short) ?? [];
        const [head, left, tail] = [String(match[1]), Number(match[2]), String(match[3])];
        expect(head.length + tail.length).toBeLessThanOrEqual(maxChars);
        expect(head.length + left + tail.length).toBe(text.length);
        expect([text.startsWith(head), text.endsWith(tail)]).toEqual([true, true]);
      }),
    );
  });

  test("C14: no cut is inside a long run of base64, however far into the run it would be", () => {
    const plain = fc.integer({ min: 1, max: 600 }).map((length) => "! ".repeat(length));
    const run = fc
      .integer({ min: 600, max: 1_500 })
      .map((length) => "iVBORw0KGgo+/".repeat(200).slice(0, length));
    fc.assert(
      fc.property(
        plain,
        run,
        plain,
        fc.integer({ min: 10, max: 1_500 }),
        (before, base64, after, maxChars) => {
          const short = bothEnds(`${before}${base64}${after}`, maxChars);
          const rest = short.replace(base64, "").replace(/\[… \d+ characters left out …\]/, "");
          expect(rest).not.toMatch(/[A-Za-z0-9+/]/);
        },
      ),
    );
  });
});

describe("Bounding a result", () => {
  test("Content that fits is returned unchanged", async () => {
    const blocks = [{ type: "text", text: "12345" }] as const;
    expect(await bound("12345", bounding(5, memoryResults()))).toBe("12345");
    expect(await bound(blocks, bounding(5, memoryResults()))).toBe(blocks);
  });

  test("Content that is too large goes to the store, and the model gets both ends, the size and the location", async () => {
    const stored: unknown[] = [];
    const text = "a line\n".repeat(1_000);
    const store = (item: unknown): string => `/results/${stored.push(item)}`;
    expect(await bound(text, bounding(28, { store }))).toBe(
      `[Result too large: 7000 characters. The full result is stored in /results/1. Its beginning and end:]
a line\na line\n\n[… 6972 characters left out …]\na line\na line\n`,
    );
    expect(stored).toEqual([{ callId: "c1", toolName: "Look", text }]);
  });

  test.each<[string, Results["store"]]>([
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
    ["rejects", () => Promise.reject(new Error("disk full"))],
  ])("If the store %s, the middle of the text is left out, and the failure is reported", async (_, store) => {
    const failures: unknown[] = [];
    expect(await bound("1 2 3 4 5 6", bounding(4, { store }, failures))).toBe(
      `[Result too large: 11 characters, and it could not be stored (disk full). Its beginning and end:]
1 \n[… 7 characters left out …]\n 6`,
    );
    expect(failures).toEqual([["c1", "Look", "disk full"]]);
  });

  test("In a list of blocks, the texts are limited together and the others stay", async () => {
    const image = { type: "image", source: { type: "url", url: "https://a.example/i.png" } } as const;
    const content = [{ type: "text", text: "1 2 3" }, image, { type: "text", text: "4 5 6" }] as const;
    expect(contentChars(content)).toBe(10);
    expect(await bound(content, bounding(4, { store: () => "/r" }))).toEqual([
      {
        type: "text",
        text: "[Result too large: 11 characters. The full result is stored in /r. Its beginning and end:]\n1 \n[… 7 characters left out …]\n 6",
      },
      image,
    ]);
  });

  test("10 MB become a preview of a few thousand characters that does not keep the rest in memory (C13)", async () => {
    const previews: unknown[] = [];
    const before = heldMb();
    for (let at = 0; at < 12; at++) {
      const text = Buffer.alloc(10_000_000, `line ${at}. `).toString("latin1");
      previews.push(await bound(text, bounding(30_000, { store: () => "/r" })));
    }
    expect(previews.every((preview) => String(preview).length < 5_000)).toBe(true);
    expect(heldMb() - before).toBeLessThan(60);
  });
});

describe("What a call prints while it runs", () => {
  const printed = (...pieces: string[]): string => {
    const all = new PrintedSoFar();
    for (const piece of pieces) all.add(piece);
    return all.toString();
  };

  test("Short output is kept completely, in whatever pieces it arrives", () => {
    fc.assert(
      fc.property(fc.array(someText, { maxLength: 5 }), (pieces) => printed(...pieces) === pieces.join("")),
    );
  });

  test("Of long output, both ends are kept and the rest is counted", () => {
    const pieces = Array.from({ length: 5_000 }, (_, at) => `line ${at}\n`);
    const [head = "", left, tail = ""] = printed(...pieces).split(/\n\[… (\d+) characters left out …\]\n/);
    const whole = pieces.join("");
    expect([whole.startsWith(head), whole.endsWith(tail)]).toEqual([true, true]);
    expect([head.length, tail.length >= 2_000, tail.length <= 4_000]).toEqual([2_000, true, true]);
    expect(head.length + Number(left) + tail.length).toBe(whole.length);
  });

  test("It is well-formed wherever it was cut", () => {
    expect(printed(`a${"😀".repeat(9_000)}`).isWellFormed()).toBe(true);
    expect(printed(...Array.from({ length: 9_000 }, () => "😀")).isWellFormed()).toBe(true);
    expect(printed("\ud83d", "\ude00")).toBe("😀");
  });

  test("Memory stays flat for many small pieces and for a few huge ones", { timeout: 20_000 }, () => {
    const before = heldMb();
    const flood = new PrintedSoFar();
    for (let at = 0; at < 1_000_000; at++) flood.add("one more piece of output\n");
    const huge = Array.from({ length: 12 }, (_, at) => {
      const all = new PrintedSoFar();
      all.add(Buffer.alloc(10_000_000, `line ${at}. `).toString("latin1"));
      return all;
    });
    expect([flood, ...huge].every((all) => all.toString().length < 7_000)).toBe(true);
    expect(heldMb() - before).toBeLessThan(60);
  });
});

describe("The store in memory", () => {
  const put = (results: Results, callId: string, text: string): string =>
    results.store({ callId, toolName: "Look", text }) as string;

  test("Stored texts can be read, and others cannot", () => {
    const results = memoryResults();
    expect(results.read(put(results, "c1", "the whole"))).toBe("the whole");
    expect(results.read("memory:/results/none")).toBeUndefined();
  });

  test("Above the limit the oldest texts are dropped, and a text that cannot fit is refused", () => {
    const results = memoryResults(10);
    const references = ["1111", "2222", "333333"].map((text, at) => put(results, `c${at}`, text));
    expect(references.map((reference) => results.read(reference))).toEqual([undefined, "2222", "333333"]);
    expect(() => put(results, "c9", "x".repeat(11))).toThrow("the memory store holds at most 10 characters");
  });

  test("Every text has its own name, even for the same call id, and the latest is always available", () => {
    const results = memoryResults(10);
    const references = ["a", "b", "a", "a", "a"].map((callId, at) => {
      const reference = put(results, callId, `text ${at}`);
      expect(results.read(reference)).toBe(`text ${at}`);
      return reference;
    });
    expect(new Set(references).size).toBe(5);
  });
});

test("what a stopped call printed is never cut inside a character", () => {
  for (const before of ["", "x"]) {
    const printed = new PrintedSoFar();
    printed.add(before + "😀".repeat(40_000));
    expect(printed.toString()).not.toContain("\uFFFD");
    expect(printed.toString().replaceAll("😀", "")).toMatch(/^x?\n\[… \d+ characters left out …\]\n$/);
  }
});
