/** The whole coding agent: one function that gives exactly what `runahead` runs. */

import { homedir } from "node:os";
import type {
  Agent,
  AgentEvent,
  Model,
  PermissionGate,
  PersonAnswer,
  PersonQuestion,
  Session,
} from "@runahead/agent";
import type { Timeline } from "@runahead/agent/timeline";
import type { McpConnections } from "@runahead/mcp";
import type { AskPerson } from "@runahead/tools";
import type { PromptReport } from "../prompt/report.ts";
import type { LoadedSettings } from "../settings/loaded.ts";
import type { Surroundings } from "../surroundings.ts";
import type { HarnessOptions } from "./options.ts";
import { NoModel } from "./error.ts";
import { Parts } from "./parts.ts";
import type { Reading } from "./sandbox.ts";

/** What a front end hears, and how it asks the person. */
export interface Listeners {
  /** Called with everything that happens in a run. */
  readonly onEvent: (event: AgentEvent) => void;
  /** Called when something is not as it should be and the work goes on: a settings file that cannot be read, for one. */
  readonly onNotice: (message: string) => void;
  /** Asks a person about a call. Default: a call that needs a question does not run. */
  readonly askPerson?: (question: PersonQuestion) => Promise<PersonAnswer>;
  /** Puts the model's own questions to a person. Default: the model has no tool for them. */
  readonly askUser?: AskPerson;
}

/**
 * Everything is optional. `cwd`, `home` and `env` default to those of the process. The other names are those of the
 * program's flags, with the same meaning.
 */
export type CodingAgentOptions = HarnessOptions & Partial<Surroundings> & Partial<Listeners>;

/** A coding agent with all its parts. Close it when you are done. */
export interface CodingAgent {
  /** Takes prompts: `agent.send("fix the failing test")`. */
  readonly agent: Agent;
  readonly gate: PermissionGate;
  readonly model: Model;
  readonly session: Session | undefined;
  readonly settings: LoadedSettings;
  readonly toolNames: () => readonly string[];
  readonly mcp: McpConnections;
  /** Whether commands that only read are kept to reading. */
  reading(): Reading;
  /** Returns what the first request would send besides the prompt: system prompt, reminder and tools. */
  prompt(): PromptReport;
  /** What ran when, as far as is known: of the whole session where there is one. */
  timeline(): Promise<Timeline>;
  /** Ends everything of ours; comes back when nothing is left. */
  close(): Promise<void>;
}

/**
 * Puts together exactly what `runahead` runs: settings, trust, permissions, hooks, tools, MCP servers, sub-agents,
 * sessions and the timeline.
 *
 * @throws {NoModel} if neither the options nor the environment name a model.
 * @throws {UsageError} if the options contradict each other or name something that does not exist.
 * @example
 * ```ts
 * const { agent, close } = await codingAgent({ cwd: "/repo", permissionMode: "acceptEdits" });
 * const { text } = await agent.send("Why does the build fail?");
 * await close();
 * ```
 */
export async function codingAgent(options: CodingAgentOptions = {}): Promise<CodingAgent> {
  return assembled(options);
}

const NO_MODEL: Model = {
  name: "(no model is set up)",
  stream: () => {
    throw new NoModel();
  },
};

/**
 * Returns what the model would read before the first prompt in this folder. Needs no model, starts no MCP servers and
 * saves no session.
 *
 * @throws {UsageError} if the options contradict each other or name something that does not exist.
 * @example
 * ```ts
 * const { system, tools } = await previewPrompt({ cwd: "/repo" });
 * console.log(system.length, tools.map(({ name }) => name));
 * ```
 */
export async function previewPrompt(options: CodingAgentOptions = {}): Promise<PromptReport> {
  const made = await assembled({ ...options, strictMcpConfig: true, sessionPersistence: false }, NO_MODEL);
  try {
    return made.prompt();
  } finally {
    await made.close();
  }
}

async function assembled(options: CodingAgentOptions, standIn?: Model): Promise<CodingAgent> {
  const { cwd = process.cwd(), home = homedir(), env = process.env } = options;
  const { onEvent = () => {}, onNotice = () => {}, askPerson, askUser } = options;
  const listeners = {
    onEvent,
    onNotice,
    ...(askPerson === undefined ? {} : { askPerson }),
    ...(askUser === undefined ? {} : { askUser }),
  };
  const parts = new Parts({ cwd, home, env }, options, listeners);
  try {
    return await parts.assemble(standIn);
  } catch (error) {
    await parts.close();
    throw error;
  }
}
