import { type AnyTool, createLocks, StreamingToolExecutor } from "@runahead/engine";
import { expect, onTestFinished, test } from "vitest";
import { type ScriptEvent, codeTool } from "../src/index.ts";
import { run, valueIn, world } from "./support.ts";

test("a script calls tools in parallel, filters what they return, and only that is the result", async () => {
  const shop = world();
  const script = `
    const skus = Array.from({ length: 30 }, (_, at) => "x".repeat(at + 1));
    const found = await Promise.all(skus.map((sku) => tools.Price({ sku })));
    console.log("looked up", found.length);
    return found.filter(({ price }) => price > 28).map(({ price }) => price);
  `;
  expect(await run(script, shop.tools)).toEqual({
    text: "[29,30]\n\n[Printed:]\nlooked up 30\n\n[30 calls made.]",
    isError: false,
  });
  expect(shop.log.length).toBe(30);
  expect(shop.most).toBeGreaterThan(1);
});

test("calls of a script that conflict run in their order, also without await between them", async () => {
  const { tools, log } = world();
  const script = `
    const calls = [tools.Price({ sku: "a" }), tools.SetPrice({ sku: "a" }), tools.Price({ sku: "a" }), tools.Price({ sku: "b" })];
    await Promise.all(calls);
  `;
  await run(script, tools);
  expect(log.filter((line) => line.endsWith("a"))).toEqual(["read a", "write a", "read a"]);
});

test("the locks of the turn keep the calls of two scripts apart", async () => {
  const { tools, log } = world();
  const locks = createLocks();
  const script = `
    for (let round = 0; round < 3; round++) { await tools.SetPrice({ sku: "a" }); }
    return "done";
  `;
  const options = { executor: { locks } };
  const both = await Promise.all([1, 2].map(() => run(script, tools, { options, executor: { locks } })));
  expect([both.map(valueIn), log.length]).toEqual([["done", "done"], 6]);
});

test("invalid input, unknown tools and errors of tools are errors that a script can catch", async () => {
  const { tools, log } = world();
  const script = `
    const said = [];
    for (const call of [() => tools.Price({ sku: 7n ? [] : 0 }), () => tools.Price(), () => tools.Fail({}), () => tools.Nothing({})])
      try { await call(); } catch (error) { said.push(error.message.split("\\n")[0]); }
    return said;
  `;
  expect(JSON.parse(valueIn(await run(script, tools)))).toEqual([
    expect.stringContaining("InputValidationError"),
    expect.stringContaining("InputValidationError"),
    "no such shop",
    "No such tool available: Nothing. Available: Price, SetPrice, Fail, Wait.",
  ]);
  expect(log).toEqual([]);
});

