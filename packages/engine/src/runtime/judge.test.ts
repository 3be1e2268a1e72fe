import { expect, test } from "vitest";
import { z } from "zod";
import { FakeClock } from "../../test/support/fake-clock.ts";
import {
  controlled,
  newExecutor,
  paths,
  reader,
  resultsOf,
  settle,
  simple,
  textsOf,
  writer,
} from "../../test/support/tools.ts";
import type { EngineEvent } from "./notice.ts";
import type { Answer, Question, Verdict } from "./ports.ts";
import { defineTool } from "./tool.ts";

const wrote = simple("Write", ({ path }) => `wrote ${path}`, writer);
const call = (id: string, path = id) => ({ id, name: "Write", input: { path } });

test("a denied call does not run, and the model reads who denied it and why", async () => {
  const executor = newExecutor([wrote], {
    canUseTool: () => ({ behavior: "deny", reason: "The rule Write(secret) denies it." }),
  });
  executor.add(call("1"));
  expect(await resultsOf(executor)).toMatchObject([
    {
      result: {
        content: "Not run: denied by permissions. The rule Write(secret) denies it.",
        is_error: true,
      },
      outcome: { type: "denied" },
    },
  ]);
});

test("a denial can end the turn", async () => {
  const open = controlled("Read", reader);
  const executor = newExecutor([open.tool, wrote], {
    canUseTool: (tool) =>
      tool.name === "Write" ? { behavior: "deny", endTurn: true } : { behavior: "allow" },
  });
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  const running = open.open[0];
  executor.add(call("2"));
  executor.add(call("3"));
  expect(running?.context.signal.aborted).toBe(true);
  running?.reject("stopped");
  const effects = (await resultsOf(executor)).map(({ outcome }) =>
    outcome.type === "aborted" ? outcome.effect : outcome.type,
  );
  expect(effects).toEqual(["unknown", "denied", "none"]);
  expect(executor.endedBy).toBe("permissions ended the turn");
});

test("C06: if canUseTool throws, rejects or returns nothing, there is no verdict and the call does not run", async () => {
  const nothing = (() => undefined) as unknown as () => Verdict;
  const throws = (): Verdict => {
    throw new Error("broken");
  };
  for (const canUseTool of [nothing, throws, () => Promise.reject(new Error("broken"))]) {
    const executor = newExecutor([wrote], { canUseTool });
    executor.add(call("1"));
    expect((await textsOf(executor))[1]).toMatch(
      /^Not run: denied by permissions\. canUseTool failed, so there is no verdict: /,
    );
  }
});

test("a call that needs approval does not run if nobody can be asked", async () => {
  const executor = newExecutor([wrote], { canUseTool: () => ({ behavior: "ask", reason: "It writes." }) });
  executor.add(call("1"));
  expect(await textsOf(executor)).toEqual({
    1: "Not run: Write needs permission and nobody can be asked in this run. Do not work around it; continue without it and say what you needed. It writes.",
  });
});

/** A person whose answers the test gives. */
function person() {
  const open: { question: Question; answer(answer: Answer): void }[] = [];
  const ask = (question: Question): Promise<Answer> =>
    new Promise((resolve) => {
      const entry = {
        question,
        answer: (answer: Answer) => {
          open.splice(open.indexOf(entry), 1);
          resolve(answer);
        },
      };
      open.push(entry);
    });
  return { open, ask };
}

test("D06: one question is asked at a time, while earlier calls still run, and each answer is for its own call (promise 7)", async () => {
  const { open, ask } = person();
  const read = controlled("Read", reader);
  const executor = newExecutor([read.tool, wrote], {
    ask,
    canUseTool: (tool) => ({ behavior: tool.name === "Write" ? "ask" : "allow" }),
  });
  executor.add({ id: "1", name: "Read", input: { path: "2" } });
  for (const id of ["2", "3", "4"]) executor.add(call(id));
  executor.add({ id: "5", name: "Read", input: { path: "other" } });
  await settle();
  expect(paths(read.open)).toEqual(["2", "other"]);
  expect(open.map(({ question }) => [question.callId, question.waiting])).toEqual([["2", 2]]);
  open[0]?.answer({ behavior: "allow" });
  await settle();
  expect(open.map(({ question }) => [question.callId, question.waiting])).toEqual([["3", 1]]);
  open[0]?.answer({ behavior: "deny", message: "use another file" });
  await settle();
  open[0]?.answer({ behavior: "allow", input: { path: "changed" } });
  for (const running of [...read.open]) running.resolve();
  expect(await textsOf(executor)).toEqual({
    1: "Read 2",
    2: "wrote 2",
    3: "Not run: the user denied this call and said: use another file",
    4: "wrote changed",
    5: "Read other",
  });
});

