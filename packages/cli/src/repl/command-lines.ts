/** The lines that the informational slash commands print. */

import { definedAgents, type CodingAgent, type ListedModels } from "@runahead/harness";
import type { Summary } from "@runahead/harness/timeline";
import type { World } from "../shared/world.ts";
import type { Counts } from "./screen/counts.ts";
import { reveal } from "../shared/safe-text.ts";
import { languageServerFacts } from "./language-servers.ts";
import { bold, dim } from "./screen/style.ts";
import { cost, timeWords } from "./transcript/summary.ts";
import { amount, oneLine, plural } from "../shared/words.ts";

export function costLines(counts: Counts, summary: Summary): string[] {
  const { inputTokens, outputTokens } = counts;
  return [
    `${plural(summary.turns, "turn")} · ${amount(inputTokens)} tokens in, ${amount(outputTokens)} out · ${cost(counts)}`,
    dim(timeWords(summary).join(" · ")),
  ];
}

export function contextLines({ contextTokens, contextShare, windowTokens }: Counts): string[] {
  return [
    `Context: ${amount(contextTokens)} tokens, ${Math.round(contextShare * 100)} % of ${amount(windowTokens)}, as of the last turn.`,
  ];
}

const SHOWN_MODELS = 30;

/** The models of each server; long lists are cut. */
export function modelLines(lists: readonly ListedModels[]): string[] {
  return lists.flatMap(({ provider, models, problem }) => {
    if (problem !== undefined) return [dim(`${provider}: ${oneLine(problem)}`)];
    const more = models.length - SHOWN_MODELS;
    const rest = more > 0 ? [dim(`  and ${more} more`)] : [];
    return [bold(provider), ...models.slice(0, SHOWN_MODELS).map((name) => `  ${oneLine(name)}`), ...rest];
  });
}

export function permissionLines({ gate, settings }: CodingAgent): string[] {
  const rules = settings.sources.flatMap(({ name, trusted, allow, ask, deny }) =>
    Object.entries({ deny, ask, allow }).flatMap(([behavior, list]) =>
      list.map(
        (rule) =>
          `  ${behavior} ${reveal(rule)}  ${dim(reveal(trusted ? name : `${name}, ignored: not trusted`))}`,
      ),
    ),
  );
  return [`Mode: ${gate.mode}`, ...(rules.length === 0 ? ["No rules in the settings."] : rules)];
}

export function hookLines({ settings }: CodingAgent): string[] {
  const lines = settings.hooks.flatMap(({ name, trusted, hooks }) =>
    Object.entries(hooks).map(
      ([event, list]) =>
        `${oneLine(event)}: ${list.length}  ${dim(reveal(trusted ? name : `${name}, not run: not trusted`))}`,
    ),
  );
  return lines.length === 0 ? ["No hooks."] : lines;
}

export function mcpLines({ mcp }: CodingAgent): string[] {
  const lines = mcp.servers().map(({ name, state, tools }) => {
    const why = "why" in state ? ` (${oneLine(state.why)})` : "";
    return `${oneLine(name)}: ${state.type}${why}, ${plural(tools.length, "tool")}`;
  });
  return lines.length === 0 ? ["No MCP servers."] : lines;
}

export function statusLines(made: CodingAgent): string[] {
  const { session, gate, settings, toolNames } = made;
  const { name } = made.model;
  return [
    `Session: ${session?.id ?? "not saved"}`,
    `Folder: ${reveal(settings.cwd)} (${settings.isTrusted ? "trusted" : "not trusted"})`,
    `Model: ${reveal(name)} · Mode: ${gate.mode} · ${plural(toolNames().length, "tool")}`,
    `Read-only commands: ${reveal(oneLine(made.reading().words))}`,
    ...languageServerFacts(made).map(({ words }) => `Language server ${reveal(oneLine(words))}`),
  ];
}

/** Skills and custom commands, with who can use them. */
export async function skillLines({ prompts, settings }: CodingAgent): Promise<string[]> {
  const files = await prompts.files();
  const users = ({ isForModel, isForUser }: (typeof files)[number]): string =>
    isForModel && isForUser ? "" : isForUser ? " · only you" : " · only the model";
  const lines = files.flatMap((file) => [
    `${bold(`/${oneLine(file.name)}`)} ${oneLine(file.description)}`,
    dim(`  ${reveal(file.path)}${users(file)}`),
  ]);
  return [
    ...(lines.length === 0 ? ["No skills or custom commands."] : lines),
    ...prompts.problems.map(({ message }) => oneLine(message)),
    ...(settings.isTrusted
      ? []
      : [dim("Skills and commands of this folder are ignored: the folder is not trusted.")]),
  ];
}

/** The built-in sub-agents first, then those from files. A file replaces a built-in one of the same name. */
export async function agentLines({ cwd, home, env }: World, { settings }: CodingAgent): Promise<string[]> {
  const { isTrusted } = settings;
  const { agents, problems } = await definedAgents({ cwd, home, env, isTrusted });
  return [
    ...["general-purpose", "explore", "plan"]
      .filter((builtIn) => !agents.some(({ name }) => name === builtIn))
      .map((builtIn) => `${bold(builtIn)} ${dim("built in")}`),
    ...agents.flatMap(({ name, description, path, tools }) => [
      `${bold(oneLine(name))} ${oneLine(description)}`,
      dim(`  ${reveal(path)} · ${tools === undefined ? "all tools" : oneLine(tools.join(", "))}`),
    ]),
    ...problems.map(({ message }) => oneLine(message)),
    ...(isTrusted ? [] : [dim("Sub-agents of this folder are ignored: the folder is not trusted.")]),
  ];
}
