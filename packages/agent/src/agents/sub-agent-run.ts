/** One sub-agent: its conversation, its journal, and what can be done with it while it works. */

import type { AnyTool } from "@runahead/engine";
import type { BackgroundTask } from "@runahead/base";
import type { Compacting } from "../loop/compacting.ts";
import type { AgentEvent, EndReason, Prompt, QueryResult } from "../loop/event.ts";
import { toolsNow } from "../loop/options.ts";
import { Run } from "../loop/run.ts";
import type { AgentState } from "./agent-info.ts";
import type { AgentRecord } from "./agent-record.ts";
import type { AgentTree } from "./agent-tree.ts";
import { asData } from "./as-data.ts";
import { Inbox } from "./inbox.ts";
import { Presence } from "./presence.ts";

export interface SubAgentParts {
  readonly record: AgentRecord;
  readonly tree: AgentTree;
  /** The parts of its conversation; its place in the tree has this presence. */
  readonly partsOf: (presence: Presence) => Compacting;
  /** Runs after its last turn, for example to describe and remove its worktree. Returns text for its result. */
  readonly afterwards?: () => Promise<string>;
  /** Messages that it had not read when it ended, if it continues without a journal. */
  readonly unread?: readonly string[];
  /** Adds its own hooks. Returns the function that removes them. */
  readonly addHooks?: () => () => void;
  /** Called before it works. The returned function is called when it has ended. */
  readonly begin?: (signal: AbortSignal) => Promise<() => Promise<void>>;
  /** Added to the result of an agent that finished, for the model. */
  readonly epilogue?: string;
}

export class SubAgent {
  readonly record: AgentRecord;
  readonly task: BackgroundTask;
  /** Called when its caller is no longer to wait for it. */
  onMoved: () => void = () => {};
  readonly #parts: SubAgentParts;
  readonly #presence: Presence;
  readonly #loop: Compacting;
  readonly #stop = new AbortController();
  readonly #inbox: Inbox;
  #why = "";
  #said = "";
  /** The result of a background agent that the model has not read. */
  #unread: string | undefined;
  #isSettled = false;
  #ended = deferred();

  constructor(parts: SubAgentParts) {
    this.#parts = parts;
    this.record = parts.record;
    this.#presence = new Presence(parts.tree.slots);
    this.#loop = parts.partsOf(this.#presence);
    this.#inbox = new Inbox(this.#loop.options.session, parts.unread ?? []);
    this.task = this.#asTask();
  }

  /** The messages that it has not read. */
  get unread(): readonly string[] {
    return this.#inbox.unread;
  }

  get hasJournal(): boolean {
    return this.#loop.options.session !== undefined;
  }

  /** The parts of its conversation, for a sub-agent that continues without a journal. */
  get loop(): Compacting {
    return this.#loop;
  }

  /** Lets it go on in the background, so that its call returns at once. Only for sub-agents of the main agent. */
  moveToBackground(): boolean {
    const { record } = this;
    if (record.isBackground || record.isOver || record.parent !== undefined) return false;
    record.isBackground = true;
    this.onMoved();
    return true;
  }

  /** Adds a message that it reads after its current turn. */
  send(text: string): void {
    this.#inbox.add(text);
  }

  /** `why` goes into its result. */
  stop(why: string): void {
    this.#why = why;
    this.#stop.abort();
  }

