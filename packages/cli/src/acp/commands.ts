/** The slash commands that a client can offer: skills, custom commands, prompts of MCP servers, and `/compact`. */

import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { CodingAgent } from "@runahead/harness";
import { namedFiles } from "../shared/prompt-names.ts";
import { oneLine } from "../shared/words.ts";

const OWN: readonly AvailableCommand[] = [
  {
    name: "compact",
    description: "Summarise the conversation to make room",
    input: { hint: "what to keep" },
  },
];
const MOST_CHARS = 300;

export async function availableCommands({ prompts, mcp }: CodingAgent): Promise<AvailableCommand[]> {
  const files = (await prompts.files()).filter(({ isForUser }) => isForUser);
  const hints = new Map(files.map(({ path, argumentHint }) => [path, argumentHint]));
  const ofFiles = namedFiles(files, OWN).map(({ name, help, path }) => {
    const hint = hints.get(path) ?? "";
    return {
      name,
      description: help.slice(0, MOST_CHARS) || name,
      input: { hint: hint === "" ? "arguments" : oneLine(hint) },
    };
  });
  const ofServers = mcp.prompts().map(({ name, description, args }) => ({
    name,
    description: oneLine(description).slice(0, MOST_CHARS) || name,
    ...(args.length === 0 ? {} : { input: { hint: args.map((one) => one.name).join(" ") } }),
  }));
  return [...OWN, ...ofFiles, ...ofServers];
}
