/** Reads the MCP servers of `--mcp-config`: files or JSON texts in the form of `.mcp.json`. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type FoundMcpServer } from "@runahead/mcp";
import { mcpServersIn } from "../../settings/mcp.ts";
import { UsageError } from "../error.ts";
import type { Surroundings } from "../../surroundings.ts";

/** A server on the command line is trusted, and a problem with it is an error instead of a notice. */
export async function givenServers(
  world: Surroundings,
  given: readonly string[],
  passEnv: readonly string[],
): Promise<FoundMcpServer[]> {
  const all: FoundMcpServer[] = [];
  for (const one of given) all.push(...(await serversIn(world, one, passEnv)));
  return all;
}

async function serversIn(
  world: Surroundings,
  given: string,
  passEnv: readonly string[],
): Promise<FoundMcpServer[]> {
  const isJson = given.trimStart().startsWith("{");
  const name = isJson ? "--mcp-config" : resolve(world.cwd, given);
  const text = isJson ? given : await textOf(name);
  const { servers, problems } = mcpServersIn(text, { path: name, isTrusted: true, env: world.env, passEnv });
  const problem = problems.find(({ severity }) => severity === "error");
  if (problem !== undefined) throw new UsageError(problem.message);
  return [...servers];
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new UsageError(`--mcp-config: ${(error as Error).message}`);
  }
}
