/** `managed-mcp.json` beside the managed settings: the only MCP servers that start on this machine. */

import { dirname, join } from "node:path";
import { type McpPlace, type McpServers, mcpServersIn } from "./mcp.ts";
import { managedPaths } from "./place.ts";
import { readText } from "./read.ts";

type Place = Pick<McpPlace, "env" | "passEnv">;

/**
 * Reads the managed servers. Undefined if the machine has no such file. A file that cannot be read allows no server,
 * because it is meant to restrict.
 */
export async function managedMcpServers(
  place: Place,
  settingsPaths: readonly string[] = managedPaths(),
): Promise<McpServers | undefined> {
  const files = await Promise.all(
    settingsPaths.map(async (settings) => {
      const path = join(dirname(settings), "managed-mcp.json");
      return { path, file: await readText(path) };
    }),
  );
  const there = files.filter(({ file }) => file.type !== "missing");
  if (there.length === 0) return undefined;
  const read = there.map(({ path, file }): McpServers => {
    if (file.type === "text") return mcpServersIn(file.text, { ...place, path, isTrusted: true });
    const message = `${path}: cannot be read, so no MCP server starts`;
    return { servers: [], problems: [{ severity: "error", path, key: "", message }] };
  });
  return {
    servers: read.flatMap(({ servers }) => servers),
    problems: read.flatMap(({ problems }) => problems),
  };
}
