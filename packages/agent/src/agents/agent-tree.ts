/** All sub-agents of one session: who they are, how many work at once, what they spent, and what the model must still hear. */

import { type Locks, type LocksOptions, createLocks } from "@runahead/engine";
import type { BackgroundTask, BackgroundTasks } from "@runahead/base";
import type { AgentEvent } from "../loop/event.ts";
import { NOTHING_SPENT, type Spent, type Tally, sumOf } from "../loop/tally.ts";
import type { Session } from "../session/session.ts";
import type { AgentInfo } from "./agent-info.ts";
import type { AgentRecord } from "./agent-record.ts";
import { AskLine } from "./ask-line.ts";
import type { SubAgent } from "./sub-agent-run.ts";
import { Slots } from "./slots.ts";
import { Worktrees } from "./worktrees.ts";
import { TreeCache } from "./tree-cache.ts";

export const DEFAULT_AGENTS = 10;
/** How many ended sub-agents without a journal can still be continued. */
const KEPT_AGENTS = 32;
const ID = /^agent-(\d+)$/;

export interface TreeParts {
  readonly session?: Session | undefined;
  /** Background work of tools. */
  readonly background?: BackgroundTasks | undefined;
  readonly locks?: Locks | undefined;
  /** How many calls run at a time, over all agents. */
  readonly maxCalls?: number | undefined;
  readonly limits?: LocksOptions["limits"] | undefined;
}

/** A fact, or a function that returns it; undefined if the model knows it by then. */
type NewsText = string | (() => string | undefined);

/** Facts for the main agent's model. `done` must be called once they are part of the saved conversation. */
export interface News {
  readonly texts: readonly string[];
  done(): void;
}

/** Continues a sub-agent that has ended, in the background. Resolves when it has started. */
export type Continue = (id: string, text: string) => Promise<void>;

export class AgentTree {
  readonly slots = new Slots(DEFAULT_AGENTS);
  readonly questions = new AskLine();
  /** Shared by the executors of all agents, so that only calls that conflict wait for each other. */
  readonly locks: Locks;
  /** The cache of tools with `cache`. */
  readonly cache: TreeCache;
  readonly session: Session | undefined;
  readonly worktrees: Worktrees;
  readonly background: BackgroundTasks | undefined;
  readonly #records = new Map<string, AgentRecord>();
  readonly #running = new Map<string, SubAgent>();
  readonly #ended = new Map<string, SubAgent>();
  readonly #news: { readonly text: NewsText; readonly taken?: () => void }[] = [];
  readonly #newsFor = new Map<string, readonly (() => string)[]>();
  /** Receives the events of background agents. */
  onEvent: (event: AgentEvent) => void = () => {};
  /** Called when there is news for the main agent. */
  onNews: () => void = () => {};
  /** Whether sub-agents that a crash interrupted were already looked for. */
  hasLookedBack = false;
  /** Set by the tool that can start sub-agents, for messages of the user. */
  continueAgent: Continue | undefined;
  /** What background agents spent while the main agent was idle. */
  #unclaimed = NOTHING_SPENT;
  #tally: Tally | undefined;
  #lastNumber: Promise<number> | undefined;
  #number = 0;
  /** A task of a tool ended. The source of reminders knows how. */
  #hasEndedTasks = false;
  #listening: (() => void) | undefined;

  constructor({ session, background, locks, maxCalls, limits }: TreeParts = {}) {
    const wanted = {
      ...(maxCalls === undefined ? {} : { maxConcurrency: maxCalls }),
      ...(limits === undefined ? {} : { limits }),
    };
    this.locks = locks ?? createLocks(wanted);
    this.session = session;
    this.worktrees = new Worktrees(session);
    this.background = background;
    this.cache = new TreeCache({ locks: this.locks, isShared: locks !== undefined, background });
    background?.reach?.((id) => this.#agentTask(id));
    this.#listening = background?.onEnded((task) => this.#taskEnded(task));
  }

  /** Returns an id that no other sub-agent of the session has or had. */
  async newId(): Promise<string> {
    this.#lastNumber ??= this.#findLastNumber();
    const last = await this.#lastNumber;
    this.#number = Math.max(this.#number, last);
    return `agent-${++this.#number}`;
  }

  async #findLastNumber(): Promise<number> {
    const ids = (await this.session?.agents?.ids()) ?? [];
    return Math.max(0, ...ids.map((id) => Number(ID.exec(id)?.[1] ?? 0)));
  }

