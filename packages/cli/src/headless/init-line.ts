/** The first line of a run. */

import type { CodingAgent } from "@runahead/harness";
import { statusOf } from "../shared/servers-started.ts";

/** Members that programs expect, of features that are not part of the stream. */
const COMPATIBLE = {
  apiKeySource: "none",
  claude_code_version: "2.1.240",
};

/** What a prompt can begin with after a slash. */
function commandNames({ prompts, mcp }: CodingAgent): string[] {
  const ofFiles = prompts.known.filter(({ isForUser }) => isForUser);
  return [...ofFiles, ...mcp.prompts()].map(({ name }) => name);
}

/** Describes a run: what it works with, and what a host can use. */
export function initOf(made: CodingAgent, cwd: string): object {
  return {
    type: "system",
    subtype: "init",
    cwd,
    tools: made.toolNames(),
    mcp_servers: made.mcp.servers().map(({ name, state }) => ({ name, status: statusOf(state) })),
    model: made.model.name,
    permissionMode: made.gate.mode,
    slash_commands: commandNames(made),
    output_style: made.outputStyle,
    skills: made.prompts.known.filter(({ kind }) => kind === "skill").map(({ name }) => name),
    plugins: made.plugins,
    ...COMPATIBLE,
    agents: made.agents.map(({ name }) => name),
  };
}
