/** `/hooks`, `/mcp` and `/agents`: lists whose entries open. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CodingAgent, definedAgents } from "@runahead/harness";
import { reveal } from "../../shared/safe-text.ts";
import { amount, oneLine, plural, shownPath } from "../../shared/words.ts";
import type { Choice } from "../panels/chooser.ts";
import type { CommandPorts } from "./ports.ts";

/** An entry of a list, and the lines that it opens. */
interface Opening extends Omit<Choice, "value"> {
  readonly lines: readonly string[];
}

/** Shows the list until the user closes it; returns to the entry that was open. */
async function browse(
  { choose, show }: CommandPorts,
  title: string,
  entries: readonly Opening[],
): Promise<string[]> {
  let at = 0;
  for (;;) {
    const choices = entries.map(({ lines: _lines, ...choice }, index) => ({
      ...choice,
      value: String(index),
    }));
    const chosen = await choose({ title, choices, at, verb: "open" });
    const entry = chosen === undefined ? undefined : entries[Number(chosen)];
    if (entry === undefined) return [];
    at = Number(chosen);
    await show({ title: entry.label, lines: entry.lines });
  }
}

export async function hooks(ports: CommandPorts): Promise<string[]> {
  const entries = ports.made().settings.hooks.flatMap(({ name, trusted, hooks: all }) =>
    Object.entries(all).flatMap(([event, list]) =>
      list.map((hook) => ({
        label: `${oneLine(event)}${matcherOf(hook)}`,
        description: reveal(trusted ? name : `${name}, not run: not trusted`),
        lines: [`From ${reveal(name)}`, ...JSON.stringify(hook, undefined, 2).split("\n").map(reveal)],
      })),
    ),
  );
  return entries.length === 0 ? ["No hooks."] : browse(ports, plural(entries.length, "hook"), entries);
}

function matcherOf({ matcher }: Readonly<Record<string, unknown>>): string {
  return typeof matcher === "string" && matcher !== "" ? ` ${oneLine(matcher)}` : "";
}

export async function mcp(ports: CommandPorts): Promise<string[]> {
  const made = ports.made();
  const sizes = new Map(made.prompt().tools.map(({ name, text }) => [name, text]));
  const entries = made.mcp.servers().map(({ name, state, tools }) => {
    const why = "why" in state ? ` (${oneLine(state.why)})` : "";
    const lines = tools.map((tool) => `${oneLine(tool)}${descriptionIn(sizes.get(tool))}`);
    return {
      label: oneLine(name),
      description: `${state.type}${why}, ${plural(tools.length, "tool")}`,
      lines: [`State: ${state.type}${why}`, ...(lines.length === 0 ? ["No tools."] : lines)],
    };
  });
  if (entries.length === 0) return ["No MCP servers. Add one with `runahead mcp add`, or in .mcp.json."];
  return browse(ports, plural(entries.length, "MCP server"), entries);
}

function descriptionIn(definition: string | undefined): string {
  if (definition === undefined) return "";
  const { description } = JSON.parse(definition) as { readonly description?: unknown };
  return typeof description === "string" ? `: ${oneLine(description)}` : "";
}

const BUILT_IN: Readonly<Record<string, string>> = {
  "general-purpose": "does a task with all tools",
  explore: "read-only: finds code and answers questions about it",
  plan: "read-only: studies the code and returns a plan",
};

/** The built-in sub-agents first, then those from files. A file replaces a built-in one of the same name. */
export async function agents(ports: CommandPorts): Promise<string[]> {
  const { world, made } = ports;
  const { isTrusted } = made().settings;
  const { cwd, home, env } = world;
  const found = await definedAgents({ cwd, home, env, isTrusted });
  const builtIn = Object.entries(BUILT_IN)
    .filter(([name]) => !found.agents.some((agent) => agent.name === name))
    .map(([label, what]) => ({ label, description: `built in, ${what}`, lines: [what] }));
  const ofFiles = found.agents.map((agent) => ({
    label: oneLine(agent.name),
    description: oneLine(agent.description),
    lines: agentLines(agent, world),
  }));
  await browse(ports, "Sub-agents", [...builtIn, ...ofFiles, ...running(made())]);
  return [
    ...found.problems.map(({ message }) => oneLine(message)),
    ...(isTrusted || !existsSync(join(cwd, ".claude", "agents"))
      ? []
      : ["Sub-agents of this folder are ignored: the folder is not trusted."]),
  ];
}

type Defined = Awaited<ReturnType<typeof definedAgents>>["agents"][number];

function agentLines(
  { description, path, tools, model, prompt }: Defined,
  world: CommandPorts["world"],
): string[] {
  return [
    reveal(description),
    `File: ${reveal(shownPath(path, world))}`,
    `Tools: ${tools === undefined ? "all" : oneLine(tools.join(", "))}`,
    `Model: ${oneLine(model ?? "that of the session")}`,
    "",
    ...prompt.split("\n").map(reveal),
    `(${amount(prompt.length)} characters)`,
  ];
}

/** The sub-agents of this session. */
function running({ agent }: CodingAgent): Opening[] {
  return agent.agents.map(({ id, type, description }) => ({
    label: oneLine(id),
    description: `started in this session, ${oneLine(type)}: ${oneLine(description)}`,
    lines: [
      `Type: ${oneLine(type)}`,
      `Task: ${oneLine(description)}`,
      "Ctrl+O on its call shows what it did.",
    ],
  }));
}
