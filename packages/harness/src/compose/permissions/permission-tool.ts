/** `--permission-prompt-tool`: a tool of an MCP server answers permission questions. */

import { limitedSignal } from "@runahead/base";
import type { PermissionGate, PermissionRules } from "@runahead/agent";
import type { McpConnections } from "@runahead/mcp";
import { contextFor, textOf } from "../tools/outside-call.ts";

type Ask = NonNullable<PermissionRules["ask"]>;
type Question = Parameters<Ask>[0];
type Answer = Awaited<ReturnType<Ask>>;

/** The tool has as much time as a user. */
const MOST_MS = 600_000;

interface Asked {
  readonly gate: PermissionGate;
  readonly mcp: McpConnections;
  /** In the form `mcp__server__tool`. */
  readonly toolName: string;
}

/** Uses the same rules, but asks the tool instead of the user. */
export function askingTool(asked: Asked): PermissionRules {
  const { gate } = asked;
  return {
    decide: (toolName, input, facts) => gate.decide(toolName, input, facts),
    decideIn: (toolName, input, facts) => gate.decideIn(toolName, input, facts),
    get mode() {
      return gate.mode;
    },
    judge: gate.judge,
    isHidden: (toolName) => gate.isHidden(toolName),
    addCopy: (copy) => gate.addCopy(copy),
    onChange: (listener) => gate.onChange(listener),
    ask: (question) => answerOf(asked, question),
  };
}

async function answerOf(asked: Asked, question: Question): Promise<Answer> {
  const { gate, mcp, toolName } = asked;
  const { cwd } = question.context;
  const refuse = (message: string): Answer => ({ behavior: "deny", message, endTurn: false });
  const tool = mcp.tools().find(({ name }) => name === toolName);
  if (tool === undefined)
    return refuse(`The permission tool ${toolName} is not available, so the call cannot be approved.`);
  const input = { tool_name: question.tool.name, input: question.input, tool_use_id: question.callId };
  const { callId, context } = question;
  const signal = limitedSignal(question.signal, MOST_MS);
  const output: unknown = await tool.call(input, contextFor({ callId, signal, cwd, context }));
  const said = readAnswer(textOf(tool.toResult?.(output) ?? output));
  if (said === undefined) return refuse(`The permission tool ${toolName} returned an invalid answer.`);
  if (said.behavior === "deny") return refuse(said.message ?? `${toolName} denied the call.`);
  if (said.updatedInput === undefined) return { behavior: "allow" };
  // A changed input is another call, so deny rules apply to it as well (promise 3).
  const verdict = gate.decide(question.tool.name, said.updatedInput, { cwd, hookDecision: undefined });
  if (verdict.behavior === "deny") return refuse(verdict.reason ?? "The changed input is denied.");
  return { behavior: "allow", input: said.updatedInput };
}

interface Said {
  readonly behavior: "allow" | "deny";
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Returns undefined if the text is not a valid answer. */
function readAnswer(text: string): Said | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { behavior, updatedInput, message } = value;
  if (behavior === "deny") return { behavior, ...(typeof message === "string" ? { message } : {}) };
  if (behavior !== "allow") return undefined;
  if (updatedInput === undefined || updatedInput === null) return { behavior };
  return isObject(updatedInput) ? { behavior, updatedInput } : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
