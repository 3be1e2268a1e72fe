/** What fills the model's context, by category. */

import { type CodingAgent, type Message, isReminder } from "@runahead/harness";

export interface ContextPart {
  readonly name: string;
  readonly tokens: number;
}

/** About four characters are a token, in English and in code. */
const CHARS_PER_TOKEN = 4;

/** The same for a host, in the form of `get_context_usage`. */
export function contextUsage(made: CodingAgent): Record<string, unknown> {
  const parts = contextParts(made);
  const totalTokens = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const maxTokens = made.contextTokens;
  return {
    categories: parts.map(({ name, tokens }) => ({ name, tokens, color: "", kind: "used" })),
    totalTokens,
    maxTokens,
    rawMaxTokens: maxTokens,
    percentage: Math.round((totalTokens / maxTokens) * 100),
    gridRows: [],
    model: made.model.name,
    memoryFiles: made.instructions.files.map(({ path, scope, text }) => ({
      path,
      type: scope,
      tokens: Math.ceil(text.length / CHARS_PER_TOKEN),
    })),
    mcpTools: [],
    agents: [],
    isAutoCompactEnabled: true,
    apiUsage: null,
  };
}

/** The parts of the context, with estimated sizes. */
export function contextParts(made: CodingAgent): ContextPart[] {
  const { system, opening = "", tools } = made.prompt();
  const size = (list: typeof tools): number => list.reduce((sum, { text }) => sum + text.length, 0);
  const isOfServer = ({ name }: { readonly name: string }): boolean => name.startsWith("mcp__");
  const { messages } = made.agent;
  const said = messages.filter((message) => !isReminder(message));
  const of = (name: string, chars: number): ContextPart => ({
    name,
    tokens: Math.ceil(chars / CHARS_PER_TOKEN),
  });
  return [
    of("system prompt", system.length),
    of("tools", size(tools.filter((tool) => !isOfServer(tool)))),
    of("MCP tools", size(tools.filter(isOfServer))),
    of(
      "instructions",
      Math.max(
        opening.length,
        charsOf(messages.filter(isReminder), () => true),
      ),
    ),
    of(
      "prompts and answers",
      charsOf(said, (type) => type !== "tool_use" && type !== "tool_result"),
    ),
    of(
      "calls and results",
      charsOf(said, (type) => type === "tool_use" || type === "tool_result"),
    ),
  ].filter(({ tokens }) => tokens > 0);
}

function charsOf(messages: readonly Message[], isCounted: (type: string) => boolean): number {
  return messages
    .flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content))
    .filter(({ type }) => isCounted(type))
    .reduce((sum, block) => sum + JSON.stringify(block).length, 0);
}
