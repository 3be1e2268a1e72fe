import { defineTool } from "@runahead/engine";
import { checkHistory } from "@runahead/engine/history";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Model } from "../model/event.ts";
import type { Block, ModelRequest } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import { PromptTakenBack } from "./error.ts";
import { createAgent } from "./agent.ts";
import type { AgentEvent } from "./event.ts";

const text = (said: string): Block => ({ type: "text", text: said });
const call = (id: string): Block => ({ type: "tool_use", id, name: "Work", input: {} });

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** A tool whose calls end when the test says so, or when they are aborted. */
function gatedTool(interruptBehavior: "cancel" | "block" = "block") {
  const begun = deferred();
  const gate = deferred();
  const tool = defineTool({
    name: "Work",
    description: "Works until it is done",
    inputSchema: z.object({}),
    interruptBehavior: () => interruptBehavior,
    call: (_input, { signal }) =>
      new Promise<string>((resolve, reject) => {
        begun.resolve();
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        void gate.promise.then(() => resolve("worked"));
      }),
  });
  return { tool, begun: begun.promise, finish: gate.resolve };
}

/** Plays fixed responses, and notes the requests. */
function listening(...turns: readonly (readonly Block[])[]) {
  const requests: ModelRequest[] = [];
  const inner = scripted(turns);
  const model: Model = {
    name: "listening",
    stream: (request, signal) => {
      requests.push(request);
      return inner.stream(request, signal);
    },
  };
  return { model, requests };
}

const lastOf = (request: ModelRequest | undefined): unknown => request?.messages.at(-1)?.content;

