/** Runs commands in terminals of the editor. */

import {
  type AgentContext,
  type CreateTerminalRequest,
  type CreateTerminalResponse,
  methods,
} from "@agentclientprotocol/sdk";
import type { Listeners } from "@runahead/harness";

export interface TerminalSession {
  /** Known only after the session was opened. */
  readonly id: () => string;
  /** Called when a call has a terminal, so that the editor can show it. */
  readonly onTerminal: (callId: string, terminalId: string) => void;
}

export function clientTerminals(
  context: AgentContext,
  { id, onTerminal }: TerminalSession,
): NonNullable<Listeners["terminals"]> {
  const { terminal } = methods.client;
  return {
    async create({ callId, command, args, cwd, env, outputBytes }) {
      const sessionId = id();
      const request: CreateTerminalRequest = {
        sessionId,
        command,
        args: [...args],
        cwd,
        env: Object.entries(env).map(([name, value]) => ({ name, value })),
        outputByteLimit: outputBytes,
      };
      const { terminalId } = await context.request<CreateTerminalResponse>(terminal.create, request);
      if (typeof terminalId !== "string") throw new Error("it returned no id");
      onTerminal(callId, terminalId);
      const which = { sessionId, terminalId };
      return {
        exited: () => context.request(terminal.waitForExit, which),
        output: () => context.request(terminal.output, which),
        kill: async () => void (await context.request(terminal.kill, which)),
        release: async () => void (await context.request(terminal.release, which)),
      };
    },
  };
}
