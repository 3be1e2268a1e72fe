/** The lines that the informational slash commands print. */

import type { CodingAgent } from "@runahead/harness";
import type { Summary } from "@runahead/harness/timeline";
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

export function statusLines(made: CodingAgent): string[] {
  const { session, gate, settings, toolNames, mainAgent } = made;
  const { name } = made.model;
  return [
    `Session: ${session?.id ?? "not saved"}`,
    `Folder: ${reveal(settings.cwd)} (${settings.isTrusted ? "trusted" : "not trusted"})`,
    ...(mainAgent === undefined ? [] : [`Agent: ${reveal(oneLine(mainAgent))}`]),
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