test("D01: a refusal without a message ends the turn, and every call has its result", async () => {
  const { open, ask } = person();
  const executor = newExecutor([wrote], { ask, canUseTool: () => ({ behavior: "ask" }) });
  executor.add(call("1"));
  executor.add(call("2"));
  await settle();
  open[0]?.answer({ behavior: "deny" });
  expect(await textsOf(executor)).toEqual({
    1: "Not run: the user denied this call.",
    2: "Not run: the user ended the turn.",
  });
});

test("D02: if the dialog fails or is closed, there is no verdict", async () => {
  const executor = newExecutor([wrote], {
    ask: () => Promise.reject(new Error("the terminal is gone")),
    canUseTool: () => ({ behavior: "ask" }),
  });
  executor.add(call("1"));
  expect(await textsOf(executor)).toEqual({
    1: "Not run: denied by the permission prompt. It failed, so there is no verdict: the terminal is gone",
  });
});

test("an open question is withdrawn when the turn is stopped", async () => {
  const { open, ask } = person();
  const executor = newExecutor([wrote], { ask, canUseTool: () => ({ behavior: "ask" }) });
  executor.add(call("1"));
  await settle();
  const { signal } = (open[0] as { question: Question }).question;
  executor.interrupt("stop");
  expect(signal.aborted).toBe(true);
  open[0]?.answer({ behavior: "allow" });
  expect(await textsOf(executor)).toEqual({ 1: "Not run: the user stopped the turn." });
});

test("D03, D04: changed rules apply to all calls that have not started, including open questions", async () => {
  const { open, ask } = person();
  let behavior: Verdict["behavior"] = "ask";
  const block = controlled("Write", writer);
  const executor = newExecutor([block.tool], { ask, canUseTool: () => ({ behavior }) });
  executor.add(call("1"));
  executor.add(call("2", "b"));
  await settle();
  open[0]?.answer({ behavior: "allow" });
  await settle();
  const { signal } = (open[0] as { question: Question }).question;
  behavior = "allow";
  executor.permissionsChanged();
  await settle();
  expect(signal.aborted).toBe(true);
  expect(paths(block.open)).toEqual(["1", "b"]);
  executor.add(call("3", "1"));
  behavior = "deny";
  executor.permissionsChanged();
  for (const running of [...block.open]) running.resolve();
  expect(await textsOf(executor)).toEqual({
    1: "Write 1",
    2: "Write b",
    3: "Not run: denied by permissions.",
  });
});

test("a hook runs when the call is free to start, sees what earlier calls did, and can change the input (D12)", async () => {
  const seen: string[] = [];
  const first = controlled("Slow", writer);
  const canUseTool = (_tool: unknown, input: unknown): Verdict =>
    (input as { path: string }).path === "forbidden"
      ? { behavior: "deny", reason: "forbidden" }
      : { behavior: "allow" };
  const executor = newExecutor([first.tool, wrote], {
    canUseTool,
    hooks: {
      matches: ({ tool }) => tool.name === "Write",
      preToolUse: ({ input }) => {
        const { path } = input as { path: string };
        seen.push(path);
        return { input: { path: path === "a" ? "changed" : "forbidden" } };
      },
    },
  });
  executor.add({ id: "1", name: "Slow", input: { path: "a" } });
  executor.add(call("2", "a"));
  executor.add(call("3", "b"));
  await settle();
  expect(seen).toEqual(["b"]);
  first.open[0]?.resolve();
  expect(await textsOf(executor)).toEqual({
    1: "Slow a",
    2: "wrote changed",
    3: "Not run: denied by permissions. forbidden",
  });
  expect(seen).toEqual(["b", "a"]);
});

test("a call whose input a hook made invalid does not run", async () => {
  const executor = newExecutor([wrote], { hooks: { preToolUse: () => ({ input: { path: 7 } }) } });
  executor.add(call("1"));
  expect((await textsOf(executor))[1]).toMatch(
    /^<tool_use_error>InputValidationError: Write cannot take this input:\n- `path`/,
  );
});

