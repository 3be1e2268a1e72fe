/** Answers the requests of the host. */

import { type CodingAgent, permissionMode } from "@runahead/harness";
import { statusOf } from "../../shared/servers-started.ts";
import type { HostServer } from "./servers.ts";
import { type Members, isMembers, textIn } from "./members.ts";

export interface Controlled {
  readonly made: CodingAgent;
  readonly servers: ReadonlyMap<string, HostServer>;
  /** Whether the host can switch to `bypassPermissions`. */
  readonly mayBypass: boolean;
  readonly version: string;
  /** Restores the files from before a prompt. */
  readonly rewind: (messageId: string, isDry: boolean) => Promise<Members>;
  /** Prints a line about the new mode. */
  readonly modeChanged: () => void;
  readonly onNotice: (message: string) => void;
}

type Handle = (request: Members, controlled: Controlled) => Members | Promise<Members>;

/** Answers a request. Rejects for an unknown subtype. */
export async function answerHost(request: Members, controlled: Controlled): Promise<Members> {
  const subtype = String(request["subtype"]);
  const handle = Object.hasOwn(HANDLERS, subtype) ? HANDLERS[subtype] : undefined;
  if (handle === undefined)
    throw new Error(`Unsupported control request subtype: ${subtype}. Runahead does not answer it.`);
  return handle(request, controlled);
}

const HANDLERS: Readonly<Record<string, Handle>> = {
  initialize: (_request, controlled) => description(controlled),
  interrupt: async (_request, { made }) => {
    await made.agent.interrupt();
    return { still_queued: [] };
  },
  set_permission_mode: setMode,
  set_model: setModel,
  set_max_thinking_tokens: setThinking,
  mcp_status: (_request, { made }) => ({ mcpServers: made.mcp.servers().map(serverStatus) }),
  mcp_message: (request, { servers }) => {
    const server = servers.get(textIn(request, "server_name") ?? "");
    if (server === undefined) throw new Error(`Unknown MCP server ${String(request["server_name"])}.`);
    if (isMembers(request["message"])) server.receive(request["message"]);
    return {};
  },
  rewind_files: (request, { rewind }) =>
    rewind(textIn(request, "user_message_id") ?? "", request["dry_run"] === true),
  stop_task: async (request, { made }) => {
    await made.stopTask(textIn(request, "task_id") ?? "");
    return {};
  },
};

function description({ made, version }: Controlled): Members {
  const { name } = made.model;
  return {
    commands: [],
    agents: made.agents.map(({ name: agent, description: words }) => ({ name: agent, description: words })),
    output_style: "default",
    available_output_styles: ["default"],
    models: [{ value: name, displayName: name, description: "The model of this session." }],
    account: {},
    hooks_applied: true,
    hook_on_failure_supported: true,
    claude_code_version: version,
  };
}

function setMode(request: Members, { made, mayBypass, modeChanged }: Controlled): Members {
  const mode = textIn(request, "mode") ?? "";
  if (permissionMode(mode) === undefined) throw new Error(`Unknown permission mode ${JSON.stringify(mode)}.`);
  if (mode === "bypassPermissions" && !mayBypass)
    throw new Error(
      "Cannot switch to bypassPermissions: the session was not started with --allow-dangerously-skip-permissions.",
    );
  made.gate.setMode(mode);
  modeChanged();
  return { mode: made.gate.mode };
}

/** Hooks can refuse the switch. */
async function setModel(request: Members, { made }: Controlled): Promise<Members> {
  const asked = textIn(request, "model");
  const name = asked === "default" ? undefined : asked;
  const from = made.model.name;
  const facts = { from_model: from, to_model: name ?? from, requested_model: name ?? null, source: "sdk" };
  if (made.hooks.has("PreModelSwitch")) {
    const { blocked } = await made.hooks.happen("PreModelSwitch", facts);
    if (blocked !== undefined) throw new Error(`A hook refused to switch the model: ${blocked.reason}`);
  }
  await made.setModel(name);
  if (made.hooks.has("PostModelSwitch"))
    await made.hooks.happen("PostModelSwitch", { ...facts, to_model: made.model.name });
  return { model: made.model.name };
}

/** `null` is the model's own limit, zero turns thinking off. */
async function setThinking(request: Members, { made }: Controlled): Promise<Members> {
  const tokens = request["max_thinking_tokens"] ?? undefined;
  if (tokens !== undefined && !(typeof tokens === "number" && tokens >= 0 && Number.isFinite(tokens)))
    throw new Error(
      `max_thinking_tokens must be a number of at least 0 or null, got ${JSON.stringify(tokens)}.`,
    );
  await made.setMaxThinkingTokens(tokens);
  return {};
}

type Status = ReturnType<CodingAgent["mcp"]["servers"]>[number];

function serverStatus({ name, state, tools }: Status): Members {
  const status = statusOf(state);
  return {
    name,
    status,
    ...("why" in state && status === "failed" ? { error: state.why } : {}),
    tools: tools.map((tool) => ({ name: tool.replace(/^mcp__.*?__/, "") })),
  };
}