  get infos(): readonly AgentInfo[] {
    return [...this.#records.values()].map(({ info }) => info);
  }

  record(id: string): AgentRecord | undefined {
    return this.#records.get(id);
  }

  running(id: string): SubAgent | undefined {
    return this.#running.get(id);
  }

  /** A sub-agent of this process that has ended, if it is still kept. */
  kept(id: string): SubAgent | undefined {
    return this.#ended.get(id);
  }

  enter(agent: SubAgent): void {
    this.#records.set(agent.record.id, agent.record);
    this.#running.set(agent.record.id, agent);
    this.#ended.delete(agent.record.id);
  }

  leave(agent: SubAgent): void {
    const { id } = agent.record;
    this.#running.delete(id);
    if (agent.hasJournal && !agent.record.isBackground) return;
    this.#ended.set(id, agent);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > KEPT_AGENTS && oldest !== undefined) this.#ended.delete(oldest);
  }

  /** The sub-agents in the background that are at work, as tasks, and the tasks of tools. */
  tasks(): readonly BackgroundTask[] {
    return [...(this.background?.list() ?? []), ...this.backgroundAgents().map((agent) => agent.task)];
  }

  backgroundAgents(): readonly SubAgent[] {
    return [...this.#running.values()].filter(({ record }) => record.isBackground);
  }

  /** Lets the sub-agents that calls of the main agent wait for go on in the background. Returns those that do. */
  moveToBackground(id?: string): readonly AgentRecord[] {
    const chosen = [...this.#running.values()].filter(({ record }) => id === undefined || record.id === id);
    return chosen.filter((agent) => agent.moveToBackground()).map(({ record }) => record);
  }

  task(id: string): BackgroundTask | undefined {
    return this.#agentTask(id) ?? this.background?.list().find((task) => task.id === id);
  }

  #agentTask(id: string): BackgroundTask | undefined {
    const agent = this.#running.get(id) ?? this.#ended.get(id);
    return agent?.task ?? this.#endedTask(id);
  }

  #endedTask(id: string): BackgroundTask | undefined {
    const record = this.#records.get(id);
    if (record === undefined) return undefined;
    const said = async (): Promise<string> => `${id} has ended (${record.state}).`;
    const { description, state } = record;
    const words = { id, kind: "agent", description, state } as const;
    return { ...words, isRunning: false, ended: Promise.resolve(), read: said, stop: said };
  }

  /** Adds a fact for the main agent's model. `taken` runs once it is part of the saved conversation. */
  addNews(text: NewsText, taken?: () => void): void {
    this.#news.push({ text, ...(taken === undefined ? {} : { taken }) });
    this.onNews();
  }

  /** Adds a fact for the model of a sub-agent that can go on. */
  addNewsFor(id: string, text: () => string): void {
    this.#newsFor.set(id, [...(this.#newsFor.get(id) ?? []), text]);
  }

  /** Removes and returns the facts for a sub-agent's model. */
  takeNewsFor(id: string): readonly string[] {
    const news = this.#newsFor.get(id) ?? [];
    this.#newsFor.delete(id);
    return news.map((text) => text());
  }

  get hasNews(): boolean {
    return this.#news.length > 0 || this.#hasEndedTasks;
  }

  /** Removes and returns the news. */
  takeNews(): News {
    const news = this.#news.splice(0);
    this.#hasEndedTasks = false;
    const texts = news.map(({ text }) => (typeof text === "string" ? text : text()));
    return {
      texts: texts.filter((text) => text !== undefined),
      done: () => {
        for (const { taken } of news) taken?.();
      },
    };
  }

  /** Counts what sub-agents spend with the prompt that is being answered, or else with the next one. */
  spent(spent: Spent): void {
    this.#record(spent);
    if (this.#tally !== undefined) this.#tally.addSpent(spent);
    else this.#unclaimed = sumOf(this.#unclaimed, spent);
  }

  /** What a session has used includes its sub-agents, also when it is continued. */
  #record({ usage, costUsd }: Spent): void {
    if (this.session === undefined || Object.values(usage).every((count) => count === 0)) return;
    try {
      const cost = costUsd === undefined ? {} : { costUsd };
      this.session.append({ type: "spent", purpose: "sub-agents", usage, ...cost });
    } catch {
      // The session is closed, and nothing of it is saved any more.
    }
  }

  /** The tally of the prompt that is being answered. Budgets hold for it and all sub-agents together. */
  get tally(): Tally | undefined {
    return this.#tally;
  }

  set tally(tally: Tally | undefined) {
    this.#tally = tally;
    if (tally === undefined) return;
    tally.addSpent(this.#unclaimed);
    this.#unclaimed = NOTHING_SPENT;
  }

  /** Resolves when a background agent has ended, there is news, or `signal` is aborted. */
  async backgroundChange(signal: AbortSignal): Promise<void> {
    const stopped = new AbortController();
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true, signal: stopped.signal });
    });
    await Promise.race([aborted, ...this.backgroundAgents().map(({ task }) => task.ended)]);
    stopped.abort();
  }

  /** Stops one sub-agent and leaves the others at work. Returns false if it is not at work. */
  stop(id: string, why: string): boolean {
    const agent = this.#running.get(id);
    agent?.stop(why);
    return agent !== undefined;
  }

  /** Stops everything that still runs. Resolves when it has ended. */
  async close(): Promise<void> {
    this.#listening?.();
    this.onNews = () => {};
    const all = [...this.#running.values()];
    for (const agent of all) agent.stop("the session ended");
    await Promise.all(all.map(({ task }) => task.ended));
    await Promise.all([...this.#ended.values()].map((agent) => agent.close()));
    await this.worktrees.close();
  }

  #taskEnded({ id, kind, description, state }: BackgroundTask): void {
    this.#hasEndedTasks = true;
    this.onEvent({ type: "task-ended", id, kind, description, state });
    this.onNews();
  }
}
