/** The public types of an agent. */

import type { BackgroundTask } from "@runahead/base";
import type { AgentInfo } from "../agents/agent-info.ts";
import type { Message } from "../model/message.ts";
import type { AgentEvent, Prompt, QueryResult } from "./event.ts";
import type { LoopOptions } from "./options.ts";

/** Options of {@link createAgent}: those of a query without the prompt, and a listener. */
export interface AgentOptions extends LoopOptions {
  /** Receives every event as it happens. If it throws, a process warning is emitted and the agent continues. */
  readonly onEvent?: (event: AgentEvent) => void;
  /**
   * Whether a prompt is answered only when all background agents have ended, and nothing is answered without a prompt.
   * By default the answer does not wait, and the agent is woken when background work ends.
   */
  readonly waitsForBackground?: boolean;
}

/** Options of `agent.send`. */
export interface SendOptions {
  /**
   * While the agent is busy: do not wait for the end of the turn. Calls that must not be interrupted still finish
   * first. Default: false.
   */
  readonly interrupt?: boolean;
  /** The id of a workspace snapshot taken before the prompt. It is stored with the prompt. */
  readonly snapshot?: string;
  /** What the user typed, without attachments; auto mode reads it. Default: the first text of the prompt. */
  readonly said?: string;
}

/** A prompt of the user that the conversation can return to. */
export interface PromptPlace {
  /** The number of messages before it: the argument of `rewind`. */
  readonly messages: number;
  /** Its text. */
  readonly text: string;
  /** The id of the workspace snapshot taken before it, if any. */
  readonly snapshot: string | undefined;
}

/** A conversation that answers prompts one after the other. */
export interface Agent<Output = unknown> {
  /**
   * Sends a prompt and resolves with the answer. While the agent is busy, the prompt is added after the results of
   * the current turn.
   *
   * Throws a TypeError for invalid arguments, and an Error if the agent is closed. Rejects with
   * {@link PromptTakenBack} if the prompt was taken back. Errors while answering are in the result.
   */
  send(prompt: Prompt, options?: SendOptions): Promise<QueryResult<Output>>;
  /**
   * Continues after an interruption or a crash. If there is nothing to answer, it ends at once.
   */
  resume(): Promise<QueryResult<Output>>;
  /** Stops the current work, keeps its results, and resolves when it has stopped. Waiting prompts come next. */
  interrupt(): Promise<void>;
  /** Removes and returns the unsent and the waiting prompts. Their promises reject with {@link PromptTakenBack}. */
  takeBack(): readonly Prompt[];
  /**
   * Summarises the conversation; `instructions` say what matters. Waits until the agent is idle. Resolves with true
   * if the conversation became shorter.
   */
  compact(instructions?: string): Promise<boolean>;
  /**
   * Returns the conversation to the state before one of `prompts`. Later messages stay in the session's file, and
   * their cost stays counted.
   *
   * Rejects with an Error while the agent is busy, and with a RangeError if no prompt begins there.
   */
  rewind(messageCount: number): Promise<void>;
  /** Interrupts, closes the session and releases it. Can be called more than once. */
  close(): Promise<void>;
  /**
   * Sends a message to a sub-agent. One that is at work reads it after its current turn. One that has ended continues in
   * the background with its context.
   *
   * Rejects with an Error if there is no such sub-agent.
   */
  sendTo(agentId: string, text: string): Promise<void>;
  /** Stops one sub-agent and leaves everything else running. Returns false if it is not at work. */
  stopAgent(agentId: string): boolean;
  /**
   * Moves sub-agents that calls wait for to the background: their calls return at once, and the model is notified
   * when they end. Without an id, all of them. Sub-agents of sub-agents stay with the one that started them.
   *
   * Returns the sub-agents that were moved; empty if none was waited for.
   */
  moveToBackground(agentId?: string): readonly AgentInfo[];
  /** The sub-agents that were started since the agent was created, oldest first. */
  readonly agents: readonly AgentInfo[];
  /** The background agents and commands that have not ended. */
  readonly background: readonly BackgroundTask[];
  /** Whether a prompt is being answered. */
  readonly isBusy: boolean;
  /** The prompts that wait to be answered. */
  readonly waiting: readonly Prompt[];
  /**
   * The prompts that waited when the session's previous process ended. They are not answered by themselves: take them
   * back and send them, or send another prompt, which drops them.
   */
  readonly unsent: readonly Prompt[];
  /** The conversation so far, always one that the model's API accepts. */
  readonly messages: readonly Message[];
  /** The user's prompts, oldest first, without those that were summarised. */
  readonly prompts: readonly PromptPlace[];
}
