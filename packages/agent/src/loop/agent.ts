/** Many prompts on one conversation: what is said while it is busy waits, or interrupts, and nothing is lost. */

import type { Message } from "../model/message.ts";
import { compactNow } from "./compacting.ts";
import type { AgentEvent, Prompt, QueryResult } from "./event.ts";
import type { LoopOptions } from "./options.ts";
import { partsOf } from "./query.ts";
import { Run } from "./run.ts";
import { Tally } from "./tally.ts";

export interface AgentOptions extends LoopOptions {
  /** Hears everything, as it happens. */
  readonly onEvent?: (event: AgentEvent) => void;
}

export interface SendOptions {
  /** While it is busy: do not wait for the end of the turn. Calls that must not be cut still finish first. */
  readonly interrupt?: boolean;
}

export interface Agent {
  /** Resolves with the answer. While it is busy, the message follows the results of the turn under way. */
  send(prompt: Prompt, options?: SendOptions): Promise<QueryResult>;
  /** Goes on where it was stopped, or where a crash has left the session; without anything to answer it ends at once. */
  resume(): Promise<QueryResult>;
  /** Stops what is under way, keeps its results, and resolves when it has stopped. Messages that wait come next. */
  interrupt(): Promise<void>;
  /** Takes back the messages that wait. Their promises are rejected. */
  takeBack(): readonly Prompt[];
  /** Summarises the conversation; with words on what matters. Waits until nothing is under way. */
  compact(instructions?: string): Promise<boolean>;
  /** Interrupts, and closes the session. */
  close(): Promise<void>;
  readonly isBusy: boolean;
  readonly waiting: readonly Prompt[];
  readonly messages: readonly Message[];
}

export function createAgent(options: AgentOptions): Agent {
  return new ConversingAgent(options);
}

interface Letter {
  readonly prompt: Prompt;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

class ConversingAgent implements Agent {
  readonly #options: AgentOptions;
  readonly #parts: ReturnType<typeof partsOf>;
  /** Messages that nobody has taken in yet, and those that the run under way answers. */
  #waiting: Letter[] = [];
  #answered: Letter[] = [];
  #run: Run | undefined;
  #stop = new AbortController();
  /** What is to be done, one thing after the other, and what is being done now. */
  #work: Promise<unknown> = Promise.resolve();
  #underway: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#parts = partsOf(options);
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

  send(prompt: Prompt, { interrupt = false }: SendOptions = {}): Promise<QueryResult> {
    this.#checkOpen();
    const answer = new Promise<QueryResult>((resolve, reject) =>
      this.#waiting.push({ prompt, resolve, reject }),
    );
    // Who does not wait for an answer need not hear that there is none.
    answer.catch(() => {});
    if (this.#run === undefined) void this.#enqueue(() => this.#answerWaiting());
    else if (interrupt) this.#run.hurry();
    return answer;
  }

  resume(): Promise<QueryResult> {
    this.#checkOpen();
    return this.#enqueue(() => this.#perform(() => this.#answer()));
  }

  async interrupt(): Promise<void> {
    this.#stop.abort();
    await this.#underway;
  }

  takeBack(): readonly Prompt[] {
    const letters = this.#waiting.splice(0);
    for (const { reject } of letters) reject(new Error("The message was taken back."));
    return letters.map(({ prompt }) => prompt);
  }

  compact(instructions?: string): Promise<boolean> {
    this.#checkOpen();
    const asked = instructions === undefined ? {} : { instructions };
    return this.#enqueue(() =>
      this.#perform(() => {
        const wish = {
          manual: true,
          signal: this.#newStop(),
          tally: new Tally(this.#options.price),
          ...asked,
        };
        return this.#hear(compactNow(this.#parts, wish));
      }),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.takeBack();
    await this.interrupt();
    await this.#work;
    if (!this.#parts.conversation.isNew) await this.#parts.hooks.end();
    await this.#options.session?.close();
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Error("The agent is closed.");
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
    this.#run = new Run({ ...this.#parts, takeMessages: this.#takeMessages, signal: this.#newStop() });
    try {
      const result = await this.#hear(this.#run.events());
      for (const { resolve } of this.#answered) resolve(result);
      return result;
    } catch (error) {
      for (const { reject } of this.#answered) reject(error);
      throw error;
    } finally {
      this.#answered = [];
      this.#run = undefined;
    }
  }

  async #hear<Result>(events: AsyncGenerator<AgentEvent, Result, undefined>): Promise<Result> {
    for (;;) {
      const next = await events.next();
      if (next.done === true) return next.value;
      this.#tell(next.value);
    }
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
