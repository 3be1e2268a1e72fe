/**
 * Accepts answers that do not fit the schema. The client rejects a whole answer if one block or tool in it has an unknown
 * form; instead, what can be used is used, and the rest is reported (H06).
 */

import type { Client } from "@modelcontextprotocol/client";

const AS_IT_IS = {
  "~standard": { version: 1, vendor: "runahead", validate: (value: unknown) => ({ value }) },
} as const;

/** Lists must be arrays, because the client joins their pages. */
const LISTS: Readonly<Record<string, string>> = {
  "tools/list": "tools",
  "resources/list": "resources",
  "prompts/list": "prompts",
  "resources/templates/list": "resourceTemplates",
};

const OTHERS = new Set(["tools/call", "resources/read", "prompts/get"]);

type Request = (request: { readonly method: string }, second: unknown, third?: unknown) => Promise<unknown>;

export function lenient(client: Client): void {
  const request = client.request.bind(client) as Request;
  const takeAll: Request = (asked, second, third) => {
    const schema = schemaOf(asked.method);
    return schema === undefined ? request(asked, second, third) : request(asked, schema, second);
  };
  // All methods of the client send their requests through this one.
  Object.assign(client, { request: takeAll });
}

function schemaOf(method: string): object | undefined {
  if (OTHERS.has(method)) return AS_IT_IS;
  const member = LISTS[method];
  if (member === undefined) return undefined;
  const validate = (value: unknown): object => {
    const list = (value as Record<string, unknown>)[member];
    if (!Array.isArray(list)) return { issues: [{ message: `${member} is not an array` }] };
    return { value };
  };
  return { "~standard": { version: 1, vendor: "runahead", validate } };
}
