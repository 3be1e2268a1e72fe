import { defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { run, valueIn, world } from "./support.ts";

test("a script reaches nothing of Node: no globals, no imports, no way out through constructors", async () => {
  const { tools } = world();
  const script = `
    const tries = {
      globals: () => ["process", "require", "fetch", "Buffer", "setTimeout", "setInterval", "WebAssembly", "Deno", "std", "os", "module", "__dirname", "navigator"].filter((name) => name in globalThis),
      byFunction: () => Function("return typeof process + typeof require + typeof fetch")(),
      byConstructor: () => tools.Price.constructor("return typeof process")(),
      byAsync: () => (async () => {}).constructor("return typeof require")(),
      byEval: () => (0, eval)("typeof process"),
      byError: () => { try { null.x } catch (error) { return error.constructor.constructor("return typeof process")() } },
      byImport: () => import("node:fs").then(() => "imported", () => "refused"),
      byPrepare: () => { Error.prepareStackTrace = (_, stack) => stack; return typeof new Error().stack },
    };
    const found = {};
    for (const [name, attempt] of Object.entries(tries)) found[name] = await attempt();
    return found;
  `;
  expect(JSON.parse(valueIn(await run(script, tools)))).toEqual({
    globals: [],
    byFunction: "undefinedundefinedundefined",
    byConstructor: "undefined",
    byAsync: "undefined",
    byEval: "undefined",
    byImport: "refused",
    byPrepare: expect.stringMatching(/string|object/),
    byError: "undefined",
  });
});

test("a script that replaces built-in functions and prototypes changes only its own world", async () => {
  const inputs: unknown[] = [];
  const take = defineTool({
    name: "Take",
    description: "Takes.",
    inputSchema: z.looseObject({ path: z.string() }),
    isReadOnly: () => true,
    access: () => [],
    call: (input) => {
      inputs.push(input);
      return { ok: true };
    },
  });
  const script = `
    Object.prototype.polluted = "yes";
    JSON.parse = () => "not parsed";
    JSON.stringify = () => '{"path":"/etc/passwd"}';
    Promise.prototype.then = new Proxy(Promise.prototype.then, {});
    Array.prototype.map = () => ["x"];
    const direct = await tools.Take({ path: "a" });
    const proto = await tools.Take(eval('({"path": "b", "__proto__": {"path": "/evil"}, "constructor": {"prototype": {"evil": 1}}})'));
    try { tools.Take = () => "mine"; } catch {}
    try { globalThis.tools = {}; } catch {}
    const getter = await tools.Take({ get path() { return "c"; }, toJSON() { return { path: "d" }; } });
    return [direct, proto, getter, typeof tools.Take];
  `;
  const { text, isError } = await run(script, [take]);
  expect([text.split("\n")[0], isError]).toEqual(['[{"ok":true},{"ok":true},{"ok":true},"function"]', false]);
  expect(inputs.map((input) => (input as { path: string }).path)).toEqual(["a", "b", "d"]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(({} as Record<string, unknown>)["evil"]).toBeUndefined();
});

const LIMITS = { cpuMs: 300, memoryMb: 16 };

test.each([
  ["an endless loop", "for (;;) {}"],
  ["a loop that catches everything", "for (;;) { try { for (;;) {} } catch {} finally { continue; } }"],
  ["an endless chain of promises", "const again = () => Promise.resolve().then(again); await again();"],
  ["an endless loop with await", "for (;;) await null;"],
  ["a getter that never returns", "return { get x() { for (;;) {} } };"],
  ["a regular expression that backtracks", "return /^(a+)+$/.test('a'.repeat(50) + '!');"],
  ["a loop after the result of a call", "await tools.Price({ sku: 'a' }); for (;;) {}"],
])("%s is stopped, and the host goes on", async (_name, script) => {
  const { tools } = world();
  let beats = 0;
  const beat = setInterval(() => beats++, 10);
  const { text, isError } = await run(script, tools, { options: LIMITS });
  clearInterval(beat);
  expect([isError, text.split("\n")[0]]).toEqual([
    true,
    "The script was stopped: its own code ran for more than 0.3 s.",
  ]);
  expect(beats).toBeGreaterThan(0);
});

test.each([
  ["a growing array", "const all = []; for (;;) all.push('x'.repeat(1_000_000) + all.length);"],
  ["a huge string", "let text = 'x'; for (;;) text += text;"],
  ["a huge buffer", "return new Uint8Array(1_000_000_000).length;"],
  ["deep recursion", "const f = () => f(); return f();"],
  ["a deep value", "let deep = []; for (let at = 0; at < 100_000; at++) deep = [deep]; return deep;"],
])("%s ends the script and not the host", async (_name, script) => {
  const { isError, text } = await run(script, [], { options: LIMITS });
  expect(isError).toBe(true);
  expect(text).toMatch(/^The script (failed|was stopped): /);
});

test("a flood of calls ends at the limit, and those before it are in the report", async () => {
  const { tools, log } = world();
  const script = `
    const calls = [];
    for (let at = 0; at < 200; at++) calls.push(tools.SetPrice({ sku: "s" + at }));
    await Promise.all(calls);
  `;
  const { text, isError } = await run(script, tools, { options: { maxCalls: 50 } });
  expect(isError).toBe(true);
  expect(text).toContain("This script has made 50 calls, which is the limit.");
  expect(text).toContain("It had made 50 calls");
  expect(log.length).toBeLessThanOrEqual(50);
});

test("huge values, inputs and prints are refused or cut", async () => {
  const { tools } = world();
  const value = await run(`return "x".repeat(5_000_000);`, tools);
  expect(value.text).toContain("which is too much. Return only what you need.");
  const input = await run(`return await tools.Price({ sku: "x".repeat(5_000_000) });`, tools);
  expect(input.text).toContain("The input is too large.");
  const printed = await run(
    `for (let at = 0; at < 100; at++) console.log("y".repeat(50_000)); return 1;`,
    tools,
  );
  expect(printed.text.length).toBeLessThan(120_000);
});

test("values that JSON cannot hold, and promises that nothing resolves, are reported", async () => {
  const cyclic = await run("const a = {}; a.a = a; return a;", []);
  expect(cyclic.text).toContain("circular");
  const stuck = await run("await new Promise(() => {});", []);
  expect(stuck.text).toContain("it awaits a promise that nothing resolves");
  expect(valueIn(await run("return undefined;", []))).toBe("(The script returned nothing.)");
  expect(valueIn(await run("return [NaN, undefined, () => 1, 2n < 3n];", []))).toBe("[null,null,null,true]");
});

test("an error says where it is, and text that ends the function early is only a syntax error", async () => {
  expect((await run("\nconst x = 1;\nnull.field;", [])).text).toMatch(
    /^The script failed: TypeError: .*\(line 3\)/,
  );
  expect((await run("return 1 +;", [])).text).toContain("SyntaxError");
  const early = await run(
    "return 1; })(); for (const t of Object.keys(tools)) { } (async () => { return 2;",
    [],
  );
  expect(early.isError).toBe(false);
  expect((await run("throw { toString() { for (;;) {} } };", [], { options: LIMITS })).isError).toBe(true);
});

test("calls that a script makes after its end do not run", async () => {
  const { tools, log } = world();
  const script = `
    const later = async () => { for (let at = 0; at < 100; at++) { await tools.Price({ sku: "a" }); await tools.SetPrice({ sku: "late" + at }); } };
    later();
    return "done";
  `;
  expect(valueIn(await run(script, tools))).toBe("done");
  const before = log.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect([log.length, before <= 2]).toEqual([before, true]);
});

test.each([
  ["a text that is an object", "Array.prototype.join = () => ({ toString() { throw 1; } });"],
  ["a text that is a symbol", "Array.prototype.join = () => Symbol('x');"],
  ["texts without methods", "String.prototype.toString = Array.prototype.map = () => { throw 1; };"],
  [
    "promises of its own",
    "class Own extends Promise { static get [Symbol.species]() { throw 1; } } Promise = Own;",
  ],
])("a script that passes %s to the host can still only do what it could before", async (_name, trick) => {
  const { tools, log } = world();
  const script = `${trick} try { console.log(1); } catch {} return await tools.Price({ sku: "a" });`;
  const { text, isError } = await run(script, tools);
  expect([isError, text.split("\n")[0], log]).toEqual([false, '{"sku":"a","price":1}', ["read a"]]);
});

test.each([
  ["null", "throw null;", "Error: null"],
  ["a thing that cannot be shown", "throw { name: { toString: 1 }, message: { toString: null } };", "Error"],
  ["a text of 10 MB", "throw new Error('z'.repeat(10_000_000));", "Error: zzz"],
])("a script that throws %s fails with a message of limited size", async (_name, script, shown) => {
  const { text, isError } = await run(script, []);
  expect([isError, text.startsWith(`The script failed: ${shown}`)]).toEqual([true, true]);
  expect(text.length).toBeLessThan(11_000);
});

test("100 MB of printed text are cut, and the host keeps only what is shown", async () => {
  const script = `for (let at = 0; at < 100; at++) console.log("y".repeat(1_000_000)); return "end";`;
  const { text, isError } = await run(script, []);
  // 100,000 characters, and the text around them.
  expect([isError, text.split(".")[0]]).toEqual([false, "[Result too large: 100033 characters"]);
});

test("calls with large inputs that are not awaited do not fill the memory of the host", async () => {
  const taken: number[] = [];
  const take = defineTool({
    name: "Take",
    description: "Takes.",
    inputSchema: z.object({ text: z.string() }),
    isReadOnly: () => true,
    access: () => [],
    call: ({ text }) => taken.push(text.length),
  });
  const script = `
    const text = "x".repeat(3_000_000);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => tools.Take({ text })));
    return results.map(({ reason }) => reason?.message ?? "taken");
  `;
  const said = JSON.parse(valueIn(await run(script, [take]))) as string[];
  expect([said.filter((one) => one === "taken").length, taken.length]).toEqual([5, 5]);
  expect(said.at(-1)).toBe(
    "The inputs of this script's calls have more than 16000000 characters, which is the limit.",
  );
});

test("a result that does not fit into the memory of a script ends the script, and its effect is reported", async () => {
  const page = defineTool({
    name: "Page",
    description: "Returns a page.",
    inputSchema: z.object({}),
    access: () => [],
    call: () => "x".repeat(1_900_000),
  });
  const { text } = await run("return (await tools.Page({})).length;", [page], { options: { memoryMb: 2 } });
  expect(text).toContain("The script failed: InternalError: out of memory");
  expect(text).toMatch(/1\. Page.*: succeeded/);
});

test("calls that code makes while the result is written or while memory is freed are calls like others", async () => {
  const { tools, log } = world();
  const script = `
    const registry = new FinalizationRegistry(() => tools.Price({ sku: "freed" }));
    for (let at = 0; at < 10; at++) registry.register({}, at);
    return { toJSON() { tools.SetPrice({ sku: "late" }); return "written"; } };
  `;
  const ran = await run(script, tools, { options: { maxCalls: 20 } });
  expect([ran.isError, ran.text.split("\n")[0]]).toEqual([false, "written"]);
  expect(log).toContain("write late");
  expect(log.length).toBeLessThanOrEqual(20);
});
