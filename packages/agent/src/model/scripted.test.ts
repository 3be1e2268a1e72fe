import { expect, test } from "vitest";
import type { ModelEvent } from "./event.ts";
import type { ModelRequest } from "./message.ts";
import { type RecordedEvent, record, replay, scripted } from "./scripted.ts";

const REQUEST: ModelRequest = {
  system: "",
  tools: [],
  messages: [{ role: "user", content: "go" }],
  maxTokens: 10,
};
const TURN = [
  { type: "text", text: "Hello" },
  { type: "tool_use", id: "1", name: "Read", input: { file_path: "a" } },
];

async function all(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
const signal = (): AbortSignal => new AbortController().signal;

test("a script plays turn by turn, and a turn can depend on the request", async () => {
  const model = scripted([TURN, ({ messages }) => [{ type: "text", text: `${messages.length} messages` }]]);
  const first = await all(model.stream(REQUEST, signal()));
  expect(first.map(({ type }) => type)).toEqual([
    "message-started",
    "text",
    "block",
    "call-begun",
    "call-complete",
    "block",
    "stopped",
  ]);
  expect(first.at(-1)).toMatchObject({ reason: "tool_use" });
  const second = await all(model.stream(REQUEST, signal()));
  expect(second.filter(({ type }) => type === "text")).toEqual([{ type: "text", text: "1 messages" }]);
  await expect(all(model.stream(REQUEST, signal()))).rejects.toThrow("The script has only 2 turns.");
});

test("a recording is plain data and replays the same events", async () => {
  const recorded: (readonly RecordedEvent[])[] = [];
  const said = await all(
    record(scripted([TURN]), (events) => recorded.push(events)).stream(REQUEST, signal()),
  );
  const reborn = JSON.parse(JSON.stringify(recorded)) as typeof recorded;
  expect(await all(replay(reborn).stream(REQUEST, signal()))).toEqual(said);
});

test("a recording keeps its order in time, and a signal ends it in the middle of a pause", async () => {
  const events: RecordedEvent[] = [
    { at: 0, event: { type: "text", text: "now" } },
    { at: 60_000, event: { type: "text", text: "much later" } },
  ];
  const abort = new AbortController();
  const given: ModelEvent[] = [];
  const playing = (async () => {
    for await (const event of replay([events]).stream(REQUEST, abort.signal)) given.push(event);
  })();
  setTimeout(() => abort.abort(), 10);
  await expect(playing).rejects.toMatchObject({ name: "AbortError" });
  expect(given).toEqual([{ type: "text", text: "now" }]);
});

test("a recording that cannot be played is refused", () => {
  expect(() => replay(undefined as never)).toThrow("replay: the recording is required.");
  expect(() => replay("turn.json" as never)).toThrow(
    'replay: the recording must be an array, got "turn.json".',
  );
  expect(() => replay([], 0)).toThrow("replay: the speed must be a number above 0, got 0.");
});
