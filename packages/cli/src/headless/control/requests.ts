/** Answers the requests of the host. */

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type CodingAgent, permissionMode } from "@runahead/harness";
import { switchModel } from "../../shared/model-switch.ts";
import { contextUsage } from "../../shared/context-parts.ts";
import type { World } from "../../shared/world.ts";
import type { HostLink } from "./link.ts";
import { MCP_HANDLERS } from "./mcp-requests.ts";
import type { HostServer } from "./servers.ts";
import { SESSION_HANDLERS, agentsOf, commandsOf } from "./session-requests.ts";
import { type Members, isMembers, textIn } from "./members.ts";

type Task = CodingAgent["agent"]["background"][number];

export interface Controlled {
  readonly made: CodingAgent;
  /** The MCP servers of the host, by name. It can add more. */
  readonly servers: Map<string, HostServer>;
  /** The names of those of the start. */
  readonly firstServers: ReadonlySet<string>;
  /** The other MCP servers that the host named at the start. */
  readonly configured: Members | undefined;
  readonly link: HostLink;
  /** Whether the host can switch to `bypassPermissions`. */
  readonly mayBypass: boolean;
  readonly version: string;
  readonly world: Pick<World, "home" | "env">;
  /** Restores the files from before a prompt. */
  readonly rewind: (messageId: string, isDry: boolean) => Promise<Members>;
  /** Prints a line about a command that the host stopped. */
  readonly taskStopped: (task: Task) => void;
  /** Prints a line about the new mode. */
  readonly modeChanged: () => void;
  readonly onNotice: (message: string) => void;
}

export type Handle = (request: Members, controlled: Controlled) => Members | Promise<Members>;

/** Answers a request. Rejects for an unknown subtype. */
export async function answerHost(request: Members, controlled: Controlled): Promise<Members> {
  const subtype = String(request["subtype"]);
  const handle = Object.hasOwn(HANDLERS, subtype) ? HANDLERS[subtype] : undefined;
  if (handle === undefined)
    throw new Error(`Unsupported control request subtype: ${subtype}. Runahead does not answer it.`);
  return handle(request, controlled);
}

const HANDLERS: Readonly<Record<string, Handle>> = {
  initialize: async (request, controlled) => ({
    ...(await descriptionOf(controlled)),
    ...(Array.isArray(request["plugins"]) ? { plugins_applied: true } : {}),
    ...(isMembers(request["mcpServers"])
      ? { mcp_servers_applied: isDeepStrictEqual(request["mcpServers"], controlled.configured) }
      : {}),
  }),
  interrupt,
  cancel_async_message: (request, { link }) => ({
    cancelled: link.cancel(textIn(request, "message_uuid") ?? ""),
  }),
  set_permission_mode: setMode,
  set_model: setModel,
  set_max_thinking_tokens: setThinking,
  ...MCP_HANDLERS,
  ...SESSION_HANDLERS,
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
  stop_task: stopTask,
};

async function descriptionOf({ made, version }: Controlled): Promise<Members> {
  const { name } = made.model;
  return {
    commands: commandsOf(made),
    agents: agentsOf(made),
    output_style: made.outputStyle,
    available_output_styles: await made.outputStyles(),
    models: [{ value: name, displayName: name, description: "The model of this session." }],
    account: {},
    hooks_applied: true,
    hook_on_failure_supported: true,
    claude_code_version: version,
  };
}

function setMode(request: Members, { made, mayBypass, modeChanged }: Controlled): Members {
  const asked = textIn(request, "mode") ?? "";
  const mode = permissionMode(asked);
  if (mode === undefined) throw new Error(`Unknown permission mode ${JSON.stringify(asked)}.`);
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

/** Stopping a command is not news for the model, so no event reports it. */
async function stopTask(request: Members, { made, taskStopped }: Controlled): Promise<Members> {
  const id = textIn(request, "task_id") ?? "";
  const running = made.agent.background.find((task) => task.id === id && task.isRunning);
  await made.stopTask(id);
  if (running?.kind === "command") taskStopped(running);
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

/** Prompts that wait stay, unless the host asks to withdraw them too. */
async function interrupt(request: Members, { made, link }: Controlled): Promise<Members> {
  const waiting = link.waiting;
  const isAll = request["cancel_queued"] === true;
  const cancelled = isAll ? waiting.filter((uuid) => link.cancel(uuid)) : [];
  await made.agent.interrupt();
  return isAll ? { still_queued: [], cancelled } : { still_queued: waiting };
}