test("D10, D11: a hook's deny is final, its ask forces a question, and its allow does not override a deny", async () => {
  const decide = (decision: "allow" | "ask" | "deny", behavior: "allow" | "deny") => {
    const { open, ask } = person();
    const executor = newExecutor([wrote], {
      ask,
      canUseTool: () => ({ behavior, reason: "rule" }),
      hooks: { preToolUse: () => ({ decision, reason: "hook" }) },
    });
    executor.add(call("1"));
    return { open, executor };
  };
  expect(await textsOf(decide("deny", "allow").executor)).toEqual({ 1: "Not run: denied by a hook. hook" });
  expect(await textsOf(decide("allow", "deny").executor)).toEqual({
    1: "Not run: denied by permissions. rule",
  });
  expect(await textsOf(decide("ask", "deny").executor)).toEqual({
    1: "Not run: denied by permissions. rule",
  });
  const asked = decide("ask", "allow");
  await settle();
  expect(asked.open).toHaveLength(1);
  asked.open[0]?.answer({ behavior: "allow" });
  expect(await textsOf(asked.executor)).toEqual({ 1: "wrote 1" });
});

test("if a hook requests a question, its reason is shown, unless the rules have one", async () => {
  const reasons: string[] = [];
  for (const verdict of [
    { behavior: "allow" },
    { behavior: "ask" },
    { behavior: "ask", reason: "rule" },
  ] as const) {
    const executor = newExecutor([wrote], {
      ask: ({ reason }) => {
        reasons.push(reason);
        return { behavior: "allow" };
      },
      canUseTool: () => verdict,
      hooks: { preToolUse: () => ({ decision: "ask", reason: "hook" }) },
    });
    executor.add(call("1"));
    await textsOf(executor);
  }
  expect(reasons).toEqual(["hook", "hook", "rule"]);
});

test("post hooks get the duration of the call", async () => {
  const clock = new FakeClock();
  const ran: number[] = [];
  const { tool, open } = controlled("Slow");
  const executor = newExecutor([tool], {
    clock,
    hooks: { postToolUse: ({ ranMs }) => void ran.push(ranMs) },
  });
  executor.add({ id: "1", name: "Slow", input: { path: "a" } });
  clock.after(250, () => {});
  clock.advance();
  open[0]?.resolve();
  await textsOf(executor);
  expect(ran).toEqual([250]);
});

test("D07, D08: a hook that throws or never answers makes no decision, and one event reports it", async () => {
  const clock = new FakeClock();
  for (const preToolUse of [
    () => Promise.reject(new Error("crash")),
    () => new Promise<undefined>(() => {}),
  ]) {
    const events: EngineEvent[] = [];
    const executor = newExecutor([wrote], {
      clock,
      canUseTool: () => ({ behavior: "deny", reason: "rule" }),
      hooks: { preToolUse },
      onEvent: (event) => void events.push(event),
    });
    executor.add(call("1"));
    await settle();
    clock.advance();
    expect(await textsOf(executor)).toEqual({ 1: "Not run: denied by permissions. rule" });
    expect(events.filter(({ type }) => type === "hook-failed")).toHaveLength(1);
  }
});

test("post hooks see the outcome, can add to the result or replace it, and can end the turn (D13)", async () => {
  const bad = simple("Bad", () => Promise.reject(new Error("broken")), writer);
  const executor = newExecutor([wrote, bad], {
    hooks: {
      postToolUse: ({ input }) =>
        (input as { path: string }).path === "1" ? { addition: "formatted" } : { content: "replaced" },
      postToolUseFailure: ({ error }) => ({ addition: `hook saw: ${error}`, endTurn: "a hook said stop" }),
    },
  });
  executor.add(call("1"));
  executor.add(call("2"));
  await settle();
  executor.add({ id: "3", name: "Bad", input: { path: "3" } });
  executor.add(call("4", "3"));
  const texts = await textsOf(executor);
  expect(texts[1]).toBe("wrote 1\nformatted");
  expect(texts[2]).toBe("replaced");
  expect(texts[3]).toMatch(/^Error: broken[^]*hook saw: broken$/);
  expect(texts[4]).toBe("Not run: a hook said stop.");
  expect(executor.endedBy).toBe("a hook said stop");
});

test("however often the context changes, each question is asked about once", async () => {
  const asked = new Map<string, number>();
  const moves = simple("Cd", ({ path }, { change }) => change((context) => ({ ...context, cwd: path })), {
    access: () => [{ mode: "write", place: "context:/cwd" }],
  });
  const executor = newExecutor([wrote, moves], {
    context: { cwd: "/" },
    canUseTool: () => ({ behavior: "ask" }),
    ask: async ({ callId }) => {
      await settle();
      asked.set(callId, (asked.get(callId) ?? 0) + 1);
      return { behavior: "allow" };
    },
  });
  for (let at = 0; at < 40; at += 2) {
    executor.add({ id: `${at}`, name: "Cd", input: { path: `/${at}` } });
    executor.add(call(`${at + 1}`));
  }
  await textsOf(executor);
  // The question that is open when the folder changes has to be asked again.
  expect([...asked.values()].reduce((sum, count) => sum + count)).toBeLessThan(65);
});

