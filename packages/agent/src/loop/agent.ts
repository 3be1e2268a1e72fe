/** Many prompts on one conversation: what is said while it is busy waits, or interrupts, and nothing is lost. */

import type { Message } from "../model/message.ts";
import { hold } from "../session/holder.ts";
import { checkAgent, checkSend } from "./check-options.ts";
import { PromptTakenBack } from "./error.ts";
import { compactNow } from "./compacting.ts";
import type { AgentEvent, Prompt, QueryResult } from "./event.ts";
import type { LoopOptions } from "./options.ts";
import { partsOf } from "./query.ts";
import { Run } from "./run.ts";
import { Tally } from "./tally.ts";
import { textOf } from "./text.ts";

/** Options of {@link createAgent}: those of a query without its prompt, and a listener. */
export interface AgentOptions extends LoopOptions {
  /** Receives every event as it happens. If it throws, a warning is emitted and the agent goes on. */
  readonly onEvent?: (event: AgentEvent) => void;
}

/** Options of `agent.send`. */
export interface SendOptions {
  /**
   * While the agent is busy: do not wait for the end of the turn. Calls that must not be cut still finish first.
   * Default: false.
   */
  readonly interrupt?: boolean;
  /** The snapshot of the workspace that was taken before the prompt: kept with it, also in the session. */
  readonly snapshot?: string;
  /** The person's own words in the prompt, which auto mode goes by. Default: its first text. */
  readonly said?: string;
}

/** A prompt of a person, as a place to go back to. */
export interface PromptPlace {
  /** How many messages there were before it: the argument of `rewind`. */
  readonly messages: number;
  /** Its text. */
  readonly text: string;
  /** The snapshot of the workspace that was taken before it, if there is one. */
  readonly snapshot: string | undefined;
}

/** Keeps one conversation: prompts one after the other, with what was said before. */
export interface Agent {
  /**
   * Sends a prompt and resolves with the answer. While the agent is busy, the prompt follows the results of the turn
   * under way.
   *
   * Throws a TypeError for wrong use, and an Error if the agent is closed. Rejects with {@link PromptTakenBack} if
   * the prompt was taken back. What goes wrong while it is answered is in the result.
   */
  send(prompt: Prompt, options?: SendOptions): Promise<QueryResult>;
  /**
   * Goes on where it was stopped, or where a crash left the session. If there is nothing to answer, it ends at once.
   */
  resume(): Promise<QueryResult>;
  /** Stops what is under way, keeps its results, and resolves when it has stopped. Prompts that wait come next. */
  interrupt(): Promise<void>;
  /** Removes the prompts that wait, and returns them. Their promises reject with {@link PromptTakenBack}. */
  takeBack(): readonly Prompt[];
  /**
   * Summarises the conversation, with instructions on what matters. Waits until nothing is under way. Resolves with
   * whether it became shorter.
   */
  compact(instructions?: string): Promise<boolean>;
  /**
   * Returns the conversation to what it was when it had so many messages: one of `prompts`. What was said since stays
   * in the session's file, and its cost stays counted.
   *
   * Rejects while something is under way, and with a RangeError if no prompt begins there.
   */
  rewind(messageCount: number): Promise<void>;
  /** Interrupts, closes the session, and lets others have it. Can be called more than once. */
  close(): Promise<void>;
  /** Whether a prompt is being answered. */
  readonly isBusy: boolean;
  /** The prompts that wait. */
  readonly waiting: readonly Prompt[];
  /** The conversation so far, always one that the model's API accepts. */
  readonly messages: readonly Message[];
  /** What people have said, oldest first. What was summarised is not in it. */
  readonly prompts: readonly PromptPlace[];
}

/**
 * Makes an agent: a conversation with a model that uses tools.
 *
 * Throws a TypeError for wrong options, and {@link SessionLocked} if another agent or query of this process has the
 * session. Without `permissions` and `canUseTool`, EVERY CALL IS ALLOWED.
 *
 * @example
 * ```ts
 * import { anthropic, createAgent } from "@runahead/agent";
 *
 * const agent = createAgent({
 *   model: anthropic({ model: "claude-sonnet-4-6" }),
 *   tools: [],
 *   canUseTool: ({ name }) => ({ behavior: name === "Read" ? "allow" : "deny", reason: "reads only" }),
 * });
 * const { text, reason } = await agent.send("What is in this folder?");
 * console.log(reason, text);
 * await agent.close();
 * ```
 */
export function createAgent(options: AgentOptions): Agent {
  checkAgent(options);
  return new ConversingAgent(options);
}

