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

test("a call of a server is shown as asking until it is answered, and a refusal does not end its turn", () => {
  const journal = new ServedJournal();
  const input = { file_path: "a", content: "x" };
  journal.take({ type: "call", block: { type: "tool_use", id: "c1", name: "Write", input } });
  const call = { callId: "c1", toolName: "Write", input };
  const question = { id: "1-c1", reason: "Rule.", input };
  const { items } = journal.take({
    type: "turn-parked",
    turn: 1,
    content: [],
    calls: [{ ...call, question }],
  });
  expect(items.map(({ state }) => state)).toEqual(["asking"]);
  expect(journal.questions.get("1-c1")?.isLater).toBe(true);
  const states = ["allow", "deny"].map((behavior) =>
    journal.take({ type: "answered", id: "1-c1", answer: { behavior } }).items.map(({ state }) => state),
  );
  expect(states).toEqual([["working"], ["denied"]]);
});

test("a journal of a server says why its runs ended, unless they are just done", () => {
  const journal = new ServedJournal();
  const run = (data: object): unknown[] =>
    journal.take({ type: "state", name: "fleet:run", data }).items.map(short);
  const begun = { status: "begun", failures: 0 };
  expect(run(begun)).toEqual([]);
  expect(run({ status: "ended", reason: "completed", detail: "", text: "Done." })).toEqual([]);
  expect(run({ status: "ended", reason: "model_error", detail: "The key was refused\u001B[31m" })).toEqual([
    ["notice", "The model request failed: The key was refused."],
  ]);
  expect(run({ status: "failed", detail: "no model" })).toEqual([["notice", "The session failed: no model"]]);
  const away = ["notice", "The model is not available. The session will try again."];
  expect([1, 2].map((failures) => run({ ...begun, failures }))).toEqual([[away], []]);
  expect(run(begun)).toEqual([]);
  const died = ["notice", "The worker of this session stopped again. The session will try again."];
  expect([1, 2, 3].map((cuts) => run({ ...begun, cuts }))).toEqual([[], [died], []]);
  expect(run({ status: "interrupted" })).toEqual([["notice", "Interrupted."]]);
  expect(run({ status: "ended", reason: "from_the_future", detail: "" })).toEqual([
    ["notice", "from_the_future."],
  ]);
  expect(journal.take({ type: "state", name: "mode", data: { status: "failed" } }).items).toEqual([]);
});

test("texts of a server are shown while they arrive, and once", () => {
  const journal = new ServedJournal();
  const delta = (offset: number, text: string): unknown[] =>
    journal.take({ type: "text-delta", turn: 1, offset, text }).items.map(short);
  expect(delta(0, "Loo")).toEqual([["text", "Loo"]]);
  // The response was sent again.
  expect([...delta(0, "Look"), ...delta(4, "ing.")]).toEqual([
    ["text", "Look"],
    ["text", "Looking."],
  ]);
  journal.take({ type: "block", block: { type: "text", text: "Looking." } });
  journal.take({ type: "block", callId: "c1" });
  expect(delta(8, "Found.")).toEqual([["text", "Found."]]);
  // The message of an earlier turn can come now.
  journal.take({
    type: "message",
    message: { role: "assistant", content: [{ type: "tool_use", id: "c0" }] },
  });
  const content = ["Looking.", "Found."].map((text) => ({ type: "text", text }));
  journal.take({ type: "block", block: content[1] });
  journal.take({ type: "message", message: { role: "assistant", content: content.slice(1) } });
  expect(journal.items.filter(({ kind }) => kind === "text").map(short)).toEqual([
    ["text", "Looking."],
    ["text", "Found."],
  ]);
  // A text that has no block of its own.
  delta(0, "Last.");
  const last = [{ type: "text", text: "Last." }];
  journal.take({ type: "message", message: { role: "assistant", content: last } });
  expect(journal.items.filter(({ text }) => text === "Last.")).toHaveLength(1);
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
