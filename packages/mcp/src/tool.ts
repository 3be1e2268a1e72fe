/** A server's tool as one of ours. */

import { type AnyTool, type CallContext, type JsonSchema, defineTool } from "@runahead/engine";
import { McpFailure, NOT_RUN } from "./failure.ts";
import { type McpOutput, errorWords, resultBlocks } from "./result.ts";
import type { ListedTool, OpenServer, Progress, RawResult } from "./server.ts";
import { schemaFault } from "./validate.ts";

/** What a tool needs of the server that it belongs to. */
export interface ToolServer {
  readonly name: string;
  /** Waits while it is being opened; throws an `McpFailure` where it cannot be had. */
  open(signal: AbortSignal): Promise<OpenServer>;
  /** Of a tool as it is listed now. */
  fingerprintOf(tool: string): string | undefined;
  readonly callMs: number;
}

export interface McpTool {
  readonly tool: AnyTool;
  readonly listed: ListedTool;
  readonly fingerprint: string;
}

interface Offered {
  /** Under which name it is offered. */
  readonly name: string;
  readonly listed: ListedTool;
  readonly fingerprint: string;
  readonly onNotice: (message: string) => void;
}

export function mcpTool(server: ToolServer, { name, listed, fingerprint, onNotice }: Offered): McpTool {
  // A hint of the server's, believed because a person trusts the file that names the server.
  const readsOnly = listed.annotations["readOnlyHint"] === true;
  const tool = defineTool({
    name,
    ...offeredSchema(server, listed, onNotice),
    isReadOnly: () => readsOnly,
    interruptBehavior: () => (readsOnly ? "cancel" : "block"),
    timeoutMs: () => server.callMs,
    call: async (input, context) =>
      outputOf(await run(server, { listed, fingerprint, input }, context), server, listed),
    toResult: ({ blocks }: McpOutput) => blocks,
  });
  return { tool, listed, fingerprint };
}

/** A schema that is none would make models' APIs refuse every request, so it goes into the description instead. */
function offeredSchema(
  server: ToolServer,
  { name, description, inputSchema }: ListedTool,
  onNotice: (message: string) => void,
): { readonly description: string; readonly inputSchema: JsonSchema } {
  const fault = schemaFault(inputSchema);
  if (fault === undefined) return { description, inputSchema };
  onNotice(
    `The tool ${name} of the MCP server ${server.name} has an input schema that is not valid (${fault}): only the server checks its input.`,
  );
  const own = JSON.stringify(inputSchema).slice(0, MOST_SCHEMA_CHARS);
  return {
    description: `${description}\nIts input, in its own words: ${own}`,
    inputSchema: { type: "object" },
  };
}

const MOST_SCHEMA_CHARS = 4_000;

interface Run {
  readonly listed: ListedTool;
  readonly fingerprint: string;
  readonly input: Readonly<Record<string, unknown>>;
}

async function run(
  server: ToolServer,
  { listed, fingerprint, input }: Run,
  context: CallContext,
): Promise<RawResult> {
  const open = await server.open(context.signal);
  const now = server.fingerprintOf(listed.name);
  if (now === undefined)
    throw new McpFailure(`The MCP server ${server.name} no longer has the tool ${listed.name}. ${NOT_RUN}`);
  // What was judged is what runs (H05).
  if (now !== fingerprint)
    throw new McpFailure(
      `The MCP server ${server.name} has changed the tool ${listed.name} since it was offered. ${NOT_RUN} Look at its new description before you call it again.`,
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
