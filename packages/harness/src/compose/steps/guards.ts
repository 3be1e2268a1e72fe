/** The second step: what watches over calls. MCP servers, permissions, the session, its timeline, and hooks. */

import { randomUUID } from "node:crypto";
import type { HookRunner, PermissionGate, Session } from "@runahead/agent";
import { type TimelineKeeper, createTimelineKeeper } from "@runahead/agent/timeline";
import type { McpConnections, McpServerStatus } from "@runahead/mcp";
import { runaheadHome } from "../../home.ts";
import { pluginHooks } from "../../plugins/enabled.ts";
import type { DefinedAgent } from "../../settings/agents.ts";
import type { Problem } from "../../settings/setting.ts";
import { usableAgents } from "../agents/agent-definitions.ts";
import { following } from "../follow-settings.ts";
import { type HookParts, composeHooks } from "../hooks/hooks.ts";
import { AgentServerTools, agentServers, approvalsOf } from "../mcp/agent-servers.ts";
import { type StartedMcp, startMcp } from "../mcp/start-mcp.ts";
import { effortVariable } from "../model/effort-level.ts";
import { makeGate } from "../permissions/gate.ts";
import { openSession } from "../session/open-session.ts";
import { cleanUpLater } from "../session/retention.ts";
import { hookConfigs } from "../settings-flags.ts";
import type { Composition } from "./composition.ts";
import type { Foundation } from "./foundation.ts";

/** MCP servers, and the files of sub-agents, which can define some. */
interface Servers {
  readonly agents: readonly DefinedAgent[];
  readonly agentProblems: readonly Problem[];
  readonly mcp: McpConnections;
  /** Servers that the program adds and removes while the agent works. */
  readonly dynamic: StartedMcp["dynamic"];
  /** The tools of servers that only certain sub-agents have. */
  readonly serverTools: AgentServerTools;
}

export interface Guards extends Servers {
  readonly gate: PermissionGate;
  readonly session: Session | undefined;
  readonly keeper: TimelineKeeper;
  readonly hooks: HookRunner;
  /** Variables of shell commands. Hooks can add some. */
  readonly added: Record<string, string>;
}

export async function guards(made: Composition & Foundation): Promise<Guards> {
  const { world, listeners, later, closers, settings, model } = made;
  const { onNotice } = listeners;
  const servers = await startServers(made);
  const gate = makeGate({
    ...made,
    approvals: approvalsOf(servers.mcp, servers.serverTools),
    shell: () => later.shell,
    outputFolder: () => later.outputFolder,
    hooks: () => later.hooks,
  });
  later.onSettings = following({ env: world.env, gate, settings, hooks: () => later.hooks, onNotice });
  const session = await sessionOf(made);
  if (session !== undefined) closers.push(cleanUpLater(runaheadHome(world), settings));
  const keeper = createTimelineKeeper({ session, onNotice });
  // Closed after the agent, to record its last events.
  closers.push(() => keeper.close());
  const added = { ...effortVariable(made.control.effort), ...settings.env };
  const { mcp, serverTools } = servers;
  const running = (): readonly McpServerStatus[] => [...mcp.servers(), ...serverTools.servers()];
  const hooks = startHooks(made, { gate, session, mcp, servers: running, model, added });
  return { ...servers, gate, session, keeper, hooks, added };
}

async function startServers(made: Composition & Foundation): Promise<Servers> {
  const { listeners, later, closers, settings, plugins, where, isBare } = made;
  const { agents, problems } = await usableAgents(
    { ...where, more: plugins.flatMap((one) => one.agents) },
    { settings, plugins, own: listeners.agentFiles, isBare },
  );
  const ofAgents = agentServers(agents, settings, made);
  const { mcp, connect, dynamic } = await startMcp({ ...made, hooks: () => later.hooks });
  const serverTools = new AgentServerTools(ofAgents, { mcp, connect });
  closers.push(
    () => mcp.close(),
    () => serverTools.close(),
  );
  return { agents, agentProblems: problems, mcp, dynamic, serverTools };
}

async function sessionOf({ world, flags, listeners }: Composition): Promise<Session | undefined> {
  const { onNotice, session } = listeners;
  return session ?? openSession(flags, { home: runaheadHome(world), cwd: world.cwd, onNotice });
}

function startHooks(made: Composition & Foundation, parts: HookParts): HookRunner {
  const { world, flags, listeners, later, closers, settings, plugins, control } = made;
  const { cwd, env, home } = world;
  const started = composeHooks(settings, {
    ...parts,
    world: { cwd, env, home },
    configs: [...hookConfigs(settings, flags), ...pluginHooks(plugins, settings)],
    listeners,
    agent: () => later.agent,
    agentType: () => later.mainName,
    effort: () => control.effort,
    reloadSkills: () => later.reloadSkills(),
    isFork: flags.forkSession === true,
    sessionId: flags.sessionId ?? randomUUID(),
    tasks: () => later.tasks(),
    tools: () => later.ownTools,
    modelNamed: async (name) => (name === undefined ? parts.model : control.named(name)),
  });
  later.hooks = started.hooks;
  closers.push(() => started.close());
  return started.hooks;
}
