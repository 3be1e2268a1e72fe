/** The MCP servers of `--mcp-config`: files, or JSON, each in the form of a `.mcp.json`. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type FoundMcpServer, mcpServers } from "@runahead/agent";
import { UsageError } from "../exit.ts";
import type { World } from "../world.ts";

/** Who names a server on the command line trusts it. What is wrong with one is an error, not a notice. */
export async function givenServers(world: World, given: readonly string[]): Promise<FoundMcpServer[]> {
  const all: FoundMcpServer[] = [];
  for (const one of given) all.push(...(await serversIn(world, one)));
  return all;
}

async function serversIn(world: World, given: string): Promise<FoundMcpServer[]> {
  const isJson = given.trimStart().startsWith("{");
  const name = isJson ? "--mcp-config" : resolve(world.cwd, given);
  const text = isJson ? given : await textOf(name);
  // The reader of such files reads those of folders: so it gets one.
  const folder = await mkdtemp(join(tmpdir(), "runahead-mcp-"));
  try {
    const file = join(folder, ".mcp.json");
    await mkdir(join(folder, ".git"));
    await writeFile(file, text, { mode: 0o600 });
    const { home, env } = world;
    const { servers, problems } = await mcpServers({ cwd: folder, home, env, isTrusted: true });
    const [problem] = problems;
    if (problem !== undefined) throw new UsageError(problem.message.replace(problem.path, name));
    return servers.map((server) => ({ ...server, path: name }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new UsageError(`--mcp-config: ${(error as Error).message}`);
  }
}
