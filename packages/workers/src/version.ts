/** The version of a tool, which ensures that callers and workers agree on its input. */

import { createHash } from "node:crypto";
import type { AnyTool } from "@runahead/engine";

interface StandardJsonSchema {
  readonly "~standard"?: {
    readonly vendor: string;
    readonly jsonSchema?: { input(options: { target: string }): unknown };
  };
}

/** `release` distinguishes tools with equal schemas. */
export function versionOf({ name, inputSchema, jsonSchema }: AnyTool, release: string): string {
  const form = jsonSchema === undefined ? formOf(inputSchema) : sorted(jsonSchema);
  const hash = createHash("sha256").update(JSON.stringify([name, release, form]));
  return hash.digest("hex").slice(0, 16);
}

/** A schema without a JSON form is identified by its library only; use `release` to distinguish those. */
function formOf(schema: unknown): unknown {
  const standard = (schema as StandardJsonSchema)["~standard"];
  if (standard === undefined) return sorted(schema);
  try {
    return sorted(standard.jsonSchema?.input({ target: "draft-2020-12" }) ?? standard.vendor);
  } catch {
    return standard.vendor;
  }
}

/** Sorts members, because their order has no meaning. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
