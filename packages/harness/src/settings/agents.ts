/** Sub-agents that are defined in markdown files with front matter. */

import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { runaheadHome, checkSurroundings } from "../home.ts";
import { type Where, projectFolders } from "./place.ts";
import { readText } from "./read.ts";
import type { Problem } from "./setting.ts";
import { type AgentFile, agentIn } from "../definitions/agent-file.ts";
import { filled } from "../definitions/expand.ts";
import type { YamlValue } from "../definitions/yaml-value.ts";
import { trustIn } from "../trust/trust.ts";

/** A sub-agent that is defined in a markdown file. */
export type DefinedAgent = AgentFile;

/** All sub-agents that are defined for a folder. */
export interface DefinedAgents {
  /**
   * If two have the same name, the first one is used: those of the nearest folder first, the project's before the
   * user's, `.runahead` before `.claude`.
   */
  readonly agents: readonly DefinedAgent[];
  /** Files and fields that have no effect, with the reason. */
  readonly problems: readonly Problem[];
}

/** A folder with definitions, and what their names begin with. */
export interface DefinitionFolder {
  /** Absolute path. */
  readonly path: string;
  /** `plugin:` for the definitions of a plugin; empty for others. */
  readonly prefix: string;
  /** The folders and options of the plugin, for texts that name them; undefined for others. */
  readonly variables?: Readonly<Record<string, string>>;
  /** What a name begins with if another definition has it already. Default: the definition is not used then. */
  readonly ifTaken?: string;
  /** One command that a manifest names. Default: a folder, or a file that names its command. */
  readonly command?: NamedCommand;
}

/** A command that is not called like its file, or that has none. */
export interface NamedCommand {
  readonly name: string;
  /** Its text; undefined if it has a file. */
  readonly content: string | undefined;
  /** Fields that count before those of the file. */
  readonly fields: Readonly<Record<string, YamlValue>>;
}

const DEEPEST = 6;

/**
 * Reads the sub-agents that are defined in `agents/` folders and the folders below. Those of an untrusted folder are
 * left out.
 *
 * @example
 * ```ts
 * const { agents } = await definedAgents({ cwd, home, env });
 * ```
 */
export async function definedAgents(
  where: Where & { readonly isTrusted?: boolean; readonly more?: readonly DefinitionFolder[] },
): Promise<DefinedAgents> {
  checkSurroundings(where, "definedAgents");
  const isTrusted = where.isTrusted ?? (await trustIn(where).isTrusted(where.cwd));
  const own = [join(runaheadHome(where), "agents"), join(where.home, ".claude", "agents")];
  const ofProject = (await projectFolders(where.cwd)).flatMap((folder) =>
    [".runahead", ".claude"].map((name) => join(folder, name, "agents")),
  );
  const folders: DefinitionFolder[] = [
    ...(isTrusted ? [...ofProject, ...own] : own).map((path) => ({ path, prefix: "" })),
    ...(where.more ?? []),
  ];
  const found = await Promise.all(folders.map(agentsIn));
  const agents = new Map<string, DefinedAgent>();
  for (const agent of found.flatMap((folder) => folder.agents))
    if (!agents.has(agent.name)) agents.set(agent.name, agent);
  return { agents: [...agents.values()], problems: found.flatMap(({ problems }) => problems) };
}

async function agentsIn({ path: folder, prefix, variables = {} }: DefinitionFolder): Promise<DefinedAgents> {
  const files = await markdownBelow(folder);
  const read = await Promise.all(files.map(readAgent));
  const agents = read.flatMap((one) =>
    one.agents.map((agent) => ({
      ...agent,
      name: `${prefix}${agent.name}`,
      prompt: filled(agent.prompt, variables),
    })),
  );
  const problems = read.flatMap((one) => one.problems);
  if (prefix === "") return { agents, problems };
  return { agents: agents.map(ofPlugin), problems: [...problems, ...agents.flatMap(leftOut)] };
}

/** A plugin brings its hooks and servers in its own files, which are shown before it is added. */
function ofPlugin({ mcpServers, ...agent }: DefinedAgent): DefinedAgent {
  return {
    ...agent,
    hooks: undefined,
    mcpServers: mcpServers?.map((entry) =>
      typeof entry === "string" ? entry : (Object.keys(entry)[0] ?? ""),
    ),
  };
}

function leftOut({ path, hooks, mcpServers = [] }: DefinedAgent): Problem[] {
  const keys = [
    ...(hooks === undefined ? [] : ["hooks"]),
    ...(mcpServers.every((entry) => typeof entry === "string") ? [] : ["mcpServers"]),
  ];
  return keys.map((key) => ({
    severity: "note",
    path,
    key,
    message: `${path}: \`${key}\` of a sub-agent in a plugin has no effect: put it into the plugin's own files`,
  }));
}

/** The markdown files of a folder and the folders below, by path. A path to a file is that file. */
export async function markdownBelow(folder: string, depth = 0): Promise<string[]> {
  if (isMarkdown(folder)) return [folder];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = entries
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(async (entry): Promise<string[]> => {
      const path = join(folder, entry.name);
      if (isMarkdown(entry.name) && !entry.isDirectory()) return [path];
      // A link can lead to a folder that several projects share; of another file, there is nothing to list.
      const isFolder = entry.isDirectory() || entry.isSymbolicLink();
      return isFolder && depth < DEEPEST ? markdownBelow(path, depth + 1) : [];
    });
  return (await Promise.all(found)).flat();
}

function isMarkdown(name: string): boolean {
  return /\.md$/i.test(name);
}

async function readAgent(path: string): Promise<DefinedAgents> {
  const file = await readText(path);
  if (file.type === "text") {
    const { agent, problems } = agentIn(file.text, path);
    return { agents: agent === undefined ? [] : [agent], problems };
  }
  const why = file.type === "missing" ? "the file does not exist" : file.why;
  const message = `${path} is ignored: ${why}`;
  return { agents: [], problems: [{ severity: "error", path, key: basename(path), message }] };
}