interface Letter {
  readonly prompt: Prompt;
  readonly snapshot: string | undefined;
  readonly said: string | undefined;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

class ConversingAgent implements Agent {
  readonly #options: AgentOptions;
  readonly #parts: ReturnType<typeof partsOf>;
  readonly #release: () => void;
  /** Messages that nobody has taken in yet, and those that the run under way answers. */
  #waiting: Letter[] = [];
  #answered: Letter[] = [];
  /** Of those, the ones that are part of the conversation. */
  #attached = new Set<Letter>();
  #run: Run | undefined;
  #stop = new AbortController();
  /** What is to be done, one thing after the other, and what is being done now. */
  #work: Promise<unknown> = Promise.resolve();
  #underway: Promise<unknown> = Promise.resolve();
  /** Resumptions and compactions that have not ended. */
  #asked = 0;
  #isClosed = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#release = hold(options.session, "an agent");
    try {
      this.#parts = partsOf(options);
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  get isBusy(): boolean {
    return this.#run !== undefined;
  }

  get waiting(): readonly Prompt[] {
    return this.#waiting.map(({ prompt }) => prompt);
  }

  get messages(): readonly Message[] {
    return this.#parts.conversation.messages;
  }

  get prompts(): readonly PromptPlace[] {
    const { messages, prompts } = this.#parts.conversation;
    return prompts.map(({ messages: before, snapshot }) => {
      const content = messages[before]?.content ?? "";
      return { messages: before, text: typeof content === "string" ? content : textOf(content), snapshot };
    });
  }

  send(prompt: Prompt, options: SendOptions = {}): Promise<QueryResult> {
    this.#checkOpen();
    checkSend(prompt, options);
    const { interrupt = false, snapshot, said } = options;
    const answer = new Promise<QueryResult>((resolve, reject) =>
      this.#waiting.push({ prompt, snapshot, said, resolve, reject }),
    );
    // Who does not wait for an answer need not hear that there is none.
    answer.catch(() => {});
    if (this.#run === undefined) void this.#enqueue(() => this.#answerWaiting());
    else if (interrupt) this.#run.hurry();
    return answer;
  }

  resume(): Promise<QueryResult> {
    this.#checkOpen();
    return this.#ask(() => this.#answer());
  }

  async interrupt(): Promise<void> {
    this.#stop.abort();
    await this.#underway;
  }

  takeBack(): readonly Prompt[] {
    const letters = this.#waiting.splice(0);
    for (const { reject } of letters) reject(new PromptTakenBack());
    return letters.map(({ prompt }) => prompt);
  }

  compact(instructions?: string): Promise<boolean> {
    this.#checkOpen();
    const asked = instructions === undefined ? {} : { instructions };
    return this.#ask(() => {
      const tally = new Tally(this.#options.price);
      const wish = { manual: true, signal: this.#newStop(), tally, ...asked };
      return this.#hear(compactNow(this.#parts, wish));
    });
  }

  async rewind(messageCount: number): Promise<void> {
    this.#checkOpen();
    if (this.#run !== undefined || this.#waiting.length > 0 || this.#asked > 0)
      throw new Error("The conversation cannot go back while something is under way: interrupt it first.");
    this.#parts.conversation.rewind(messageCount);
    await this.#parts.conversation.sync();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.takeBack();
    try {
      await this.interrupt();
      await this.#work;
      if (!this.#parts.conversation.isNew) await this.#parts.hooks.end();
    } finally {
      await this.#options.session?.close();
      this.#release();
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Error("The agent is closed.");
  }

  #ask<Value>(job: () => Promise<Value>): Promise<Value> {
    this.#asked++;
    return this.#enqueue(() => this.#perform(job).finally(() => this.#asked--));
  }

  #enqueue<Value>(job: () => Promise<Value>): Promise<Value> {
    const done = this.#work.then(job);
    this.#work = done.catch(() => {});
    return done;
  }

  #perform<Value>(job: () => Promise<Value>): Promise<Value> {
    const done = job();
    this.#underway = done.catch(() => {});
    return done;
  }

  /** Whoever sent a message meanwhile may have been answered already. */
  async #answerWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Whoever waits for the answer is told what went wrong.
      await this.#perform(() => this.#answer()).catch(() => {});
    }
  }

  readonly #takeMessages = (): readonly Prompt[] => {
    const taken = this.#waiting.splice(0);
    this.#answered.push(...taken);
    return taken.map(({ prompt }) => prompt);
  };

  async #answer(): Promise<QueryResult> {
    try {
      this.#run = new Run({
        ...this.#parts,
        takeMessages: this.#takeMessages,
        saidIn: (prompt) => this.#answered.find((letter) => letter.prompt === prompt)?.said,
        signal: this.#newStop(),
      });
      const result = await this.#hear(this.#run.events());
      for (const { resolve } of this.#answered) resolve(result);
      return result;
    } catch (error) {
      // If it failed before it took the messages, the next attempt would fail in the same way.
      if (this.#answered.length === 0) this.#takeMessages();
      for (const { reject } of this.#answered) reject(error);
      throw error;
    } finally {
      this.#answered = [];
      this.#attached.clear();
      this.#run = undefined;
    }
  }

  async #hear<Result>(events: AsyncGenerator<AgentEvent, Result, undefined>): Promise<Result> {
    for (;;) {
      const next = await events.next();
      if (next.done === true) return next.value;
      if (next.value.type === "prompt-attached") this.#noteAttached(next.value.prompt);
      this.#tell(next.value);
    }
  }

  #noteAttached(prompt: Prompt): void {
    const letter = this.#answered.find((one) => one.prompt === prompt && !this.#attached.has(one));
    if (letter !== undefined) this.#attached.add(letter);
    const { snapshot, said } = letter ?? {};
    this.#parts.conversation.attached(prompt, {
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(said === undefined ? {} : { said }),
    });
  }

  #newStop(): AbortSignal {
    this.#stop = new AbortController();
    return this.#stop.signal;
  }

  /** A listener that fails must not take the agent with it. */
  #tell(event: AgentEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch (error) {
      process.emitWarning(`onEvent failed: ${String(error)}`, "RunaheadWarning");
    }
  }
}
