import { afterEach, expect, test } from "vitest";
import {
  type McpWorld,
  firstText,
  misbehaving,
  newWorld,
  nothingLeft,
  serverProcesses,
} from "../test/support/mcp-world.ts";
import { until } from "../../agent/test/support/until.ts";

afterEach(nothingLeft);

test("H01: a call that is never answered ends at its idle limit and is cancelled at the server", async () => {
  const { mcp, call } = newWorld([misbehaving()], { limits: { idleMs: 1_000 } });
  await mcp.settled();
  const { content, is_error } = await call("mcp__odd__silent");
  expect([is_error, content]).toEqual([
    true,
    "Error: The MCP server odd sent nothing for 1 s, so the call was cancelled. The call may have run and had effects.",
  ]);
  expect((await call("mcp__odd__cancelled")).content).toEqual([
    { type: "text", text: '["no message for 1000 ms"]' },
  ]);
});

test("H03: only a call's own progress keeps it alive", async () => {
  const { mcp, call } = newWorld([misbehaving()], { limits: { idleMs: 1_500 } });
  await mcp.settled();
  const [talking, silent] = await Promise.all([
    call("mcp__odd__steps", { count: 10, everyMs: 200 }),
    call("mcp__odd__silent"),
  ]);
  expect(talking.content).toEqual([{ type: "text", text: "done" }]);
  expect(talking.progress[0]).toEqual({ type: "status", message: "step 1 (1/10)", progress: 1, total: 10 });
  expect(silent.content).toContain("sent nothing for 1.5 s");
});

test("a call that takes too long ends at the engine's limit, whatever progress it reports", async () => {
  const { mcp, call } = newWorld([misbehaving()], { limits: { callMs: 500 } });
  await mcp.settled();
  const { content } = await call("mcp__odd__steps", { count: 1_000, everyMs: 20 });
  expect(content).toContain("it reached its time limit of 0.5 s. ");
});

test("an interrupted call is cancelled at the server, and others continue", async () => {
  const { mcp, call } = newWorld([misbehaving()]);
  await mcp.settled();
  const stop = new AbortController();
  const stopped = call("mcp__odd__silent", {}, stop.signal);
  const going = call("mcp__odd__slow", { ms: 200 });
  setTimeout(() => stop.abort(), 50);
  expect((await stopped).content).toContain("It may have had effects.");
  expect((await going).content).toEqual([{ type: "text", text: "done" }]);
  expect((await call("mcp__odd__cancelled")).content).toEqual([
    { type: "text", text: '["the call was cancelled"]' },
  ]);
});

test("H02: when a server dies, its calls fail with a clear message, and it is started again for the next call", async () => {
  const { mcp, call, notices } = newWorld([misbehaving()]);
  await mcp.settled();
  const [waiting, killing] = await Promise.all([call("mcp__odd__silent"), call("mcp__odd__die")]);
  const why = "it exited with code 3; last lines of its stderr:\nsomething broke\nfatal: out of cheese\n";
  for (const { content, is_error } of [waiting, killing])
    expect([is_error, content]).toEqual([
      true,
      `Error: The MCP server odd failed: ${why}The call may have run and had effects.`,
    ]);
  // It waits for the server to be back.
  expect((await call("mcp__odd__echo", { text: "again" })).content).toEqual([
    { type: "text", text: "again" },
  ]);
  expect(notices).toEqual([
    `The MCP server odd is not available and will be retried: ${why}`,
    "The MCP server odd is connected again.",
  ]);
  expect(serverProcesses().length).toBe(1);
});

test("H02: a server that keeps dying is no longer started, and its calls do not run", async () => {
  const { mcp, call, notices } = newWorld([misbehaving()], {
    limits: { mostRetries: 2, mostRetryMs: 60_000 },
  });
  await mcp.settled();
  const [offered] = mcp.tools().filter(({ name }) => name === "mcp__odd__die");
  for (let time = 0; time < 3; time++) await call("mcp__odd__die");
  await until(() => mcp.servers()[0]?.state.type === "failed");
  expect(notices.at(-1)).toContain("is not available and will not be retried: it exited with code 3");
  expect(mcp.tools().map(({ name }) => name)).toEqual(["ListMcpResources", "ReadMcpResource"]);
  const context = { signal: new AbortController().signal } as never;
  await expect(offered?.call({}, context)).rejects.toThrow(
    /is not available \(it exited .*\)\. The call was not run\.$/s,
  );
});

test("H02: output that is still in the pipe of a server that exited is read", async () => {
  const { mcp, call } = newWorld([misbehaving()]);
  await mcp.settled();
  expect(firstText(await call("mcp__odd__last", { text: "bye" }))).toBe("bye");
});

test("H04: output on stdout that is not a message is reported once and ignored", async () => {
  const { mcp, call, notices } = newWorld([misbehaving()]);
  await mcp.settled();
  for (let time = 0; time < 2; time++)
    expect((await call("mcp__odd__stray", { lines: 1_000 })).content).toEqual([
      { type: "text", text: "done" },
    ]);
  expect(notices).toEqual([
    "The MCP server odd printed something to stdout that is not a protocol message; it is ignored: log line 0 of a server that knows no better",
  ]);
});

test("H04: a message above the limit ends the connection with a clear error, and the server is started again", async () => {
  const { mcp, call, notices } = newWorld([misbehaving()]);
  await mcp.settled();
  const { content } = await call("mcp__odd__huge", { megabytes: 16 });
  expect(content).toBe(
    "Error: The MCP server odd failed: it sent a message larger than 8000000 bytes. The call may have run and had effects.",
  );
  expect((await call("mcp__odd__echo", { text: "again" })).is_error).toBe(false);
  expect(notices.length).toBe(2);
});

