/**
 * What an approval is bound to (H05): the definition of a tool and of its server. It includes the values of headers and
 * variables, because one of them can turn a server into another.
 */

import { createHash } from "node:crypto";
import type { McpServer } from "./mcp-server.ts";
import type { ListedTool } from "./server.ts";
import { isShape } from "@runahead/base";

export function fingerprint(server: McpServer, tool: ListedTool): string {
  const { name, description, inputSchema, annotations } = tool;
  return hash(canonical({ server, name, description, inputSchema, annotations }));
}

export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** JSON with sorted keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isShape(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}