  /** Works on the prompt until it is done. Resolves with the text for the model; never rejects. */
  async run(prompt: string, { signal, report }: { signal: AbortSignal; report: Report }): Promise<string> {
    const { record, tree } = this.#parts;
    const either = AbortSignal.any([signal, this.#stop.signal]);
    this.#inbox.add(prompt);
    record.state = "waiting";
    tree.enter(this);
    report({ type: "agent-started", description: record.description, isBackground: record.isBackground });
    let text = "";
    let state: AgentState = "failed";
    const removeHooks = this.#parts.addHooks?.();
    let finish: (() => Promise<void>) | undefined;
    try {
      const isIn = await this.#presence.begin(either);
      if (isIn) finish = await this.#parts.begin?.(either);
      const result = isIn ? await this.#work(either, report) : undefined;
      state = stateOf(result);
      const more = await this.#afterwards();
      record.end(state);
      text = [this.#resultOf(result, state), more].filter((part) => part !== "").join("\n\n");
    } catch (error) {
      const more = await this.#afterwards();
      record.end(state);
      const failed = `[Incomplete: the sub-agent failed: ${String(error)}. ${record.summary(this.#cwd)}.]`;
      text = [failed, more].filter((part) => part !== "").join("\n\n");
    } finally {
      removeHooks?.();
      await finish?.().catch(() => {});
      this.#presence.end();
      this.#unread = text;
      // The end of a background agent is recorded when its result has reached the model.
      if (!record.isBackground) await this.settle();
      tree.leave(this);
      this.#ended.resolve();
    }
    return text;
  }

  async #afterwards(): Promise<string> {
    return (await this.#parts.afterwards?.().catch((error: unknown) => `[${String(error)}]`)) ?? "";
  }

  get #cwd(): string {
    return this.#loop.conversation.context.cwd;
  }

  /** A message that arrives while the last response ends starts another run. */
  async #work(signal: AbortSignal, report: Report): Promise<QueryResult> {
    const { record } = this.#parts;
    record.begin();
    for (;;) {
      const takeMessages = (): readonly Prompt[] => this.#inbox.take();
      const result = await this.#hear(new Run({ ...this.#loop, takeMessages, signal }), report);
      if (this.#inbox.unread.length === 0 || result.reason !== "completed" || signal.aborted) return result;
    }
  }

  async #hear(run: Run, report: Report): Promise<QueryResult> {
    const { record } = this.#parts;
    const before = record.costUsd;
    const events = run.events();
    for (;;) {
      const next = await events.next();
      if (next.done === true) {
        const { costUsd } = next.value;
        record.costUsd = before === undefined || costUsd === undefined ? undefined : before + costUsd;
        return next.value;
      }
      const event = next.value;
      if (event.type === "text") this.#said += event.text;
      else if (event.type === "message-started") this.#said = "";
      record.hear(event, this.#tools, this.#cwd);
      // The end of a sub-agent in the foreground is the end of its call.
      if (event.type !== "ended" || record.isBackground) report(event);
    }
  }

  get #tools(): readonly AnyTool[] {
    return toolsNow(this.#loop.options);
  }

  /** Records the end. Never fails: what cannot be saved was reported. */
  async settle(): Promise<void> {
    const { session } = this.#loop.options;
    if (session === undefined || this.#isSettled) return;
    this.#isSettled = true;
    this.#inbox.save();
    session.append({ type: "agent-ended", state: this.record.state });
    await session.close();
  }

  /** Closes the journal. If the result has not reached the model, it does so when the session is continued. */
  async close(): Promise<void> {
    this.#inbox.save();
    await this.#loop.options.session?.close();
  }

  /** Returns the last message. If the sub-agent did not finish, returns why, what it did and what it wrote so far. */
  #resultOf(result: QueryResult | undefined, state: AgentState): string {
    const { record, epilogue = "" } = this.#parts;
    const { reason = "aborted_tools", detail = "", text = "" } = result ?? {};
    if (state === "finished" && text !== "")
      return [asData(text), epilogue].filter((part) => part !== "").join("\n\n");
    const did = record.summary(this.#cwd);
    const soFar = text || this.#said;
    const rest =
      soFar === "" ? "It had written nothing yet." : `What it had written so far:\n${asData(soFar)}`;
    if (result === undefined) return "Stopped before it started: it was waiting for a free slot.";
    if (state === "stopped")
      return `${this.#why === "" ? "Stopped" : `[${record.id} was stopped: ${this.#why}.] Stopped`} after ${did}.${this.#unreadWords()}\n${rest}`;
    const why = `${REASONS[reason]}${detail === "" ? "" : `: ${detail}`}`;
    return `[Incomplete: the sub-agent did not finish (${why}). ${did}.]\n${rest}`;
  }

  #unreadWords(): string {
    const count = this.unread.length;
    if (count === 0) return "";
    return ` It had not read ${count === 1 ? "a message" : `${count} messages`}, and reads ${count === 1 ? "it" : "them"} if it continues.`;
  }

  #asTask(): BackgroundTask {
    const { record } = this;
    const isRunning = (): boolean => !record.isOver;
    return {
      id: record.id,
      kind: "agent",
      description: `${record.type}: ${record.description}`,
      get isRunning() {
        return isRunning();
      },
      get state() {
        return record.state;
      },
      ended: this.#ended.promise,
      read: async () => {
        const text = this.#read();
        if (record.isOver) await this.settle();
        return text;
      },
      stop: async () => {
        const did = record.summary(this.#cwd);
        if (record.isOver) return `${record.id} had already ended (${record.state}).`;
        this.stop("TaskStop was called");
        await this.#ended.promise;
        this.takeUnread();
        await this.settle();
        return `Stopped ${record.id} after ${did}.`;
      },
    };
  }

  #read(): string {
    const { record } = this;
    const state = `${record.id} (${record.type}: ${record.description})`;
    if (!record.isOver)
      return `${state} is ${record.state}. Now: ${record.action}. So far: ${record.summary(this.#cwd)}.${this.#said === "" ? "" : `\nIt is writing:\n${asData(this.#said)}`}`;
    const text = this.#unread ?? "Its result was already returned.";
    this.#unread = undefined;
    return `${state} ended (${record.state}).\n${text}`;
  }

  /** Takes the result for a notification; undefined if the model has read it. */
  takeUnread(): string | undefined {
    const text = this.#unread;
    this.#unread = undefined;
    return text;
  }
}

/** Receives the events of a sub-agent. */
export type Report = (event: AgentEvent) => void;

/** Why a sub-agent did not finish, for the model that started it. */
const REASONS: Readonly<Record<EndReason, string>> = {
  completed: "it ended without a message",
  max_turns: "turn limit reached",
  aborted_streaming: "stopped",
  aborted_tools: "stopped",
  hook_stopped: "stopped by a hook",
  deferred: "a question is not answered yet",
  model_error: "its model failed",
  budget: "budget reached",
};

const STOPPED: ReadonlySet<EndReason> = new Set(["aborted_streaming", "aborted_tools"]);

function stateOf(result: QueryResult | undefined): AgentState {
  if (result === undefined || STOPPED.has(result.reason)) return "stopped";
  return result.reason === "completed" && result.text !== "" ? "finished" : "failed";
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