test("H04: a result below the limit is cut by the engine", async () => {
  const { mcp, call } = newWorld([misbehaving()]);
  await mcp.settled();
  const text = firstText(await call("mcp__odd__huge", { megabytes: 2 }));
  expect(text).toContain("Result too large: 2000000 characters");
  expect(text.length).toBeLessThan(40_000);
});

test("H04: a server that sends endless garbage is stopped, with flat memory", async () => {
  const before = process.memoryUsage().rss;
  const { mcp, notices } = newWorld([misbehaving("flood")], { limits: { mostRetries: 0 } });
  await mcp.settled();
  expect(notices.at(-1)).toMatch(
    /^The MCP server odd is not available: it printed \d+ lines that are not protocol messages$/,
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

test("an error of the protocol says whether the call may have run", async () => {
  const { mcp, call } = newWorld([misbehaving()]);
  await mcp.settled();
  expect((await call("mcp__odd__fail", { code: -32602 })).content).toBe(
    'Error: The MCP server odd failed: it answered "I will not" (-32602). The call was not run.',
  );
  expect((await call("mcp__odd__fail", { code: -32000 })).content).toBe(
    'Error: The MCP server odd failed: it answered "I will not" (-32000). The call may have run and had effects.',
  );
});

test("H06: an answer that is not valid fails its call at once, and the connection stays", async () => {
  const { mcp, call } = newWorld([misbehaving()]);
  await mcp.settled();
  expect((await call("mcp__odd__odd")).content).toMatch(
    /^Error: The MCP server odd failed: .*invalid answer: \{.*"hello".*\}" \(-32603\)\. The call may have run/,
  );
  expect(firstText(await call("mcp__odd__echo", { text: "still here" }))).toBe("still here");
});

test("H06: errors, empty answers, unknown blocks and unknown formats all reach the model", async () => {
  const { mcp, call } = newWorld([misbehaving()]);
  await mcp.settled();
  const answer = async (result: unknown) => {
    const { content, is_error } = await call("mcp__odd__answer", { result });
    return [is_error, content];
  };
  const failed = {
    isError: true,
    content: [
      { type: "text", text: "no such branch" },
      { type: "hologram", beam: 7 },
    ],
  };
  expect(await answer(failed)).toEqual([
    true,
    'Error: no such branch\n[Unknown content block from odd:]\n{\n  "type": "hologram",\n  "beam": 7\n}',
  ]);
  expect(await answer({ content: [] })).toEqual([
    false,
    [{ type: "text", text: "[The tool returned nothing.]" }],
  ]);
  expect(await answer({ toolResult: { old: true } })).toEqual([
    false,
    [
      {
        type: "text",
        text: '[Answer in an unknown format:]\n{\n  "toolResult": {\n    "old": true\n  }\n}',
      },
    ],
  ]);
});

test("input that does not fit a tool's schema is refused before the server sees it", async () => {
  const { mcp, call } = newWorld([misbehaving()]);
  await mcp.settled();
  const { content, is_error } = await call("mcp__odd__echo", { text: 5 });
  expect([is_error, content]).toEqual([true, expect.stringContaining("text")]);
  expect(content).toContain("must be string");
});

test("requests from a server are answered: roots with the folder, others by the caller or with an error", async () => {
  const asked: unknown[] = [];
  const elicit = async (params: unknown) => {
    asked.push(params);
    return { action: "accept", content: { name: "x" } };
  };
  const ask = async (call: McpWorld["call"], method: string, params = {}) =>
    JSON.parse(firstText(await call("mcp__odd__ask", { method, params }))) as unknown;
  const alone = newWorld([misbehaving()], { cwd: "/tmp" });
  const helped = newWorld([misbehaving()], { askBack: { elicit } });
  await Promise.all([alone.mcp.settled(), helped.mcp.settled()]);
  expect(await ask(alone.call, "roots/list")).toEqual({ roots: [{ uri: "file:///tmp", name: "tmp" }] });
  expect(await ask(alone.call, "elicitation/create")).toMatchObject({
    error: {
      message:
        "No user can be asked. Continue with the arguments of the call, or answer the call with what is missing.",
    },
  });
  expect(await ask(alone.call, "sampling/createMessage")).toMatchObject({ error: { code: -32601 } });
  const form = {
    mode: "form",
    message: "Who?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } } },
  };
  expect(await ask(helped.call, "elicitation/create", form)).toEqual({
    action: "accept",
    content: { name: "x" },
  });
  expect(asked).toEqual([form]);
});

test("resources are listed and read, and errors say what is wrong", async () => {
  const { mcp, call } = newWorld([misbehaving()]);
  await mcp.settled();
  expect((await call("ListMcpResources")).content).toBe("odd:\n- test://one: one, text/plain");
  expect((await call("ReadMcpResource", { server: "odd", uri: "test://one" })).content).toEqual([
    { type: "text", text: "[Resource test://one:]\nthe first" },
  ]);
  expect((await call("ReadMcpResource", { server: "odd", uri: "test://two" })).content).toBe(
    'Error: The MCP server odd failed: it answered "no such thing" (-32002).',
  );
  expect((await call("ReadMcpResource", { server: "other", uri: "x" })).content).toBe(
    'Error: Unknown MCP server "other". Available: odd.',
  );
});
