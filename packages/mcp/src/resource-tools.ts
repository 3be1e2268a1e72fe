/** ListMcpResources and ReadMcpResource: the resources that servers offer besides tools. */

import { type AnyTool, type ResultBlock, defineTool } from "@runahead/engine";
import { z } from "zod";
import { messageOf } from "@runahead/base";
import { McpFailure } from "./failure.ts";
import { serverPart, serverPlace } from "./names.ts";
import { resourceBlocks } from "./result.ts";
import type { ListedResource, OpenServer } from "./server.ts";

export interface ResourceServer {
  readonly name: string;
  readonly open: (signal: AbortSignal) => Promise<OpenServer>;
}

type Listing =
  | { readonly type: "listed"; readonly server: string; readonly resources: readonly ListedResource[] }
  | { readonly type: "failed"; readonly server: string; readonly why: string };

const server = z.string().min(1).describe("Name of the MCP server.");
const LIMIT_MS = 120_000;

export function resourceTools(servers: () => readonly ResourceServer[]): readonly AnyTool[] {
  return [listTool(servers), readTool(servers)];
}

function listTool(servers: () => readonly ResourceServer[]): AnyTool {
  return defineTool({
    name: "ListMcpResources",
    description:
      "Lists the resources of all MCP servers, or of `server`. Returns one line per resource with its URI; read one with ReadMcpResource.",
    inputSchema: z.object({ server: server.optional() }),
    isReadOnly: () => true,
    interruptBehavior: () => "cancel",
    timeoutMs: () => LIMIT_MS,
    access: ({ server: name }) => [{ mode: "read", place: placeOf(name) }],
    describe: ({ server: name }) => `List the resources of ${name ?? "all MCP servers"}`,
    call: ({ server: name }, { signal }) => {
      const asked = name === undefined ? servers() : [named(servers(), name)];
      return Promise.all(asked.map((one) => listed(one, signal)));
    },
    toResult: (listings: readonly Listing[]) =>
      listings.map(listingText).join("\n\n") || "No MCP servers are connected.",
  });
}

function readTool(servers: () => readonly ResourceServer[]): AnyTool {
  return defineTool({
    name: "ReadMcpResource",
    description: "Reads a resource of an MCP server by its URI. ListMcpResources lists the URIs.",
    inputSchema: z.object({ server, uri: z.string().min(1).describe("URI of the resource.") }),
    isReadOnly: () => true,
    interruptBehavior: () => "cancel",
    timeoutMs: () => LIMIT_MS,
    access: ({ server: name }) => [{ mode: "read", place: placeOf(name) }],
    describe: ({ server: name, uri }) => `Read ${uri} of ${name}`,
    async call({ server: name, uri }, { signal }) {
      const open = await named(servers(), name).open(signal);
      return resourceBlocks(await open.readResource(uri, signal), name);
    },
    toResult: (blocks: readonly ResultBlock[]) => blocks,
  });
}

function placeOf(name: string | undefined): string {
  return name === undefined ? "mcp:/" : serverPlace(name);
}

/** A server that fails does not hide the others. */
async function listed({ name, open }: ResourceServer, signal: AbortSignal): Promise<Listing> {
  try {
    return { type: "listed", server: name, resources: await (await open(signal)).resources(signal) };
  } catch (error) {
    return { type: "failed", server: name, why: messageOf(error) };
  }
}

function named(servers: readonly ResourceServer[], name: string): ResourceServer {
  const found =
    servers.find((one) => one.name === name) ?? servers.find((one) => serverPart(one.name) === name);
  if (found !== undefined) return found;
  const names = servers.map((one) => one.name).join(", ");
  throw new McpFailure(
    `Unknown MCP server "${name}". ${names === "" ? "No MCP servers are connected." : `Available: ${names}.`}`,
  );
}

function listingText(listing: Listing): string {
  if (listing.type === "failed") return `${listing.server}: ${listing.why}`;
  const lines = listing.resources.map(resourceLine);
  return [`${listing.server}:`, ...(lines.length === 0 ? ["(no resources)"] : lines)].join("\n");
}

function resourceLine({ uri, name, mimeType, description, isTemplate }: ListedResource): string {
  const facts = [name, mimeType, description].filter((fact) => fact !== "").join(", ");
  return `- ${uri}${isTemplate ? " (fill in what is in braces)" : ""}${facts === "" ? "" : `: ${facts}`}`;
}
