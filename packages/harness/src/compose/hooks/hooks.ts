/** Makes the hooks of a coding agent, with everything that they can use. */

import type { AnyTool } from "@runahead/engine";
import {
  type Agent,
  type HookConfig,
  type HookRunner,
  type Model,
  type PermissionGate,
  type Session,
  createHooks,
} from "@runahead/agent";
import { messageOf, withoutOwnKeys } from "@runahead/base";
import type { McpConnections, McpServerStatus } from "@runahead/mcp";
import { CALLED_NAMES, concerns } from "@runahead/permissions/internal";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { valueOfKey } from "../../settings/other-values.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { Listeners } from "../coding-agent.ts";
import { EnvFile } from "./env-file.ts";
import { FileWatch } from "./file-watch.ts";
import { hookHelpers } from "./hook-helpers.ts";
import { limitedHttpHooks } from "./http-hooks.ts";
import { serverOfTool } from "./mcp-server.ts";
import { knownTask } from "../session/session-state.ts";
import { Transcript } from "./transcript.ts";

export interface HookParts {
  readonly gate: PermissionGate;
  readonly session: Session | undefined;
  readonly mcp: McpConnections;
  /** All MCP servers that run now, with those of sub-agents. */
  readonly servers: () => readonly McpServerStatus[];
  readonly model: Model;
  /** Variables of shell commands. Hooks can add some. */
  readonly added: Record<string, string>;
}

export interface HookSurroundings extends HookParts {
  readonly world: Surroundings;
  readonly configs: readonly HookConfig[];
  readonly listeners: Listeners;
  readonly agent: () => Agent | undefined;
  /** Returns the level of effort of the main agent's model. */
  readonly effort: () => string | undefined;
  /** Reads skills and commands again at the next use. */
  readonly reloadSkills: () => void;
  /** The definition of the main agent. */
  readonly agentType: () => string | undefined;
  readonly isFork: boolean;
  /** The id of a session that is not kept. */
  readonly sessionId: string;
  /** The state of the task list. */
  readonly tasks: () => unknown;
  readonly tools: () => readonly AnyTool[];
  readonly modelNamed: (name: string | undefined) => Promise<Model>;
}

/** The version in transcripts, for scripts that look at it. */
const VERSION = "2.1.240";

export function composeHooks(
  settings: LoadedSettings,
  around: HookSurroundings,
): { readonly hooks: HookRunner; close(): Promise<void> } {
  const { cwd, env, home } = around.world;
  const { gate, session, listeners } = around;
  const { onNotice, hooks: inProcess, onHookStatus, onTerminalSequence } = listeners;
  const environment = { ...withoutOwnKeys(env, settings.passEnv), ...settings.env };
  const envFile = hasAny(around.configs) ? new EnvFile(around.added, environment, onNotice) : undefined;
  const transcript = session === undefined ? undefined : transcriptOf(session, around);
  // The status line reads it too. Sub-agents and skills add hooks later.
  const isAlwaysRead = (inProcess ?? []).length > 0 || valueOfKey(settings, "statusLine") !== undefined;
  const isRead = (): boolean => isAlwaysRead || hooks.list().some(({ runs }) => runs);
  const files = new FileWatch(cwd, () => hooks);
  const hooks: HookRunner = createHooks({
    configs: limitedHttpHooks(around.configs, settings, onNotice),
    ...(inProcess === undefined ? {} : { inProcess }),
    cwd,
    projectDir: settings.root,
    toolNames: CALLED_NAMES,
    env: environment,
    sessionId: session?.id ?? around.sessionId,
    transcriptPath: transcript?.path ?? "",
    permissionMode: () => gate.mode,
    model: () => around.model.name,
    agentType: around.agentType,
    effort: around.effort,
    mcpServer: (tool) => serverOfTool(tool, around.servers()),
    agentTranscript: (agent, messages) => transcript?.ofAgent(agent.id, messages) ?? "",
    onReloadSkills: around.reloadSkills,
    task: (id) => knownTask(around.tasks(), id),
    subAgent: (callId) => around.agent()?.agents.findLast((one) => one.callId === callId),
    backgroundTasks: () => (around.agent()?.background ?? []).map(taskFacts),
    ...startFacts(around),
    asksDeferred: listeners.asksDeferred === true,
    matchesRule: (rule, toolName, input) => concerns(rule, { toolName, input, cwd, home }),
    onNotice,
    onEvent: () => (isRead() ? transcript?.update() : undefined),
    onRewake: (text) => void wake(around.agent(), text, onNotice),
    onWatchPaths: (paths) => files.add(paths),
    ...(onHookStatus === undefined ? {} : { onStatus: onHookStatus }),
    ...(onTerminalSequence === undefined ? {} : { onTerminalSequence }),
    ...(envFile === undefined ? {} : { envFile: envFile.path, onEnvFile: () => envFile.read() }),
    ...hookHelpers({ cwd, ...around }),
  });
  files.start();
  return {
    hooks,
    close: async () => {
      files.close();
      await hooks.close();
      envFile?.close();
    },
  };
}

/** A hook can end later than the agent, and nobody waits for the answer. */
async function wake(
  agent: Agent | undefined,
  text: string,
  notify: (message: string) => void,
): Promise<void> {
  try {
    await agent?.send(`A hook that ran in the background reports: ${text}`, { said: "" });
  } catch (error) {
    notify(`The report of a background hook was not sent to the model: ${messageOf(error)} It said: ${text}`);
  }
}

function startFacts({ listeners, isFork }: HookSurroundings) {
  const { startSource = isFork ? "fork" : undefined, endReason } = listeners;
  return {
    ...(startSource === undefined ? {} : { startSource }),
    ...(endReason === undefined ? {} : { endReason }),
  };
}

type Task = Agent["background"][number];

function taskFacts({ id, kind, description }: Task) {
  return {
    id,
    type: kind === "agent" ? "subagent" : "shell",
    status: "running",
    description,
    ...(kind === "agent" ? {} : { command: description }),
  };
}

/** Without hooks nobody reads the files that are only for them. */
function hasAny(configs: readonly HookConfig[]): boolean {
  return configs.some(
    ({ hooks }) => typeof hooks === "object" && hooks !== null && Object.keys(hooks).length > 0,
  );
}

function transcriptOf(session: Session, { world, agent, model, listeners }: HookSurroundings): Transcript {
  return new Transcript(session, {
    cwd: world.cwd,
    version: VERSION,
    messages: () => agent()?.messages ?? [],
    model: () => model.name,
    onNotice: listeners.onNotice,
  });
}
