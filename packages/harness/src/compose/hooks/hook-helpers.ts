/** What hooks of the types `prompt`, `agent` and `mcp_tool` need: a model, tools to look at the work, and the MCP servers. */

import type { AnyTool } from "@runahead/engine";
import { type HooksOptions, type Model, type PermissionGate, query } from "@runahead/agent";
import { type McpConnections, mcpToolName } from "@runahead/mcp";
import { contextFor, textOf } from "../tools/outside-call.ts";

export interface HookWorld {
  readonly cwd: string;
  readonly gate: PermissionGate;
  readonly mcp: McpConnections;
  /** Returns the model with this name; the session's own for undefined. */
  readonly modelNamed: (name: string | undefined) => Promise<Model>;
  /** Returns the tools of the agent. */
  readonly tools: () => readonly AnyTool[];
}

const SYSTEM =
  "You check something for a program. Decide from the facts that you get, and answer only with JSON.";
const ANSWER_TOKENS = 4_000;
const MOST_TURNS = 50;
const TOOLS = new Set(["Read", "Grep", "Glob", "Bash", "LSP"]);

/** Permissions apply to everything that these hooks do. */
export function hookHelpers(world: HookWorld): Required<Pick<HooksOptions, "askModel" | "callMcpTool">> {
  return {
    askModel: async ({ prompt, type, model: name }, signal) => {
      const model = await world.modelNamed(name);
      return type === "agent" ? workedOut(world, { model, prompt, signal }) : answered(model, prompt, signal);
    },
    callMcpTool: (call, signal) => called(world, call, signal),
  };
}

async function answered(model: Model, prompt: string, signal: AbortSignal): Promise<string> {
  const messages = [{ role: "user", content: prompt }] as const;
  const request = { system: SYSTEM, tools: [], messages, maxTokens: ANSWER_TOKENS };
  let answer = "";
  for await (const event of model.stream(request, signal)) if (event.type === "text") answer += event.text;
  return answer;
}

interface Work {
  readonly model: Model;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

/** Nobody is asked: a call that needs an answer is denied. */
async function workedOut({ cwd, gate, tools }: HookWorld, work: Work): Promise<string> {
  const chosen = tools().filter(({ name }) => TOOLS.has(name));
  const permissions = {
    decide: gate.decide.bind(gate),
    isHidden: (name: string) => gate.isHidden(name),
  };
  const running = query({ ...work, system: SYSTEM, tools: chosen, permissions, cwd, maxTurns: MOST_TURNS });
  for (;;) {
    const next = await running.next();
    if (next.done === true) return next.value.text;
  }
}

type Call = Parameters<NonNullable<HooksOptions["callMcpTool"]>>[0];

/** The hook is in a trusted file, so only a deny rule and a changed definition keep the tool from running. */
async function called({ cwd, gate, mcp }: HookWorld, call: Call, signal: AbortSignal): Promise<string> {
  // The servers of plugins are also written with colons.
  const server = call.server.replace(/^plugin:([^:]+):/, "plugin_$1_");
  const name = mcpToolName(server, call.tool);
  const tool = mcp.tools().find((one) => one.name === name);
  if (tool === undefined)
    throw new Error(`the MCP server ${call.server} has no tool ${call.tool}, or is not connected`);
  const { behavior, reason } = gate.decide(name, call.input, { cwd, hookDecision: undefined });
  if (behavior === "deny") throw new Error(`${name} is denied: ${reason}`);
  if (mcp.changedSinceApproval(name))
    throw new Error(`the definition of ${name} changed since you approved it`);
  const output: unknown = await tool.call(call.input, contextFor({ callId: "hook", signal, cwd }));
  return textOf(tool.toResult?.(output) ?? output);
}
