/** Parts that a program adds to a coding agent: hooks, MCP servers and sub-agents of its own. */

import { type Check, aBoolean, aFunction, aString, anArray, anObject, strings } from "@runahead/base";
import type { Agent, AgentDefinition, AgentOptions, InProcessHook, Session } from "@runahead/agent";
import type { AgentFile } from "../definitions/agent-file.ts";
import type { McpAskBack, McpChannel, McpToolChoice } from "@runahead/mcp";
import type { ClientTerminals, EditorFiles } from "@runahead/tools";

/** An MCP server inside the program. */
export interface HostMcpServer {
  /** The name in `mcp__name__tool`. */
  readonly name: string;
  /** Opens a connection. Called again after a connection was lost. */
  readonly connect: () => McpChannel;
  /** The time limit of one call, in milliseconds. Default: 600,000. */
  readonly timeoutMs?: number;
  /** Which of its tools are offered. Default: all. */
  readonly tools?: McpToolChoice;
}

/** Parts of the program that uses a coding agent. All are optional. */
export interface HostParts {
  /** Hooks that are functions. They run after those of the settings. Default: none. */
  readonly hooks?: readonly InProcessHook[];
  /** MCP servers inside the program. Default: none. */
  readonly mcpServers?: readonly HostMcpServer[];
  /** More types of sub-agents. They come before those of files with the same name. Default: none. */
  readonly agents?: readonly AgentDefinition[];
  /** The same in the form of files: `agentIn` reads one. Default: none. */
  readonly agentFiles?: readonly AgentFile[];
  /** The only skills that the main agent is offered, by name, with or without the plugin. Default: all. */
  readonly skills?: readonly string[];
  /** Replaces the system prompt, except for `appendSystemPrompt`. Default: Runahead's own. */
  readonly systemPrompt?: string;
  /** Asks the user for what an MCP server wants to know. Default: the server gets an error. */
  readonly elicit?: NonNullable<McpAskBack["elicit"]>;
  /** The files of an editor: Read and Edit see its unsaved text, and Write and Edit write through it. Default: none. */
  readonly editorFiles?: EditorFiles;
  /** Runs commands that are not sandboxed in terminals of the program. Default: in processes of the agent. */
  readonly terminals?: ClientTerminals;
  /** Called with the `statusMessage` of a hook that runs, and with undefined when no such hook runs any more. */
  readonly onHookStatus?: (text: string | undefined) => void;
  /** Called with notifications and titles for the terminal, from the `terminalSequence` of a hook. Default: dropped. */
  readonly onTerminalSequence?: (sequence: string) => void;
  /** Whether text is shown only after MessageDisplay hooks ran, which can replace it. Default: false. */
  readonly showsReplacedText?: boolean;
  /** Whether the decision `defer` of a hook asks the user instead, because somebody is there. Default: false. */
  readonly asksDeferred?: boolean;
  /** The `source` of SessionStart hooks. Default: `startup`, `resume` or `fork`. */
  readonly startSource?: string;
  /** Returns the `reason` of SessionEnd hooks. Default: `other`. */
  readonly endReason?: () => string;
  /** The session that the agent continues. Default: one on disk, according to the other options. */
  readonly session?: Session;
  /** Creates the agent from its options, as a worker of a fleet does. Default: `createAgent`. */
  readonly createAgent?: (options: AgentOptions) => Agent;
}

export const HOST_CHECKS: Readonly<Record<keyof HostParts, Check>> = {
  hooks: anArray,
  mcpServers: anArray,
  agents: anArray,
  agentFiles: anArray,
  skills: strings,
  systemPrompt: aString,
  elicit: aFunction,
  editorFiles: anObject,
  terminals: anObject,
  onHookStatus: aFunction,
  onTerminalSequence: aFunction,
  showsReplacedText: aBoolean,
  asksDeferred: aBoolean,
  startSource: aString,
  endReason: aFunction,
  session: anObject,
  createAgent: aFunction,
};

/** Returns only the members of the host. */
export function hostParts(options: HostParts): HostParts {
  const names = Object.keys(HOST_CHECKS);
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}
