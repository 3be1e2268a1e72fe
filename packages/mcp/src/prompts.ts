/** Prompts and resources of servers that the user asks for by name. */

import { isShape, listOf } from "@runahead/base";
import type { Connection } from "./connection.ts";
import { McpFailure } from "./failure.ts";
import { mcpToolName, serverPart } from "./names.ts";
import { resourceBlocks, resultBlocks } from "./result.ts";

/** A prompt of a server, which users call as `/mcp__server__prompt`. */
export interface McpPrompt {
  /** The name, `mcp__server__prompt`. */
  readonly name: string;
  /** What it is for. */
  readonly description: string;
  /** Its arguments, in the order in which they are given. */
  readonly args: readonly {
    /** The name of the argument, for display. */
    readonly name: string;
    /** True: `McpConnections.prompt` rejects without it. */
    readonly isRequired: boolean;
  }[];
}

export function promptsOf(connections: readonly Connection[]): readonly McpPrompt[] {
  return connections.flatMap(({ name: server, prompts }) =>
    prompts.map(({ name, description, args }) => ({ name: mcpToolName(server, name), description, args })),
  );
}

interface Asked {
  readonly name: string;
  readonly args: readonly string[];
}

/** The last argument takes all remaining words. */
export async function filledPrompt(
  connections: readonly Connection[],
  { name, args }: Asked,
  signal: AbortSignal,
): Promise<string> {
  for (const connection of connections) {
    const found = connection.prompts.find((one) => mcpToolName(connection.name, one.name) === name);
    if (found === undefined) continue;
    const missing = found.args.find((one, at) => one.isRequired && args[at] === undefined);
    if (missing !== undefined) throw new McpFailure(`The prompt ${name} needs the argument ${missing.name}.`);
    const values = found.args.flatMap((one, at) => {
      const isLast = at === found.args.length - 1;
      const value = isLast ? args.slice(at).join(" ") : args[at];
      return value === undefined || value === "" ? [] : [[one.name, value] as const];
    });
    const open = await connection.open(signal);
    const { messages } = await open.prompt(found.name, Object.fromEntries(values), signal);
    return textOf(messages, connection.name);
  }
  throw new McpFailure(`Unknown MCP prompt ${name}.`);
}

/** The roles of the messages are dropped: all of it is what the user says. */
function textOf(messages: unknown, server: string): string {
  const contents = listOf(messages)
    .filter(isShape)
    .map(({ content }) => content);
  const blocks = resultBlocks({ content: contents.flat() }, server);
  return blocks
    .map((block) => (block.type === "text" ? block.text : `[${block.type}, left out]`))
    .join("\n\n");
}

export async function resourceText(
  connections: readonly Connection[],
  { server, uri }: { readonly server: string; readonly uri: string },
  signal: AbortSignal,
): Promise<string> {
  const connection = connections.find(({ name }) => name === server || serverPart(name) === server);
  if (connection === undefined) throw new McpFailure(`Unknown MCP server "${server}".`);
  const open = await connection.open(signal);
  const blocks = resourceBlocks(await open.readResource(uri, signal), server);
  return blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}, left out]`)).join("\n");
}
