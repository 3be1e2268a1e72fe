/** Exports what an agent does as OpenTelemetry spans. */

import { NodeTracerProvider, SimpleSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-node";
import { query, scripted } from "@runahead/agent";
import { telemetry } from "@runahead/agent/otel";
import { fileTools } from "./file-tools.ts";

// In your program: a BatchSpanProcessor with an OTLPTraceExporter.
const exporter: SpanExporter = {
  export(spans, done) {
    for (const { name, attributes } of spans) console.log(name, attributes);
    done({ code: 0 });
  },
  shutdown: async () => {},
};
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();

const model = scripted([
  [{ type: "tool_use", id: "1", name: "Read", input: { file_path: "package.json" } }],
  [{ type: "text", text: "It is a monorepo." }],
]);
const events = query({ model, tools: fileTools, prompt: "What is in package.json?" });
for await (const event of telemetry({ agentName: "reader" }).traced(events))
  if (event.type === "text") console.log(event.text);
await provider.shutdown();