test("successive prompts are part of one conversation", async () => {
  const { model, requests } = listening([text("One.")], [text("Two.")]);
  const agent = createAgent({ model, tools: [] });
  const first = await agent.send("first");
  const second = await agent.send("second");
  expect([first.text, second.text, agent.isBusy]).toEqual(["One.", "Two.", false]);
  expect(requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("a prompt that is sent while calls run follows their results, as a separate message", async () => {
  const { tool, begun, finish } = gatedTool();
  const { model, requests } = listening([call("1")], [text("Both done.")]);
  const events: AgentEvent[] = [];
  const agent = createAgent({ model, tools: [tool], onEvent: (event) => events.push(event) });
  const first = agent.send("work");
  await begun;
  const second = agent.send("and this");
  expect(agent.waiting).toEqual(["and this"]);
  finish();
  const results = await Promise.all([first, second]);
  expect(results.map((result) => result.text)).toEqual(["Both done.", "Both done."]);
  expect(requests[1]?.messages.slice(2)).toMatchObject([
    { role: "user", content: [{ type: "tool_result", content: "worked" }] },
    { role: "user", content: "and this" },
  ]);
  expect(events.filter(({ type }) => type === "prompt-attached")).toEqual([
    { type: "prompt-attached", prompt: "work" },
    { type: "prompt-attached", prompt: "and this" },
  ]);
});

test("a prompt that is sent during the last response is answered by the same run", async () => {
  const { model, requests } = listening([text("One.")], [text("Two.")]);
  let sent: Promise<{ text: string }> | undefined;
  const agent = createAgent({
    model,
    tools: [],
    onEvent: ({ type }) => {
      if (type === "text") sent ??= agent.send("more");
    },
  });
  const result = await agent.send("go");
  expect([result.text, (await sent)?.text, lastOf(requests[1])]).toEqual(["Two.", "Two.", "more"]);
});

test("an interrupting prompt cancels calls that allow it, and the run continues with it", async () => {
  const { tool, begun } = gatedTool("cancel");
  const { model, requests } = listening([call("1")], [text("Now this.")]);
  const agent = createAgent({ model, tools: [tool] });
  const first = agent.send("work");
  await begun;
  const second = await agent.send("stop that, do this", { interrupt: true });
  expect([(await first).text, second.reason, second.text]).toEqual(["Now this.", "completed", "Now this."]);
  expect(JSON.stringify(requests[1]?.messages[2])).toContain("new message");
  expect(lastOf(requests[1])).toBe("stop that, do this");
});

test("an interrupting prompt lets calls that cannot be cancelled finish first", async () => {
  const { tool, begun, finish } = gatedTool("block");
  const { model, requests } = listening([call("1")], [text("Now this.")]);
  const agent = createAgent({ model, tools: [tool] });
  void agent.send("work");
  await begun;
  const second = agent.send("hurry", { interrupt: true });
  finish();
  expect((await second).text).toBe("Now this.");
  expect(requests[1]?.messages[2]?.content).toMatchObject([{ content: "worked" }]);
});

test("a prompt that interrupts a response keeps the text so far", async () => {
  const spoke = deferred();
  const requests: ModelRequest[] = [];
  const model: Model = {
    name: "slow",
    async *stream(request, signal) {
      requests.push(request);
      yield { type: "message-started", id: "m", model: "slow" };
      yield { type: "text", text: "Well" };
      yield { type: "block", block: text("Well") };
      if (requests.length === 1) {
        spoke.resolve();
        await new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error)),
        );
      }
      yield { type: "stopped", reason: "end_turn", detail: "" };
    },
  };
  const agent = createAgent({ model, tools: [] });
  void agent.send("talk");
  await spoke.promise;
  expect((await agent.send("stop", { interrupt: true })).reason).toBe("completed");
  expect(requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("G02: an interrupt stops the calls, keeps their results, and the next prompt is accepted", async () => {
  const { tool, begun } = gatedTool();
  const { model, requests } = listening([call("1")], [text("Yes?")]);
  const agent = createAgent({ model, tools: [tool] });
  const first = agent.send("work");
  await begun;
  await agent.interrupt();
  expect([(await first).reason, agent.isBusy]).toEqual(["aborted_tools", false]);
  expect((await agent.send("hello?")).text).toBe("Yes?");
  expect(checkHistory([...(requests[1]?.messages ?? [])])).toEqual([]);
});

test("I07: an interrupt at the very first moment is not lost", async () => {
  const { model, requests } = listening([text("No.")]);
  const agent = createAgent({ model, tools: [] });
  const answer = agent.send("go");
  await Promise.resolve();
  await agent.interrupt();
  expect((await answer).reason).toBe("aborted_streaming");
  expect(requests.length).toBeLessThanOrEqual(1);
});

test("waiting prompts are next after an interrupt", async () => {
  const { tool, begun } = gatedTool();
  const { model } = listening([call("1")], [text("Next.")]);
  const agent = createAgent({ model, tools: [tool] });
  const first = agent.send("work");
  await begun;
  const second = agent.send("then this");
  await agent.interrupt();
  expect([(await first).reason, (await second).text]).toEqual(["aborted_tools", "Next."]);
});

test("waiting prompts can be taken back", async () => {
  const { tool, begun, finish } = gatedTool();
  const { model, requests } = listening([call("1")], [text("Done.")]);
  const agent = createAgent({ model, tools: [tool] });
  const first = agent.send("work");
  await begun;
  const second = agent.send("oh, and");
  expect(agent.takeBack()).toEqual(["oh, and"]);
  finish();
  await expect(second).rejects.toThrow(PromptTakenBack);
  expect((await first).text).toBe("Done.");
  expect(JSON.stringify(requests)).not.toContain("oh, and");
});

test("resume continues an interrupted run, and ends at once if there is nothing to answer", async () => {
  const { tool, finish } = gatedTool();
  finish();
  const { model } = listening([call("1")], [text("Done.")]);
  const agent = createAgent({ model, tools: [tool], maxTurns: 1 });
  expect((await agent.send("work")).reason).toBe("max_turns");
  expect((await agent.resume()).text).toBe("Done.");
  expect(await agent.resume()).toMatchObject({ reason: "completed", detail: "there is nothing to answer" });
});

test("a manual compaction summarises with the user's instructions", async () => {
  const long = text("One, at length. ".repeat(500));
  const { model, requests } = listening([long], [text("We talked.")], [text("Two.")]);
  const events: AgentEvent[] = [];
  const agent = createAgent({ model, tools: [], onEvent: (event) => events.push(event) });
  await agent.send("first");
  expect(await agent.compact("the files")).toBe(true);
  expect(JSON.stringify(lastOf(requests[1]))).toContain("the files");
  expect(events.at(-1)).toMatchObject({ type: "compacted", how: "summarised" });
  expect((await agent.send("second")).text).toBe("Two.");
  expect(JSON.stringify(requests[2]?.messages[0])).toContain("We talked.");
});

test("a closed agent has stopped and accepts no more prompts", async () => {
  const { tool, begun } = gatedTool();
  const agent = createAgent({ model: listening([call("1")]).model, tools: [tool] });
  const first = agent.send("work");
  await begun;
  await agent.close();
  expect((await first).reason).toBe("aborted_tools");
  expect(() => agent.send("again")).toThrow("The agent is closed.");
});

test("a conversation can be rewound to a prompt and continued from there", async () => {
  const { model, requests } = listening([text("One.")], [text("Two.")], [text("Other.")]);
  const agent = createAgent({ model, tools: [] });
  await agent.send("first");
  await agent.send([text("second "), text("part")], { snapshot: "s2" });
  expect(agent.prompts).toEqual([
    { messages: 0, text: "first", snapshot: undefined },
    { messages: 2, text: "second part", snapshot: "s2" },
  ]);
  await agent.rewind(2);
  expect(agent.messages.map(({ content }) => content)).toEqual(["first", [text("One.")]]);
  expect(agent.prompts).toEqual([{ messages: 0, text: "first", snapshot: undefined }]);
  expect((await agent.send("another")).text).toBe("Other.");
  expect(requests[2]?.messages.map(({ content }) => content)).toEqual(["first", [text("One.")], "another"]);
});

test("G09: a rewind never separates a call from its result, and a position between them is refused", async () => {
  const { tool, begun, finish } = gatedTool();
  const { model } = listening([call("1"), call("2")], [text("Done.")]);
  const agent = createAgent({ model, tools: [tool] });
  const first = agent.send("work");
  await begun;
  void agent.send("and this");
  finish();
  await first;
  expect(agent.prompts.map(({ messages }) => messages)).toEqual([0, 3]);
  for (const between of [1, 2, 4, 5, -1, 0.5, Number.NaN])
    await expect(agent.rewind(between)).rejects.toThrow(
      `Cannot rewind to ${between} messages: no prompt begins there. Possible values: 0, 3.`,
    );
  expect(agent.messages).toHaveLength(5);
  await agent.rewind(3);
  expect([checkHistory([...agent.messages]), agent.messages.length]).toEqual([[], 3]);
  await agent.rewind(0);
  expect([agent.messages, agent.prompts]).toEqual([[], []]);
});

test("texts that the program added are not prompts to return to", async () => {
  const { tool, begun } = gatedTool();
  const { model } = listening([call("1")], [text("Yes.")]);
  const agent = createAgent({ model, tools: [tool] });
  void agent.send("work");
  await begun;
  await agent.interrupt();
  await agent.send("again?");
  expect(agent.messages[3]?.content).toContain("interrupted");
  expect(agent.prompts.map(({ text: said }) => said)).toEqual(["work", "again?"]);
});

test("a conversation cannot be rewound while the agent is busy", async () => {
  const { tool, begun, finish } = gatedTool();
  const { model } = listening([call("1")], [text("Done.")], [text("Sum.")]);
  const agent = createAgent({ model, tools: [tool] });
  const busy = "Cannot rewind while the agent is busy. Call interrupt() first.";
  const first = agent.send("work");
  await expect(agent.rewind(0)).rejects.toThrow(busy);
  await begun;
  await expect(agent.rewind(0)).rejects.toThrow(busy);
  finish();
  await first;
  const compacted = agent.compact();
  await expect(agent.rewind(0)).rejects.toThrow(busy);
  await compacted;
  await agent.rewind(0);
  await agent.close();
  await expect(agent.rewind(0)).rejects.toThrow("The agent is closed.");
});

test("summarised prompts cannot be rewound to, later ones can", async () => {
  const long = text("One, at length. ".repeat(500));
  const { model } = listening([long], [text("We talked.")], [text("Two.")]);
  const agent = createAgent({ model, tools: [] });
  await agent.send("first");
  await agent.compact();
  await agent.send("second");
  const [place] = agent.prompts;
  expect(agent.prompts).toEqual([{ messages: place?.messages, text: "second", snapshot: undefined }]);
  await expect(agent.rewind(0)).rejects.toThrow(/^Cannot rewind to 0 messages: .*summarised/);
  await agent.rewind(place?.messages ?? -1);
  expect(JSON.stringify(agent.messages[0])).toContain("We talked.");
});