test("the error for a tool that does not exist names near ones, and a script cannot ignore it unseen", async () => {
  const { tools } = world();
  const near = await run("await tools.price_({});", tools);
  expect(near.text).toContain(
    "The script failed: Error: No such tool available: price_. Did you mean Price? (line 1)",
  );
  expect(near.isError).toBe(true);
  const ignored = await run(`tools.Nope({}); return "ok";`, tools);
  expect(ignored.text).toBe("ok\n\n[1 call made, 1 without success.]");
  const looked = `return ["Price" in tools, "Nope" in tools, Object.keys(tools), JSON.stringify(tools), await tools === tools];`;
  expect(JSON.parse(valueIn({ ...(await run(looked, tools)) }).replace(/\n\n\[0.*$/, ""))).toEqual([
    true,
    false,
    ["Price", "SetPrice", "Fail", "Wait"],
    "{}",
    true,
  ]);
  expect((await run(`await tools["x".repeat(1000)]({});`, tools)).text).toContain("such a long name");
});

test("every call is judged by the permissions of the turn and asked about by its questions", async () => {
  const { tools, log } = world();
  const judged: string[] = [];
  const asked: (string | undefined)[] = [];
  const script = `
    const said = [await tools.Price({ sku: "a" })];
    for (const sku of ["b", "c"])
      try { said.push(await tools.SetPrice({ sku })); } catch (error) { said.push(error.message); }
    return said;
  `;
  const ran = await run(script, tools, {
    executor: {
      canUseTool: (tool) => {
        judged.push(tool.name);
        if (tool.name === "SetPrice") return { behavior: "ask", reason: "it writes" };
        return { behavior: "allow" };
      },
      ask: async ({ input, from }) => {
        asked.push(from);
        const { sku } = input as { sku: string };
        return sku === "b" ? { behavior: "allow" } : { behavior: "deny", message: "not that one" };
      },
    },
  });
  expect(judged).toEqual(["Code", "Price", "SetPrice", "SetPrice"]);
  expect(asked).toEqual(["Code", "Code"]);
  expect(JSON.parse(valueIn(ran))).toEqual([
    { sku: "a", price: 1 },
    "set",
    expect.stringContaining("not that one"),
  ]);
  expect(log).toEqual(["read a", "write b"]);
});

test("a question that is deferred leaves its call not run, and the model reads what to do instead", async () => {
  const executor = {
    canUseTool: (tool: { name: string }) =>
      tool.name === "SetPrice" ? ({ behavior: "ask" } as const) : ({ behavior: "allow" } as const),
    ask: () => ({ behavior: "defer" }) as const,
  };
  const direct =
    "the question about it was deferred, and a script cannot wait for an answer that comes later. Call SetPrice directly instead of in a script: then its question is kept until somebody answers.";
  const { tools, log } = world();
  const failed = await run(`await tools.Price({ sku: "a" }); await tools.SetPrice({ sku: "b" });`, tools, {
    executor,
  });
  expect(failed.isError).toBe(true);
  expect(failed.text).toContain(`The script failed: Error: Not run: ${direct}`);
  expect(failed.text).toContain('1. Price {"sku":"a"}: succeeded');
  expect(failed.text).toMatch(/2\. Set b: not run, denied: the question about it was deferred/);
  const caught = await run(`try { await tools.SetPrice({ sku: "c" }); } catch {} return "fine";`, tools, {
    executor,
  });
  expect([caught.isError, caught.text]).toEqual([
    false,
    `fine\n\n[1 call made, 1 without success.\nNot run: Set c: ${direct}]`,
  ]);
  // A hook that defers asks now, because the call of a script cannot wait.
  const hooks = { preToolUse: () => ({ decision: "defer" }) as const };
  const hooked = await run(`return await tools.Price({ sku: "d" });`, tools, {
    executor,
    options: { executor: { hooks } },
  });
  expect(hooked.text).toContain("Call Price directly instead of in a script");
  expect(log).toEqual(["read a"]);
});

test("hooks see every call, and what a hook puts in place of a result is what the script gets", async () => {
  const { tools } = world();
  const seen: string[] = [];
  const hooks = {
    preToolUse: ({ tool }: { tool: { name: string } }) => void seen.push(`before ${tool.name}`),
    postToolUse: ({ tool }: { tool: { name: string } }) => {
      seen.push(`after ${tool.name}`);
      return tool.name === "Price" ? { content: "hidden" } : {};
    },
  };
  const ran = await run(`return await tools.Price({ sku: "a" })`, tools, {
    options: { executor: { hooks } },
  });
  expect([valueIn(ran), seen]).toEqual(["hidden", ["before Price", "after Price"]]);
});

test("a script that fails half way reports what had happened", async () => {
  const { tools, log } = world();
  const script = `
    await tools.SetPrice({ sku: "a" });
    void tools.Wait({});
    await tools.Price({ sku: "b" });
    await tools.Fail({});
    await tools.SetPrice({ sku: "never" });
  `;
  const { text, isError } = await run(script, tools);
  expect(isError).toBe(true);
  expect(text).toContain("The script failed: Error: no such shop (line 5)\n\n");
  expect(text).toContain("It had made 4 calls. Their effects remain:");
  expect(text).toContain("1. Set a: succeeded");
  expect(text).toMatch(/2\. Wait.*: stopped while it ran; its effect is unknown/);
  expect(text).toMatch(/4\. Fail.*: failed: Error: no such shop/);
  expect(log).toContain("stopped");
  expect(log).not.toContain("write never");
});

test("a report does not speak of effects if no call has run", async () => {
  const { tools } = world();
  const options = { canUseTool: ({ name }: AnyTool) => verdictOn(name) };
  const one = await run(`await tools.SetPrice({ sku: "a" })`, tools, { executor: options });
  expect(one.text).toContain("It had made 1 call. It was not run:\n1. Set a: not run, denied: not today");
  const both = `await Promise.allSettled(["a", "b"].map((sku) => tools.SetPrice({ sku }))); throw "x"`;
  expect((await run(both, tools, { executor: options })).text).toContain("2 calls. None of them was run:");
  const price = `await tools.Price({ sku: "a" }); throw "x"`;
  expect((await run(price, tools, { executor: options })).text).toContain("1 call. Its effects remain:");
});

function verdictOn(name: string) {
  return name === "SetPrice"
    ? ({ behavior: "deny", reason: "not today" } as const)
    : ({ behavior: "allow" } as const);
}

test("calls that a script did not await finish before its result", async () => {
  const { tools, log } = world();
  const ran = await run(`tools.SetPrice({ sku: "a" }); tools.SetPrice({ sku: "b" }); return "early";`, tools);
  expect([valueIn(ran), log.toSorted()]).toEqual(["early", ["write a", "write b"]]);
});

test("stopping the turn stops the script and its calls", async () => {
  const { tools, log } = world();
  const turn = new StreamingToolExecutor({ tools: [codeTool(tools)] });
  const script = "await tools.Wait({}); await tools.SetPrice({ sku: 'a' });";
  turn.add({ id: "1", name: "Code", input: { script } });
  await expect.poll(() => log).toEqual(["waits"]);
  turn.interrupt("stop");
  const texts: string[] = [];
  for await (const update of turn.remaining())
    if (update.type === "result") texts.push(String(update.result.content));
  expect(log).toEqual(["waits", "stopped"]);
  expect(texts.length).toBe(1);
});

test("calls have idempotency keys of their own, and what they change in the context is changed", async () => {
  const keys: string[] = [];
  const { tools } = world();
  const move = {
    ...(tools[0] as object),
    name: "Move",
    access: () => [{ mode: "write", place: "context:/cwd" }],
    call: (
      _input: unknown,
      context: { idempotencyKey: string; change: (modify: (c: object) => object) => void },
    ) => {
      keys.push(context.idempotencyKey);
      context.change((before) => ({ ...before, cwd: "/elsewhere" }));
      return "moved";
    },
  };
  const turn = new StreamingToolExecutor({ tools: [codeTool([move as never])], scope: "session/1" });
  turn.add({
    id: "1",
    name: "Code",
    input: { script: `await tools.Move({ sku: "a" }); await tools.Move({ sku: "b" });` },
  });
  for await (const _update of turn.remaining());
  expect(turn.context.cwd).toBe("/elsewhere");
  expect([new Set(keys).size, keys.every((key) => key.startsWith("session/1"))]).toEqual([2, true]);
});

test("wrong options are named, and a script must be a string", async () => {
  expect(() => codeTool([], { cpu: 1 } as never)).toThrow(/codeTool.*cpu/);
  expect(() => codeTool([], { maxCalls: 0 })).toThrow(/maxCalls/);
  expect(() => codeTool("Price" as never)).toThrow(/codeTool/);
  const turn = new StreamingToolExecutor({ tools: [codeTool([])] });
  turn.add({ id: "1", name: "Code", input: { script: 7 } });
  for await (const update of turn.remaining())
    if (update.type === "result") expect(String(update.result.content)).toContain("InputValidationError");
});

test("without an agent, onEvent gets the events of the calls, and one that throws does not stop the script", async () => {
  const { tools } = world();
  const heard: string[] = [];
  const warned: string[] = [];
  const warn = ({ message }: Error): void => void warned.push(message);
  process.on("warning", warn);
  onTestFinished(() => void process.off("warning", warn));
  const onEvent = (event: ScriptEvent, parentId: string): void => {
    if ("callId" in event) heard.push(`${parentId} ${event.callId} ${event.type}`);
    if (event.type === "call-arrived" || event.type === "call-settled") throw new Error("not now");
  };
  const ran = await run(`return (await tools.Price({ sku: "a" })).price;`, tools, {
    options: { executor: { onEvent } },
  });
  expect(valueIn(ran)).toBe("1");
  expect([heard[0], heard.filter((one) => one.endsWith("call-settled"))]).toEqual([
    "call-1 call-1.1 call-arrived",
    ["call-1 call-1.1 call-settled"],
  ]);
  await expect.poll(() => warned).toEqual(Array.from({ length: 2 }, () => "onEvent failed: Error: not now"));
});
