/** Wraps a tool of a server as a Runahead tool. */

import { type AnyTool, type CallContext, type JsonSchema, defineTool } from "@runahead/engine";
import { McpFailure, NOT_RUN, SessionEnded } from "./failure.ts";
import { serverPlace } from "./names.ts";
import { type McpOutput, errorWords, resultBlocks } from "./result.ts";
import type { ListedTool, OpenServer, Progress, RawResult } from "./server.ts";
import { schemaFault } from "./validate.ts";

/** What a tool needs from its server. */
export interface ToolServer {
  readonly name: string;
  /** Waits until it is open. Rejects with an `McpFailure` if it is not available. */
  open(signal: AbortSignal): Promise<OpenServer>;
  /** Returns the fingerprint of the tool's current definition. */
  fingerprintOf(tool: string): string | undefined;
  readonly callMs: number;
}

export interface McpTool {
  readonly tool: AnyTool;
  readonly listed: ListedTool;
  readonly fingerprint: string;
}

interface Offered {
  /** The name that the model sees. */
  readonly name: string;
  readonly listed: ListedTool;
  readonly fingerprint: string;
  readonly onNotice: (message: string) => void;
}

export function mcpTool(server: ToolServer, { name, listed, fingerprint, onNotice }: Offered): McpTool {
  // The hint is believed because the user trusts the file that names the server.
  const readsOnly = listed.annotations["readOnlyHint"] === true;
  const tool = defineTool({
    name,
    ...offeredSchema(server, listed, onNotice),
    isReadOnly: () => readsOnly,
    // What it touches is unknown. The place of the server is for limits such as `mcp:/github`.
    access: () =>
      ["*", serverPlace(server.name)].map((place) => ({ mode: readsOnly ? "read" : "write", place })),
    interruptBehavior: () => (readsOnly ? "cancel" : "block"),
    timeoutMs: () => server.callMs,
    call: async (input, context) =>
      outputOf(await run(server, { listed, fingerprint, input }, context), server, listed),
    toResult: ({ blocks }: McpOutput) => blocks,
  });
  return { tool, listed, fingerprint };
}

/** Model APIs refuse every request with an invalid schema, so such a schema goes into the description. */
function offeredSchema(
  server: ToolServer,
  { name, description, inputSchema }: ListedTool,
  onNotice: (message: string) => void,
): { readonly description: string; readonly inputSchema: JsonSchema } {
  const fault = schemaFault(inputSchema);
  if (fault === undefined) return { description, inputSchema };
  onNotice(
    `The tool ${name} of the MCP server ${server.name} has an invalid input schema (${fault}); its input is checked only by the server.`,
  );
  const own = JSON.stringify(inputSchema).slice(0, MOST_SCHEMA_CHARS);
  return {
    description: `${description}\nInput schema as the server gave it: ${own}`,
    inputSchema: { type: "object" },
  };
}

const MOST_SCHEMA_CHARS = 4_000;

interface Run {
  readonly listed: ListedTool;
  readonly fingerprint: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A call that a server refused because the session has ended is made once more, in a new session. */
async function run(server: ToolServer, what: Run, context: CallContext): Promise<RawResult> {
  try {
    return await runOnce(server, what, context);
  } catch (error) {
    if (!(error instanceof SessionEnded)) throw error;
    return runOnce(server, what, context);
  }
}

async function runOnce(
  server: ToolServer,
  { listed, fingerprint, input }: Run,
  context: CallContext,
): Promise<RawResult> {
  const open = await server.open(context.signal);
  const now = server.fingerprintOf(listed.name);
  if (now === undefined)
    throw new McpFailure(`The MCP server ${server.name} no longer has the tool ${listed.name}. ${NOT_RUN}`);
  // Only the definition that was approved runs (H05).
  if (now !== fingerprint)
    throw new McpFailure(
      `The MCP server ${server.name} changed the definition of ${listed.name} after it was offered to you. ${NOT_RUN} Read its new description before you call it again.`,
    );
  const onProgress = (progress: Progress): void => context.progress(statusOf(progress));
  return open.call({ tool: listed, input, signal: context.signal, onProgress });
}

function statusOf({ progress, total, message }: Progress): object {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return {
    type: "status",
    message: message === undefined ? share : `${message} (${share})`,
    progress,
    total,
  };
}

function outputOf(result: RawResult, { name: server }: ToolServer, { name: tool }: ListedTool): McpOutput {
  const blocks = resultBlocks(result, server);
  if (result["isError"] === true) throw new McpFailure(errorWords(blocks));
  return { server, tool, blocks, structured: result["structuredContent"] };
}
