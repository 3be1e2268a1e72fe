/** Sub-agents that are defined in markdown files with `name: value` lines as front matter. */

import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Where, projectRoot, runaheadHome } from "./place.ts";
import { readText } from "./read.ts";
import type { Problem } from "./setting.ts";
import { trustIn } from "../trust/trust.ts";

/** A sub-agent that is defined in a markdown file. */
export interface DefinedAgent {
  /** Name that the model calls it by. */
  readonly name: string;
  /** When to use it, as text for the model. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** Names of its tools; undefined for all. */
  readonly tools: readonly string[] | undefined;
  /** Name of its model; undefined for the model of the caller. */
  readonly model: string | undefined;
  /** Absolute path of the file. */
  readonly path: string;
}

/** All sub-agents that are defined for a folder. */
export interface DefinedAgents {
  /**
   * If two have the same name, the first one is used: the project's before the user's, `.runahead` before `.claude`.
   */
  readonly agents: readonly DefinedAgent[];
  /** Files that were left out, with the reason. */
  readonly problems: readonly Problem[];
}

/**
 * Reads the sub-agents that are defined in `agents/` folders. Those of an untrusted folder are left out.
 *
 * @example
 * ```ts
 * const { agents } = await definedAgents({ cwd, home, env });
 * ```
 */
export async function definedAgents(where: Where & { readonly isTrusted?: boolean }): Promise<DefinedAgents> {
  const root = await projectRoot(where.cwd);
  const isTrusted = where.isTrusted ?? (await trustIn(where).isTrusted(where.cwd));
  const own = [join(runaheadHome(where), "agents"), join(where.home, ".claude", "agents")];
  const ofProject = [".runahead", ".claude"].map((name) => join(root, name, "agents"));
  const found = await Promise.all((isTrusted ? [...ofProject, ...own] : own).map(agentsIn));
  const agents = new Map<string, DefinedAgent>();
  for (const agent of found.flatMap((folder) => folder.agents))
    if (!agents.has(agent.name)) agents.set(agent.name, agent);
  return { agents: [...agents.values()], problems: found.flatMap(({ problems }) => problems) };
}

async function agentsIn(folder: string): Promise<DefinedAgents> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".md")).sort();
  const read = await Promise.all(files.map((name) => readAgent(join(folder, name))));
  return {
    agents: read.flatMap((one) => ("name" in one ? [one] : [])),
    problems: read.flatMap((one) => ("severity" in one ? [one] : [])),
  };
}

async function readAgent(path: string): Promise<DefinedAgent | Problem> {
  const wrong = (why: string): Problem => ({
    severity: "warning",
    path,
    key: "",
    message: `${path} is ignored: ${why}`,
  });
  const file = await readText(path);
  if (file.type !== "text") return wrong(file.type === "missing" ? "the file does not exist" : file.why);
  const [, head = "", prompt = ""] = /^---\r?\n([^]*?)\r?\n---\r?\n?([^]*)$/.exec(file.text) ?? [];
  const fields = fieldsOf(head);
  const description = fields.get("description") ?? "";
  if (description === "") return wrong("its front matter has no description");
  const name = fields.get("name") ?? basename(path, ".md");
  const model = fields.get("model");
  const tools = fields.get("tools");
  return {
    name,
    description,
    prompt: prompt.trim(),
    tools: tools === undefined || tools === "*" ? undefined : listOf(tools),
    model: model === undefined || model === "inherit" ? undefined : model,
    path,
  };
}

/** One `name: value` per line; an indented line continues the one before. */
function fieldsOf(head: string): Map<string, string> {
  const fields = new Map<string, string>();
  let last = "";
  for (const line of head.split(/\r?\n/)) {
    const [, name, value = ""] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined) fields.set((last = name), unquoted(value.trim()));
    else if (last !== "") fields.set(last, `${fields.get(last) ?? ""} ${line.trim()}`.trim());
  }
  return fields;
}

function unquoted(value: string): string {
  const [, inner] = /^(?:"(.*)"|'(.*)')$/.exec(value)?.filter((part) => part !== undefined) ?? [];
  return inner ?? (/^[>|][+-]?$/.test(value) ? "" : value);
}

/** Separated by commas, as a list in brackets, or one item per line. */
function listOf(value: string): string[] {
  const items = value.replaceAll(/^\[|\]$/g, "").split(/,|\s+-\s+|^-\s+/);
  return items.map((item) => unquoted(item.trim())).filter((item) => item !== "");
}