test("a turn that the hooks of two calls end has ended once, for the first reason", async () => {
  const events: EngineEvent[] = [];
  const executor = newExecutor([wrote], {
    hooks: {
      postToolUse: async ({ callId }) => {
        await settle();
        return { endTurn: `call ${callId} is enough` };
      },
    },
    onEvent: (event) => void events.push(event),
  });
  executor.add(call("1"));
  executor.add(call("2"));
  await textsOf(executor);
  expect(executor.endedBy).toBe("call 1 is enough");
  expect(events.filter(({ type }) => type === "turn-ended")).toMatchObject([{ reason: "call 1 is enough" }]);
});

test("a tool can add to its result what hooks did after it, still holding its claims; its failure is reported", async () => {
  const order: string[] = [];
  const events: EngineEvent[] = [];
  const found = ["a hook formatted it", undefined, new Error("broken"), 5];
  const tool = simple("Write", ({ path }) => void order.push(`write ${path}`), {
    ...writer,
    afterHooks: async (_output, { callId }) => {
      await settle();
      order.push(`look ${callId}`);
      const next = found.shift();
      if (next instanceof Error) throw next;
      return next as string | undefined;
    },
  });
  const executor = newExecutor([tool], {
    hooks: { postToolUse: () => ({ addition: "hook" }) },
    onEvent: (event) => void events.push(event),
  });
  for (const id of ["1", "2", "3", "4"]) executor.add(call(id, "a"));
  const texts = await textsOf(executor);
  expect(order).toEqual(["1", "2", "3", "4"].flatMap((id) => ["write a", `look ${id}`]));
  expect(Object.values(texts).map((text) => String(text).split("\n").slice(-2).join("|"))).toEqual([
    "hook|a hook formatted it",
    expect.stringMatching(/\|?hook$/) as string,
    expect.stringMatching(/\|?hook$/) as string,
    expect.stringMatching(/\|?hook$/) as string,
  ]);
  expect(events.filter(({ type }) => type === "hook-failed")).toHaveLength(2);
});

test("without hooks after it, a tool is not asked what they did", async () => {
  let looks = 0;
  const tool = simple("Write", () => "wrote", { ...writer, afterHooks: () => String(++looks) });
  const executor = newExecutor([tool]);
  executor.add(call("1", "a"));
  expect(await textsOf(executor)).toEqual({ 1: "wrote" });
  expect(looks).toBe(0);
});

test("a call keeps its claims until its post hooks have finished", async () => {
  const order: string[] = [];
  const tool = simple("Write", ({ path }) => void order.push(`write ${path}`), writer);
  const executor = newExecutor([tool], {
    hooks: {
      postToolUse: async () => {
        await settle();
        order.push("format");
      },
    },
  });
  executor.add(call("1", "a"));
  executor.add(call("2", "a"));
  await resultsOf(executor);
  expect(order).toEqual(["write a", "format", "write a", "format"]);
});

test("a call with an asynchronous schema keeps its position in the order", async () => {
  const order: string[] = [];
  const slowSchema = z.object({ path: z.string() }).refine(async () => {
    await settle();
    return true;
  });
  const slow = defineTool({
    name: "Slow",
    description: "",
    inputSchema: slowSchema,
    call: () => void order.push("slow"),
    access: () => [],
  });
  const executor = newExecutor([slow, simple("Write", () => void order.push("write"), writer)]);
  executor.add({ id: "1", name: "Slow", input: { path: "a" } });
  executor.add(call("2"));
  await resultsOf(executor);
  expect(order).toEqual(["slow", "write"]);
});

test("questions of nested calls wait in the same queue", async () => {
  const { open, ask } = person();
  const agent = simple(
    "Agent",
    async ({ path }, { permissions }) => {
      const nested = newExecutor([wrote], { canUseTool: permissions.canUseTool, ask: permissions.ask });
      nested.add(call(`nested in ${path}`));
      return Object.values(await textsOf(nested)).join();
    },
    reader,
  );
  const executor = newExecutor([agent, wrote], {
    ask,
    canUseTool: (tool) => ({ behavior: tool.name === "Write" ? "ask" : "allow" }),
  });
  executor.add({ id: "1", name: "Agent", input: { path: "x" } });
  executor.add({ id: "2", name: "Agent", input: { path: "y" } });
  executor.add(call("3"));
  for (let answered = 0; answered < 3; answered++) {
    await settle();
    expect(open).toHaveLength(1);
    open[0]?.answer({ behavior: "allow" });
  }
  expect(await textsOf(executor)).toEqual({ 1: "wrote nested in x", 2: "wrote nested in y", 3: "wrote 3" });
});
