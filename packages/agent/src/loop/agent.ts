/** Answers many prompts in one conversation. A prompt that is sent while the agent is busy waits or interrupts. */

import { type BackgroundTask, aString, required, wrong } from "@runahead/base";
import type { AgentInfo } from "../agents/agent-info.ts";
import { boundTo } from "../agents/binding.ts";
import type { Message } from "../model/message.ts";
import { hold } from "../session/holder.ts";
import { checkAgent, checkSend } from "./check-options.ts";
import { PromptTakenBack } from "./error.ts";
import { compactNow } from "./compacting.ts";
import type { AgentEvent, Prompt, QueryResult } from "./event.ts";
import type { Agent, AgentOptions, PromptPlace, SendOptions } from "./agent-types.ts";
import { toolsNow } from "./options.ts";
import { partsOf } from "./query.ts";
import { Run } from "./run.ts";
import type { OutputOf, OutputSchema } from "./structured-output.ts";
import { Tally } from "./tally.ts";
import { textOf } from "./text.ts";
import { UNSENT, UnsentPrompts } from "./unsent.ts";

export type { Agent, AgentOptions, PromptPlace, SendOptions } from "./agent-types.ts";

/**
 * Creates an agent: a conversation with a model that uses tools.
 *
 * Throws a TypeError for invalid options, and {@link SessionLocked} if another agent or query of this process uses the
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
export function createAgent<Schema extends OutputSchema>(
  options: AgentOptions & { readonly outputSchema: Schema },
): Agent<OutputOf<Schema>>;
export function createAgent(options: AgentOptions): Agent;
export function createAgent(options: AgentOptions): Agent {
  checkAgent(options);
  return new ConversingAgent(options);
}

const anId = required(aString);

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
  /** Prompts that wait, and those that the current run answers. */
  #waiting: Letter[] = [];
  #answered: Letter[] = [];
  /** The answered prompts that are part of the conversation. */
  #attached = new Set<Letter>();
  #run: Run | undefined;
  #stop = new AbortController();
  /** The queue of jobs, and the current one. */
  #work: Promise<unknown> = Promise.resolve();
  #underway: Promise<unknown> = Promise.resolve();
  /** The number of resumptions and compactions that have not ended. */
  #asked = 0;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #isWaking = false;
  readonly #unsent = new UnsentPrompts(() => this.#notAttached());

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#release = hold(options.session, "an agent");
    try {
      this.#parts = partsOf({ ...options, state: { ...options.state, [UNSENT]: this.#unsent } });
      const { tree } = this.#parts.member;
      tree.onEvent = (event) => this.#report(event);
      tree.onNews = () => this.#wake();
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

  get unsent(): readonly Prompt[] {
    return this.#unsent.left;
  }

  #notAttached(): readonly Prompt[] {
    const taken = this.#answered.filter((letter) => !this.#attached.has(letter));
    return [...taken, ...this.#waiting].map(({ prompt }) => prompt);
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
    // Callers that ignore the promise must not get an unhandled rejection.
    answer.catch(() => {});
    this.#unsent.take();
    if (this.#run !== undefined) this.#parts.conversation.saveStates();
    if (this.#run === undefined) void this.#enqueue(() => this.#answerWaiting());
    else if (interrupt) this.#run.hurry();
    return answer;
  }

  resume(): Promise<QueryResult> {
    this.#checkOpen();
    const done = this.#ask(() => this.#answer());
    // Prompts that came too late for that run.
    void this.#enqueue(() => this.#answerWaiting());
    return done;
  }

  async interrupt(): Promise<void> {
    this.#stop.abort();
    await this.#underway;
  }

  takeBack(): readonly Prompt[] {
    const unsent = this.#unsent.take();
    const letters = this.#takeLetters();
    this.#parts.conversation.saveStates();
    return [...unsent, ...letters];
  }

  #takeLetters(): readonly Prompt[] {
    const letters = this.#waiting.splice(0);
    for (const { reject } of letters) reject(new PromptTakenBack());
    return letters.map(({ prompt }) => prompt);
  }

  compact(instructions?: string): Promise<boolean> {
    aString(instructions, "agent.compact: the instructions");
    this.#checkOpen();
    const asked = instructions === undefined ? {} : { instructions };
    return this.#ask(() => {
      const tally = new Tally(this.#options.price);
      const wish = { manual: true, signal: this.#newStop(), tally, ...asked };
      return this.#hear(compactNow(this.#parts, wish));
    });
  }

  async sendTo(agentId: string, text: string): Promise<void> {
    anId(agentId, "agent.sendTo: the id of the sub-agent");
    required(aString)(text, "agent.sendTo: the text");
    this.#checkOpen();
    const { tree } = this.#parts.member;
    const running = tree.running(agentId);
    if (running !== undefined) return running.send(text);
    if (tree.continueAgent === undefined)
      // The tool that starts sub-agents is connected with this agent before its first turn.
      boundTo(toolsNow(this.#options), this.#parts.member);
    if (tree.continueAgent === undefined) throw new Error("This agent has no Agent tool.");
    await tree.continueAgent(agentId, text);
  }

  stopAgent(agentId: string): boolean {
    anId(agentId, "agent.stopAgent: the id of the sub-agent");
    return this.#parts.member.tree.stop(agentId, "the user stopped it");
  }

  moveToBackground(agentId?: string): readonly AgentInfo[] {
    aString(agentId, "agent.moveToBackground: the id of the sub-agent");
    return this.#parts.member.tree.moveToBackground(agentId).map(({ info }) => info);
  }

  get agents(): readonly AgentInfo[] {
    return this.#parts.member.tree.infos;
  }

  get background(): readonly BackgroundTask[] {
    return this.#parts.member.tree.tasks().filter(({ isRunning }) => isRunning);
  }

  async rewind(messageCount: number): Promise<void> {
    if (typeof messageCount !== "number")
      throw wrong("agent.rewind: the number of messages", "a number of agent.prompts", messageCount);
    this.#checkOpen();
    if (this.#run !== undefined || this.#waiting.length > 0 || this.#asked > 0)
      throw new Error("Cannot rewind while the agent is busy. Call interrupt() first.");
    this.#parts.conversation.rewind(messageCount);
    await this.#parts.conversation.sync();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    this.#unsent.keep(this.#takeLetters());
    try {
      await this.interrupt();
      await this.#work;
      await this.#parts.preparation.cancel();
      // A summary that ended after the last answer has used tokens too.
      this.#parts.preparation.count(new Tally(this.#options.price));
      await this.#parts.member.tree.close();
      // The mode can have changed since the last turn.
      if (!this.#parts.conversation.isNew) this.#parts.conversation.saveStates();
      if (!this.#parts.conversation.isNew) await this.#parts.hooks.end();
    } finally {
      await this.#options.session?.close();
      this.#release();
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Error("The agent is closed. Create a new one with createAgent().");
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

  /** One run can answer several waiting prompts, so this loops until none is left. */
  async #answerWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      // The error rejects the promises of the prompts.
      await this.#perform(() => this.#answer()).catch(() => {});
    }
  }

  /** Background work ended while nothing was being answered. */
  #wake(): void {
    const { waitsForBackground = false } = this.#options;
    // A caller that waits for the end of background agents reads answers to its own prompts only.
    if (waitsForBackground || this.#run !== undefined || this.#isWaking || this.#isClosed) return;
    this.#isWaking = true;
    void this.#enqueue(async () => {
      this.#isWaking = false;
      // A prompt that was answered in the meantime has taken the news.
      if (!this.#isClosed && this.#parts.member.tree.hasNews) await this.#perform(() => this.#answer(true));
    }).catch(() => {});
    void this.#enqueue(() => this.#answerWaiting());
  }

  readonly #takeMessages = (): readonly Prompt[] => {
    const taken = this.#waiting.splice(0);
    this.#answered.push(...taken);
    return taken.map(({ prompt }) => prompt);
  };

  async #answer(isWoken = false): Promise<QueryResult> {
    const { waitsForBackground = false } = this.#options;
    try {
      this.#run = new Run({
        ...this.#parts,
        takeMessages: this.#takeMessages,
        saidIn: (prompt) => this.#answered.find((letter) => letter.prompt === prompt)?.said,
        onAttached: (prompt) => this.#noteAttached(prompt),
        signal: this.#newStop(),
        isKept: true,
        waitsForBackground,
        isWoken,
      });
      const result = await this.#whileHeld(this.#hear(this.#run.events()));
      for (const { resolve } of this.#answered) resolve(result);
      return result;
    } catch (error) {
      // If the run failed before it took the prompts, the next attempt would fail in the same way.
      if (this.#answered.length === 0) this.#takeMessages();
      for (const { reject } of this.#answered) reject(error);
      throw error;
    } finally {
      this.#answered = [];
      this.#attached.clear();
      this.#run = undefined;
      if (this.#parts.member.tree.hasNews) this.#wake();
    }
  }

  /** A session that another process took over can record nothing, so the run would wait forever. */
  #whileHeld<Result>(work: Promise<Result>): Promise<Result> {
    const lost = this.#options.session?.lost;
    if (lost === undefined) return work;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#stop.abort();
        reject(lost.reason as Error);
      };
      if (lost.aborted) stop();
      lost.addEventListener("abort", stop);
      void work.then(resolve, reject).finally(() => lost.removeEventListener("abort", stop));
    });
  }

  async #hear<Result>(events: AsyncGenerator<AgentEvent, Result, undefined>): Promise<Result> {
    for (;;) {
      const next = await events.next();
      if (next.done === true) return next.value;
      this.#report(next.value);
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
    this.#parts.conversation.saveStates();
  }

  #newStop(): AbortSignal {
    this.#stop = new AbortController();
    return this.#stop.signal;
  }

  /** A listener that throws must not end the agent. */
  #report(event: AgentEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch (error) {
      process.emitWarning(`The onEvent listener threw an error: ${String(error)}`, "RunaheadWarning");
    }
  }
}
