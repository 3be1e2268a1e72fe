/** The coding agent as `runahead serve` runs it. */

import type { AgentRunFacts, ServeLog, ServeTelemetry } from "@runahead/fleet";
import {
  type AgentEvent,
  type CodingAgentOptions,
  NoModel,
  UsageError,
  codingAgent,
} from "@runahead/harness";
import type { World } from "../shared/world.ts";

export interface AgentFlags {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly settings?: string;
  readonly trust?: boolean;
}

/** Mistakes in flags and settings end the program now, and not each session later. */
export async function checkAgents(world: World, flags: AgentFlags): Promise<void> {
  try {
    const options = { ...optionsOf(world, flags), onNotice: warner(world) };
    const none = { sessionPersistence: false, mcpConfig: [], strictMcpConfig: true };
    const made = await codingAgent({ ...options, ...none });
    await made.close();
  } catch (error) {
    if (error instanceof NoModel) throw new UsageError(error.message);
    throw error;
  }
}

/** Makes the agent that runs a session. */
export async function agentOf(
  world: World,
  flags: AgentFlags,
  { session, createAgent, trace = "", tenant }: AgentRunFacts,
) {
  const telemetry = hasTelemetry() ? (await import("@runahead/fleet/otel")).telemetry : undefined;
  const spans = telemetry?.({ agentName: "runahead", conversationId: session.id, traceparent: trace });
  const onEvent = (event: AgentEvent): void => spans?.hear(event);
  const made = await codingAgent({
    ...optionsOf(world, flags),
    session,
    createAgent,
    onNotice: warner(world, { session: session.id, tenant }),
    ...(spans === undefined ? {} : { onEvent }),
    // The run asks through the journal, and this is never called; but the agent must know that someone can be asked.
    askPerson: async () => ({ type: "no", message: "nobody was asked" }),
  });
  return {
    agent: made.agent,
    onClosed: async () => {
      await made.close();
      spans?.close();
    },
  };
}

/** Undefined if this process has no OpenTelemetry SDK: then nothing would be recorded. */
export async function serverSpans(): Promise<ServeTelemetry | undefined> {
  return hasTelemetry() ? (await import("@runahead/fleet/otel")).serverTelemetry() : undefined;
}

export function logLine(world: World, level: ServeLog["level"], message: string, more: object = {}): void {
  world.complain(JSON.stringify({ time: new Date().toISOString(), level, message, ...more }));
}

/** Whether an SDK has registered itself: every copy of the API of this version finds it under this name. */
function hasTelemetry(): boolean {
  return Reflect.has(globalThis, Symbol.for("opentelemetry.js.api.1"));
}

function optionsOf({ cwd, home, env }: World, flags: AgentFlags): CodingAgentOptions {
  const { model, permissionMode, settings, trust } = flags;
  return {
    cwd,
    home,
    env,
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(settings === undefined ? {} : { settings }),
    ...(trust === undefined ? {} : { trust }),
  };
}

function warner(world: World, more: object = {}): (message: string) => void {
  return (message) => logLine(world, "warn", message, more);
}
