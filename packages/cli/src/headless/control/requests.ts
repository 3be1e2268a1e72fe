/** Answers the requests of the host. */

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { type CodingAgent, permissionMode } from "@runahead/harness";
import { switchModel } from "../../shared/model-switch.ts";
import { statusOf } from "../../shared/servers-started.ts";
import { contextUsage } from "../../shared/context-parts.ts";
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
  initialize: (_request, controlled) => descriptionOf(controlled),
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
  register_repo_root: registerRoot,
  get_context_usage: (_request, { made }) => contextUsage(made),
  stop_task: async (request, { made }) => {
    await made.stopTask(textIn(request, "task_id") ?? "");
    return {};
  },
};

function descriptionOf({ made, version }: Controlled): Members {
  const { name } = made.model;
  return {
    commands: made.prompts.known.filter(({ isForUser }) => isForUser).map(commandOf),
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

type Command = CodingAgent["prompts"]["known"][number];

function commandOf({ name, description, argumentHint }: Command): Members {
  return { name, description, argumentHint: argumentHint ?? "" };
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
  await switchModel({ name, source: "sdk", run: () => made.setModel(name), made: () => made });
  return { model: made.model.name };
}

/** Only a folder below the working directory or below an additional directory of the start. */
async function registerRoot(request: Members, { made }: Controlled): Promise<Members> {
  const { cwd, sources } = made.settings;
  const asked = textIn(request, "directory") ?? "";
  const folder = await realpath(resolve(cwd, asked)).catch(() => {
    throw new Error(`${asked} is not a folder.`);
  });
  const ofStart = sources.flatMap((one) => (one.trusted ? one.additionalDirectories : []));
  const roots = await Promise.all(
    [cwd, ...ofStart].map((root) => realpath(resolve(cwd, root)).catch(() => undefined)),
  );
  if (!roots.some((root) => root !== undefined && folder.startsWith(`${root}/`)))
    throw new Error(`${folder} is not below the working directory or an additional directory.`);
  await made.addFolder(folder, "register_repo_root");
  return {};
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
