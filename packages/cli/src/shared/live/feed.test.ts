import type { Message } from "@runahead/harness";
import { expect, test } from "vitest";
import {
  arrived,
  began,
  ofAgent,
  queued,
  scriptEvents,
  settled,
  started,
  turnEnded,
} from "../../../../agent/test/support/timeline.ts";
import { LiveFeed } from "./feed.ts";
import type { LiveItem } from "./item.ts";
import { ServedJournal } from "./served-journal.ts";

const MESSAGES: readonly Message[] = [
  { role: "user", content: "look" },
  {
    role: "assistant",
    content: [
      { type: "text", text: "Looking." },
      { type: "tool_use", id: "a", name: "Bash", input: { command: "ls", description: "List files" } },
      {
        type: "tool_use",
        id: "b",
        name: "Edit",
        input: { file_path: "x.ts", old_string: "1", new_string: "2" },
      },
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "a", content: "one\ntwo\u001b[2J" },
      { type: "tool_result", tool_use_id: "b", content: "It failed.", is_error: true },
    ],
  },
  { role: "assistant", content: "Done." },
];

const short = ({ kind, text, state, detail }: LiveItem): unknown[] =>
  [kind, text, state, detail].filter((one) => one !== undefined);

const EXPECTED = [
  ["prompt", "look"],
  ["text", "Looking."],
  ["call", "List files", "succeeded", "one\ntwo"],
  ["call", "Edit x.ts", "failed", "It failed."],
  ["text", "Done."],
];

test("a resumed conversation has its calls and their results", () => {
  const feed = new LiveFeed();
  feed.recall(MESSAGES);
  expect(feed.items.map(short)).toEqual(EXPECTED);
});

test("a journal of a server becomes the same transcript, and its calls are shown while they run", () => {
  const journal = new ServedJournal();
  const [prompt, first, results, last] = MESSAGES;
  journal.take({ type: "message", message: prompt });
  journal.take({ type: "turn-begun", turn: 1 });
  const [text, ...calls] = (first?.content ?? []) as readonly object[];
  journal.take({ type: "block", block: text });
  for (const block of calls) journal.take({ type: "call", block });
  expect(journal.items.map(short).slice(2)).toEqual([
    ["call", "List files", "working", expect.stringContaining('"ls"')],
    ["call", "Edit x.ts", "working", "- 1\n+ 2"],
  ]);
  for (const message of [first, results, last]) journal.take({ type: "message", message });
  expect(journal.items.map(short)).toEqual(EXPECTED);
});

test("questions of a server come and go with the turn that waits for answers", () => {
  const journal = new ServedJournal();
  const input = { file_path: "a\u202E", content: "x" };
  const call = { callId: "c1", toolName: "Write", input };
  const question = { id: "1-c1", reason: "Rule.", input };
  const other = { ...call, callId: "c2", question: { ...question, id: "1-c2" } };
  const parked = { type: "turn-parked", turn: 1, content: [], calls: [{ ...call, question }, other] };
  journal.take(parked);
  expect([...journal.questions.values()]).toMatchObject([
    { callId: "1-c1", description: expect.stringMatching(/^Write a/), shown: "+ x", choices: [] },
    { callId: "1-c2" },
  ]);
  expect(JSON.stringify([...journal.questions.values()])).not.toContain("\u202E");
  expect(journal.take({ type: "answered", id: "1-c1", answer: { behavior: "allow" } }).answered).toEqual([
    "1-c1",
  ]);
  journal.take({ type: "turn-begun", turn: 2, continues: true });
  expect([...journal.questions.keys()]).toEqual(["1-c2"]);
  // A new prompt gives the turn up.
  const given = { role: "assistant", content: [] };
  expect(journal.take({ type: "message", message: given }).answered).toEqual(["1-c2"]);
});

test("sub-agents name the agent that started them, and their calls name them", () => {
  const feed = new LiveFeed();
  const events = [
    began(1),
    arrived("c1", "Agent", "find"),
    started("c1", "Agent"),
    ofAgent("c1", began(1), "one"),
    ofAgent("c1", arrived("c2", "Agent", "deeper"), "one"),
    ofAgent("c1", started("c2", "Agent"), "one"),
    ofAgent("c1", ofAgent("c2", began(1), "two"), "one"),
  ];
  for (const event of events) feed.hear(event);
  const agents = feed.items.filter(({ kind }) => kind === "agent");
  expect(agents.map(({ agent, parent, state }) => [agent, parent, state])).toEqual([
    ["one", "", "working"],
    ["two", "one", "working"],
  ]);
  expect(feed.items.find(({ text }) => text === "deeper")?.agent).toBe("one");
  feed.hear(ofAgent("c1", settled("c2", "Agent"), "one"));
  const states = (): unknown[] => feed.items.filter(({ kind }) => kind === "agent").map(({ state }) => state);
  expect(states()).toEqual(["working", "done"]);
  feed.hear(settled("c1", "Agent"));
  expect(states()).toEqual(["done", "done"]);
});

test("an ended call says what it waited for, and has its times", () => {
  const feed = new LiveFeed();
  for (const event of [
    began(1),
    arrived("a", "Bash", "make"),
    queued("a", "asking"),
    started("a", "Bash"),
    settled("a", "Bash"),
    turnEnded(1, [1, 2, 3]),
  ])
    feed.hear(event);
  const [call] = feed.items;
  expect(call).toMatchObject({ state: "succeeded", detail: "secret output", text: "make" });
  expect(call?.why).toMatch(/^Did not wait\. Ran 0\.0 s/);
  expect(call?.times).toMatchObject({ waits: [["asking", expect.any(Number), expect.any(Number)]] });
  expect(call?.times?.endMs).toBeGreaterThanOrEqual(call?.times?.startMs ?? Number.POSITIVE_INFINITY);
});

test("of the calls of a script the last 20 are shown below it, and the others are counted", () => {
  const feed = new LiveFeed();
  const sent = [arrived("before", "Bash", "make"), ...scriptEvents(1_000, [999])].flatMap((event) =>
    feed.hear(event),
  );
  const [script] = feed.items.filter(({ text }) => text.startsWith("Run a script"));
  expect(script?.text).toBe("Run a script · 1000 calls, 1 failed");
  const nested = feed.items.filter(({ parent }) => parent === script?.id);
  expect([nested.length, nested.at(-2)?.text, nested.at(-2)?.state]).toEqual([20, "Price 999", "failed"]);
  expect(feed.items.some(({ text }) => text === "make")).toBe(true);
  // The item of the script is not sent for every call.
  expect(sent.filter(({ id }) => id === script?.id).length).toBeLessThan(100);
});
