import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SpanStatusCode, context, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  BatchSpanProcessor,
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-node";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { type AnyTool, defineTool } from "@runahead/engine";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { scriptEvents } from "../../test/support/timeline.ts";
import { createAgent } from "../loop/agent.ts";
import type { AgentEvent } from "../loop/event.ts";
import type { QueryOptions } from "../loop/options.ts";
import { query } from "../loop/query.ts";
import { agentTool } from "../agents/sub-agent.ts";
import { ModelError } from "../model/error.ts";
import type { Model } from "../model/event.ts";
import type { Block } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import * as names from "./otel-names.ts";
import { type TelemetryOptions, telemetry } from "./otel.ts";

const providers: NodeTracerProvider[] = [];
afterEach(() => Promise.all(providers.splice(0).map((provider) => provider.shutdown())));

function provided(exporter: SpanExporter, isBatch = false) {
  const processor = isBatch ? new BatchSpanProcessor(exporter) : new SimpleSpanProcessor(exporter);
  const provider = new NodeTracerProvider({ spanProcessors: [processor] });
  providers.push(provider);
  return { provider, tracer: provider.getTracer("test") };
}

const text = (said: string): Block => ({ type: "text", text: said });
const use = (id: string, name: string, input: object = {}): Block => ({ type: "tool_use", id, name, input });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function tool(name: string, members: Partial<AnyTool> = {}): AnyTool {
  const inputSchema = z.object({}).loose();
  return defineTool({ name, description: name, inputSchema, call: () => `${name} done`, ...members });
}

