/** A tool worker in a process of its own that records a span for each call, as a tool with OpenTelemetry does. */

import { ROOT_CONTEXT, propagation, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { startWorker } from "@runahead/workers";
import { lookTool } from "./trace-tool.ts";

const [redis = ""] = process.argv.slice(2);
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
// Registers the propagation of W3C trace contexts.
provider.register();

const look = lookTool((context) => {
  const parent = propagation.extract(ROOT_CONTEXT, context);
  trace.getTracer("tool").startSpan("read the shelf", {}, parent).end();
  const [span] = exporter.getFinishedSpans();
  process.send?.({ ...span?.spanContext(), parentSpanId: span?.parentSpanContext?.spanId });
});
const worker = await startWorker({ tools: [look], connection: redis, queue: "trace-tools" });
process.on("disconnect", () => void worker.drain().then(() => process.exit(0)));
process.send?.("ready");
