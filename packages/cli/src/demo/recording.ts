/** What the model says in the demo, and when. It is played back through the real loop and tools. */

import type { RecordedEvent, Recording } from "@runahead/harness";

/** A part of a response, in order. */
type Part =
  | { readonly say: string }
  | { readonly call: string; readonly id: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly pauseMs: number };

interface Response {
  /** Time from the request to the first word. */
  readonly firstMs: number;
  readonly parts: readonly Part[];
  readonly tokens: readonly [input: number, output: number];
}

export const PROMPT = "The discount test fails. Find out why, fix it, and show me that the tests pass.";

const TEST = "node --test --test-reporter=spec";

const RESPONSES: readonly Response[] = [
  {
    firstMs: 700,
    parts: [
      { say: "I'll read the failing test and the code it covers." },
      { call: "Read", id: "read_test", input: { file_path: "test/cart.test.js" } },
      { call: "Read", id: "read_cart", input: { file_path: "src/cart.js" } },
      { call: "Read", id: "read_discount", input: { file_path: "src/discount.js" } },
      { call: "Grep", id: "grep", input: { pattern: "discount", path: "src", output_mode: "content" } },
      {
        say: "While I write this sentence, the files above are already read and searched. A sub-agent can check in the meantime what else depends on this code.",
      },
      {
        call: "Agent",
        id: "agent",
        input: {
          description: "find users of discounted",
          prompt: "Which code calls discounted() or total(), and what does it expect back?",
          subagent_type: "explore",
        },
      },
      { say: "I'll also run the tests to see the failure itself." },
      { call: "Bash", id: "test_before", input: { command: TEST, description: "Run the tests" } },
      {
        say: "While they run: the failing test expects 900 cents for a 10 % discount on 1000 cents. `total` only sums the items and passes the discount on, so the error must be in `discounted`, which turns the percentage into cents.",
      },
    ],
    tokens: [4_210, 312],
  },
  {
    firstMs: 500,
    parts: [
      { say: "Two searches will answer this." },
      { call: "Grep", id: "sub_grep", input: { pattern: "discounted|total", output_mode: "content" } },
      { call: "Read", id: "sub_read", input: { file_path: "src/receipt.js" } },
      { call: "Glob", id: "sub_glob", input: { pattern: "test/*.js" } },
      { pauseMs: 300 },
    ],
    tokens: [1_830, 140],
  },
  {
    firstMs: 400,
    parts: [
      {
        say: "Only `total` in src/cart.js calls `discounted`, and src/receipt.js calls `total`. Both expect whole cents; the discount is in percent.",
      },
    ],
    tokens: [2_640, 61],
  },
  {
    firstMs: 700,
    parts: [
      {
        say: "`discounted` divides the percentage by **10** instead of 100, so a 10 % discount takes off the whole price. No other code relies on that, so I'll fix it there.",
      },
      {
        call: "Edit",
        id: "edit",
        input: {
          file_path: "src/discount.js",
          old_string: "(cents * percent) / 10)",
          new_string: "(cents * percent) / 100)",
        },
      },
      { say: "The tests run again as soon as the edit is done." },
      { call: "Bash", id: "test_after", input: { command: TEST, description: "Run the tests again" } },
      {
        say: "The receipt needs no change: it formats whatever `total` returns. I'll report as soon as the tests finish.",
      },
    ],
    tokens: [6_980, 268],
  },
  {
    firstMs: 600,
    parts: [
      {
        say: "All three tests pass. `discounted` in `src/discount.js` divided the percentage by 10; it now divides by 100. The reads and searches finished while I was still writing, and the second test run started the moment the edit was done.",
      },
    ],
    tokens: [7_610, 73],
  },
];

/** Speed of the stream. */
const WORD_MS = 65;
const INPUT_CHARS = 12;
const INPUT_MS = 25;

export function demoRecording(): Recording {
  return RESPONSES.map(recorded);
}

function recorded(response: Response, at: number): RecordedEvent[] {
  const track = new Track(response.firstMs);
  track.add({ type: "message-started", id: `demo_${at + 1}`, model: "demo" });
  for (const part of response.parts) track.part(part);
  const [inputTokens, outputTokens] = response.tokens;
  const usage = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  track.add({ type: "usage", usage });
  const hasCalls = response.parts.some((part) => "call" in part);
  track.add({ type: "stopped", reason: hasCalls ? "tool_use" : "end_turn", detail: "" });
  return track.events;
}

class Track {
  readonly events: RecordedEvent[] = [];
  #ms: number;

  constructor(firstMs: number) {
    this.#ms = firstMs;
  }

  add(event: RecordedEvent["event"]): void {
    this.events.push({ at: this.#ms, event });
  }

  part(part: Part): void {
    if ("pauseMs" in part) this.#ms += part.pauseMs;
    else if ("say" in part) this.#say(part.say);
    else this.#call(part);
  }

  #say(text: string): void {
    for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
      this.add({ type: "text", text: word });
      this.#ms += WORD_MS;
    }
    this.add({ type: "block", block: { type: "text", text } });
  }

  #call({ call: name, id: key, input }: Extract<Part, { call: string }>): void {
    const id = `toolu_${key}`;
    this.add({ type: "call-begun", id, name });
    for (const delta of JSON.stringify(input).match(new RegExp(`.{1,${INPUT_CHARS}}`, "gs")) ?? []) {
      this.#ms += INPUT_MS;
      this.add({ type: "call-delta", id, name, delta });
    }
    this.add({ type: "call-complete", call: { id, name, input } });
    this.add({ type: "block", block: { type: "tool_use", id, name, input } });
  }
}