/** A query, traced; its spans by name, each with the name of what it is in. */
async function spansOf(options: Partial<QueryOptions> & { model: Model }, more: TelemetryOptions = {}) {
  const exporter = new InMemorySpanExporter();
  const { tracer } = provided(exporter);
  const events: AgentEvent[] = [];
  const running = telemetry({ tracer, ...more }).traced(query({ tools: [], prompt: "a secret", ...options }));
  for await (const event of running) events.push(event);
  const spans = exporter.getFinishedSpans();
  const parents = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  const parentOf = (span: ReadableSpan) => parents.get(span.parentSpanContext?.spanId ?? "") ?? "";
  return { events, spans, tree: spans.map((span) => `${span.name} < ${parentOf(span)}`).toSorted() };
}

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span is called ${name}`);
  return found;
};
const millis = ([seconds, nanos]: readonly [number, number]): number => seconds * 1e3 + nanos / 1e6;

test("an agent, its responses and its calls are spans, named by the conventions", async () => {
  const model = scripted([[text("Let me see."), use("1", "Look")], [text("Done.")]]);
  const { spans, tree } = await spansOf(
    { model, tools: [tool("Look")] },
    { agentName: "helper", conversationId: "session-1", provider: "anthropic" },
  );
  expect(tree).toEqual([
    "chat scripted < invoke_agent helper",
    "chat scripted < invoke_agent helper",
    "execute_tool Look < invoke_agent helper",
    "invoke_agent helper < ",
  ]);
  const common = { "gen_ai.conversation.id": "session-1", "gen_ai.provider.name": "anthropic" };
  const usage = {
    "gen_ai.usage.input_tokens": 0,
    "gen_ai.usage.output_tokens": 0,
    "gen_ai.usage.cache_read.input_tokens": 0,
    "gen_ai.usage.cache_creation.input_tokens": 0,
  };
  expect(named(spans, "invoke_agent helper").attributes).toEqual({
    ...common,
    ...usage,
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "helper",
    "runahead.end.reason": "completed",
    "runahead.turns": 2,
  });
  expect(named(spans, "chat scripted").attributes).toEqual({
    ...common,
    ...usage,
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "scripted",
    "gen_ai.request.stream": true,
    "gen_ai.response.model": "scripted",
    "gen_ai.response.finish_reasons": ["tool_use"],
    "gen_ai.response.time_to_first_chunk": expect.any(Number),
    "runahead.turn": 1,
  });
  expect(named(spans, "execute_tool Look").attributes).toEqual({
    ...common,
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "Look",
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": "1",
    "runahead.call.outcome": "succeeded",
    "runahead.call.queue_ms": expect.any(Number),
    "runahead.call.permission_ms": expect.any(Number),
    "runahead.call.run_ms": expect.any(Number),
  });
});

test("every attribute name is from the conventions 1.45, or starts with runahead", () => {
  const known = new Set<unknown>(Object.values(conventions));
  const own = Object.values(names).flatMap((name): string[] =>
    typeof name === "string" ? [name] : Object.values(name),
  );
  expect(own.length).toBeGreaterThan(25);
  expect(own.filter((name) => !known.has(name) && !name.startsWith("runahead."))).toEqual([]);
});

test("the queue, permission and run times of a call add up to its span", async () => {
  const exporter = new InMemorySpanExporter();
  const { tracer } = provided(exporter);
  const spans = telemetry({ tracer });
  const { hear } = spans;
  const call = { callId: "1", toolName: "Pay" } as const;
  hear({ type: "call-arrived", ...call, input: {}, description: "Pay" });
  for (const state of ["judging", "asking", "waiting"] as const) {
    hear({ type: "call-queued", ...call, state });
    await pause(20);
  }
  hear({ type: "call-started", ...call });
  await pause(40);
  hear({ type: "call-settled", ...call, outcome: { type: "succeeded", content: "" }, output: undefined });
  spans.close();
  const span = named(exporter.getFinishedSpans(), "execute_tool Pay");
  const times = ["queue", "permission", "run"].map(
    (name) => span.attributes[`runahead.call.${name}_ms`] as number,
  );
  // Timers may be early by a little.
  [15, 35, 35].forEach((least, at) => expect(times[at]).toBeGreaterThan(least));
  expect(times.reduce((sum, time) => sum + time)).toBeCloseTo(millis(span.duration), 1);
});

test("a response's span ends with the response, not with its last call", async () => {
  const model = scripted([[text("x"), use("1", "Slow")], [text("Done.")]]);
  const { spans } = await spansOf({ model, tools: [tool("Slow", { call: () => pause(100) })] });
  const [response, call] = [named(spans, "chat scripted"), named(spans, "execute_tool Slow")];
  expect(millis(response.endTime)).toBeLessThan(millis(call.endTime));
});

test("spans contain no content unless it is requested", async () => {
  const options = {
    model: scripted([[text("a secret"), use("1", "Look", { word: "a secret" })], [text("a secret")]]),
    tools: [tool("Look", { call: () => "a secret" }), tool("Fail", { call: () => fail("a secret") })],
  };
  const again = {
    ...options,
    model: scripted([[use("1", "Look", { word: "a secret" }), use("2", "Fail")], [text("a secret")]]),
  };
  const silent = await spansOf(options);
  const failing = await spansOf(again);
  const shown = (spans: readonly ReadableSpan[]) =>
    JSON.stringify(spans.map(({ name, attributes, status, events }) => [name, attributes, status, events]));
  expect(shown([...silent.spans, ...failing.spans])).not.toContain("secret");
  const open = await spansOf(
    { ...again, model: scripted([[use("1", "Look", { word: "a secret" })], [text("a secret")]]) },
    { captureContent: true },
  );
  expect(named(open.spans, "execute_tool Look").attributes).toMatchObject({
    "gen_ai.tool.call.arguments": '{"word":"a secret"}',
    "gen_ai.tool.call.result": "a secret",
  });
  expect(named(open.spans, "invoke_agent").attributes).toMatchObject({
    "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"a secret"}]}]',
    "gen_ai.output.messages":
      '[{"role":"assistant","parts":[{"type":"text","content":"a secret"}],"finish_reason":"completed"}]',
  });
});

function fail(words: string): never {
  throw new Error(words);
}

test("content is no longer than its limit", async () => {
  const long = "x".repeat(100_000);
  const { spans } = await spansOf(
    { model: scripted([[use("1", "Look")], [text("Done.")]]), tools: [tool("Look", { call: () => long })] },
    { captureContent: true },
  );
  const kept = named(spans, "execute_tool Look").attributes["gen_ai.tool.call.result"] as string;
  expect([kept.length, kept.endsWith("x…")]).toEqual([16_001, true]);
});

test("errors are reported by their kind", async () => {
  const model = scripted([[use("1", "Fail"), use("2", "Pay"), use("3", "Gone")], [text("Done.")]]);
  const { spans } = await spansOf({
    model,
    tools: [tool("Fail", { call: () => fail("broken") }), tool("Pay")],
    canUseTool: ({ name }) => ({ behavior: name === "Pay" ? "deny" : "allow" }),
  });
  const said = ["Fail", "Pay", "Gone"].map((name) => {
    const { attributes, status } = named(spans, `execute_tool ${name}`);
    return [attributes["runahead.call.outcome"], attributes["error.type"], status.code];
  });
  expect(said).toEqual([
    ["failed", "exception", SpanStatusCode.ERROR],
    ["denied", "denied", SpanStatusCode.ERROR],
    ["failed", "unknown-tool", SpanStatusCode.ERROR],
  ]);
});

test("every attempt has its own span, also one that fails", async () => {
  let tries = 0;
  const good = scripted([[text("Done.")]]);
  const model: Model = {
    name: "shaky",
    stream: (request, signal) => {
      if (++tries < 3) throw new ModelError("overloaded", "busy");
      return good.stream(request, signal);
    },
  };
  const retry = { attempts: 4, firstWaitMs: 1, longestWaitMs: 2, random: () => 0.5 };
  const { tree, spans } = await spansOf({ model, retry });
  expect(tree).toEqual([
    "chat < invoke_agent",
    "chat < invoke_agent",
    "chat scripted < invoke_agent",
    "invoke_agent < ",
  ]);
  expect(named(spans, "chat").attributes["error.type"]).toBe("overloaded");
  expect(named(spans, "chat scripted").attributes["runahead.attempt"]).toBe(2);
  const failed = await spansOf({ model: scripted([]), retry });
  const { attributes, status } = named(failed.spans, "invoke_agent");
  expect([attributes["error.type"], attributes["runahead.end.reason"], status.code]).toEqual([
    "bad-request",
    "model_error",
    SpanStatusCode.ERROR,
  ]);
});

test("a sub-agent's spans are below its call", async () => {
  const options = { model: scripted([[use("s1", "Look")], [text("Found.")]]), tools: [tool("Look")] };
  const agent = agentTool({ options });
  const model = scripted([
    [use("1", "Agent", { description: "look", prompt: "look around" })],
    [text("Thanks.")],
  ]);
  const { tree, spans } = await spansOf({ model, tools: [tool("Look"), agent] });
  const inner = spans.map(({ name }) => name).find((name) => /^invoke_agent ./.test(name)) as string;
  expect(tree).toEqual(
    [
      "chat scripted < invoke_agent",
      "chat scripted < invoke_agent",
      `chat scripted < ${inner}`,
      `chat scripted < ${inner}`,
      "execute_tool Agent < invoke_agent",
      `execute_tool Look < ${inner}`,
      "invoke_agent < ",
      `${inner} < execute_tool Agent`,
    ].toSorted(),
  );
  expect(named(spans, inner).attributes["gen_ai.agent.id"]).toEqual(expect.any(String));
});

test("spans also end if the reader stops, and are children of the active span", async () => {
  const exporter = new InMemorySpanExporter();
  const { provider, tracer } = provided(exporter);
  provider.register();
  try {
    const model = scripted([[use("1", "Slow")], [text("Done.")]]);
    const slow = tool("Slow", { call: (_input, { signal }) => stopped(signal) });
    const outer = tracer.startSpan("outer");
    const controller = new AbortController();
    await context.with(trace.setSpan(context.active(), outer), async () => {
      const events = query({ model, tools: [slow], prompt: "go", signal: controller.signal });
      for await (const event of telemetry().traced(events)) {
        if (event.type !== "call-started") continue;
        controller.abort();
        break;
      }
    });
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name)).toEqual(["execute_tool Slow", "invoke_agent"]);
    expect(spans[0]?.attributes["runahead.call.outcome"]).toBe("unfinished");
    expect(spans[1]?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    expect(spans[1]?.attributes["runahead.end.reason"]).toBe("left");
  } finally {
    trace.disable();
    context.disable();
  }
});

function stopped(signal: AbortSignal): Promise<string> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("stopped")));
  });
}

test("an agent with many prompts has a span for each answer", async () => {
  const exporter = new InMemorySpanExporter();
  const { tracer } = provided(exporter);
  const { hear } = telemetry({ tracer });
  const agent = createAgent({ model: scripted([[text("One.")], [text("Two.")]]), tools: [], onEvent: hear });
  await agent.send("first");
  await agent.send("second");
  await agent.close();
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([
    "chat scripted",
    "invoke_agent",
    "chat scripted",
    "invoke_agent",
  ]);
});

test("spans reach a collector over OTLP and HTTP", async () => {
  const received: { resourceSpans: { scopeSpans: { spans: { name: string; traceId: string }[] }[] }[] }[] =
    [];
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on("data", (piece: Buffer) => body.push(piece));
    request.on("end", () => {
      received.push(JSON.parse(Buffer.concat(body).toString()) as (typeof received)[number]);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const { provider, tracer } = provided(new OTLPTraceExporter({ url }), true);
  const running = telemetry({ tracer }).traced(
    query({ model: scripted([[use("1", "Look")], [text("Done.")]]), tools: [tool("Look")], prompt: "go" }),
  );
  for await (const _event of running);
  await provider.forceFlush();
  const spans = received.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    "chat scripted",
    "chat scripted",
    "execute_tool Look",
    "invoke_agent",
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("without an SDK nothing is recorded, and the events come through unchanged", async () => {
  const model = () => scripted([[use("1", "Look")], [text("Done.")]]);
  const types = async (events: AsyncIterable<AgentEvent>) => {
    const seen: string[] = [];
    for await (const event of events) seen.push(event.type);
    return seen;
  };
  const options = { tools: [tool("Look")], prompt: "go" };
  expect(await types(telemetry().traced(query({ ...options, model: model() })))).toEqual(
    await types(query({ ...options, model: model() })),
  );
});

test("with a traceparent, the spans are part of the trace of the request", async () => {
  const [traceId, spanId] = ["ab".repeat(16), "cd".repeat(8)];
  const traceparent = `00-${traceId}-${spanId}-01`;
  const model = scripted([[use("1", "Look")], [text("Done.")]]);
  const { spans } = await spansOf({ model, tools: [tool("Look")] }, { traceparent, agentName: "reader" });
  expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]));
  expect(named(spans, "invoke_agent reader").parentSpanContext?.spanId).toBe(spanId);
  const invalid = await spansOf({ model: scripted([[text("Done.")]]) }, { traceparent: "nonsense" });
  expect(invalid.spans[0]?.spanContext().traceId).not.toBe(traceId);
});

test("the calls of a script are spans below the call of the script", () => {
  const exporter = new InMemorySpanExporter();
  const { tracer } = provided(exporter);
  const recorder = telemetry({ tracer });
  const events: AgentEvent[] = scriptEvents(1);
  for (const event of [{ type: "prompt-attached", prompt: "go" } as const, ...events]) recorder.hear(event);
  recorder.close();
  const spans = exporter.getFinishedSpans();
  expect(named(spans, "execute_tool Price").parentSpanContext?.spanId).toBe(
    named(spans, "execute_tool Code").spanContext().spanId,
  );
});
