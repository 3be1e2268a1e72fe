/** What users type about MCP servers: `/mcp__server__prompt` and `@server:uri`. */

import type { CodingAgent, Prompt } from "@runahead/harness";
import { wordsOf } from "./failure.ts";

type Made = Pick<CodingAgent, "mcp" | "gate" | "settings">;

interface Asking {
  readonly made: Made;
  readonly signal: AbortSignal;
  readonly onNotice: (message: string) => void;
}

const COMMAND = /^\/(mcp__\S+)\s*([\s\S]*)$/;
const MENTION = /(?:^|[\s(])@([\w-]+):([^\s"]+)/g;

export function isMcpPrompt(text: string): boolean {
  return COMMAND.test(text);
}

/** Fills in a prompt of a server. Other text stays as it is. Rejects if the server cannot give it. */
export async function filledPrompt(text: string, { made, signal }: Asking): Promise<string> {
  const [, name, words = ""] = COMMAND.exec(text) ?? [];
  if (name === undefined) return text;
  const args = words.split(/\s+/).filter((word) => word !== "");
  return made.mcp.prompt(name, args, signal);
}

/** Attaches the resources that a prompt names. Those that a rule denies, or that cannot be read, are skipped with a notice. */
export async function withResources(prompt: Prompt, asking: Asking): Promise<Prompt> {
  const text = typeof prompt === "string" ? prompt : "";
  const servers = new Set(asking.made.mcp.servers().map(({ name }) => name));
  const named = [...text.matchAll(MENTION)].filter(([, server = ""]) => servers.has(server));
  if (named.length === 0) return prompt;
  const blocks = [];
  for (const [, server = "", uri = ""] of named) {
    const held = await resource({ server, uri }, asking);
    const from = JSON.stringify(`${server}:${uri}`);
    if (held !== undefined)
      blocks.push({ type: "text", text: `<attached from=${from}>\n${held}\n</attached>` });
  }
  return [{ type: "text", text }, ...blocks];
}

async function resource(
  input: { readonly server: string; readonly uri: string },
  { made, signal, onNotice }: Asking,
): Promise<string | undefined> {
  const { server, uri } = input;
  const { cwd } = made.settings;
  const { behavior, reason } = made.gate.permissions.decide("ReadMcpResource", input, cwd);
  if (behavior === "deny") {
    onNotice(`@${server}:${uri} is not attached: ${reason}`);
    return undefined;
  }
  try {
    return await made.mcp.resource(server, uri, signal);
  } catch (error) {
    onNotice(`@${server}:${uri} is not attached: ${wordsOf(error)}`);
    return undefined;
  }
}
