/**
 * The client that the protocol's conformance suite drives: connects to the server at its last argument, calls the tools
 * that the scenario asks for, or each tool once, and leaves. The suite judges by what went over the wire.
 */

import { StreamingToolExecutor } from "@runahead/engine";
import { connectMcp } from "../../src/connect.ts";
import { loginMcp } from "../../src/login.ts";
import type { McpCredential, McpCredentials } from "../../src/oauth.ts";

interface Wanted {
  readonly name: string;
  readonly arguments: object;
}

type Schema = Readonly<Record<string, unknown>>;

const kept = new Map<string, McpCredential>();
const credentials: McpCredentials = {
  load: async (url) => kept.get(url),
  save: async (url, credential) =>
    void (credential === undefined ? kept.delete(url) : kept.set(url, credential)),
};

interface Context {
  readonly toolCalls?: readonly Wanted[];
  readonly client_id?: string;
  readonly client_secret?: string;
}

async function main(url: string): Promise<void> {
  const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;
  const { client_id: id, client_secret: secret } = context;
  if (process.env["MCP_CONFORMANCE_SCENARIO"]?.startsWith("auth/") === true)
    await loginMcp({
      url,
      credentials,
      // The suite approves at once: what a browser does is follow the redirection.
      open: async (page) => void (await fetch(page)),
      signal: AbortSignal.timeout(20_000),
      ...(id === undefined ? {} : { client: { id, ...(secret === undefined ? {} : { secret }) } }),
      clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    });
  const server = { type: "http", url, headers: {}, timeoutMs: undefined } as const;
  const mcp = connectMcp({
    servers: [{ name: "suite", path: "/.mcp.json", trusted: true, server }],
    credentials,
    onNotice: (message) => console.error(message),
    limits: { mostRetries: 0, connectMs: 10_000, idleMs: 20_000 },
    askBack: { elicit: async () => ({ action: "accept", content: {} }) },
  });
  await mcp.settled();
  if (mcp.servers()[0]?.state.type !== "ready") process.exitCode = 1;
  const tools = mcp.tools().filter(({ name }) => name.startsWith("mcp__"));
  const each = tools.map(({ name, inputSchema }) => ({
    name,
    // One scenario wants to see the schema of another tool as we have it.
    arguments: name.endsWith("json_schema_echo")
      ? { schema: tools[0]?.inputSchema }
      : (sample(inputSchema as Schema) as object),
  }));
  const named = context.toolCalls?.map((call) => ({ ...call, name: `mcp__suite__${call.name}` }));
  // Another wants input sent that its schema does not allow.
  const validateJsonSchema = (): undefined => undefined;
  const executor = new StreamingToolExecutor({ tools, validateJsonSchema, limit: 1 });
  for (const [index, { name, arguments: input }] of (named ?? each).entries())
    executor.add({ id: String(index), name, input });
  for await (const update of executor.remaining()) console.error(JSON.stringify(update));
  await mcp.close();
}

/** Something that fits, as far as that is easily said. */
function sample(schema: Schema): unknown {
  const { type, properties, enum: values, default: value } = schema;
  if (value !== undefined) return value;
  if (Array.isArray(values)) return values[0];
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>).map(([name, part]) => [
          name,
          sample(part),
        ]),
      );
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    default:
      return "text";
  }
}

await main(process.argv.at(-1) ?? "");
