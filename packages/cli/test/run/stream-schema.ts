/** The schema of the stream, for every line that a test sees. */

import { readFileSync } from "node:fs";
import { validateJsonSchema } from "@runahead/harness";

const SCHEMA = JSON.parse(
  readFileSync(new URL("../../stream.schema.json", import.meta.url), "utf8"),
) as Record<string, unknown>;

/** Checks the lines. Throws if one does not match the schema or the last is not a result. */
export function checkedLines(printed: string): Record<string, unknown>[] {
  const lines = printed.split("\n").filter((line) => line !== "");
  const values = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const [at, value] of values.entries()) {
    const issues = validateJsonSchema(SCHEMA, value);
    if (issues !== undefined) throw new Error(`${lines[at]}\n${JSON.stringify(issues)}`);
  }
  if (values.at(-1)?.["type"] !== "result") throw new Error(`The last line is not a result: ${lines.at(-1)}`);
  return values;
}
