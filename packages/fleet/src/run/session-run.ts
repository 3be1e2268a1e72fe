/** Runs one session on a worker: takes its lease and its mail, and works until there is nothing to do or it must wait. */

import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type Agent,
  type AgentEvent,
  type Model,
  ModelError,
  type Prompt,
  type QueryResult,
  type SessionMail,
  type SessionStore,
  createAgent,
  scripted,
} from "@runahead/agent";
import { type OpenStoredSession, openStored } from "@runahead/agent/internal";
import type { Question } from "@runahead/engine";
import { isShape, messageOf, shapeOf } from "@runahead/base";
import { type MailBody, parseMail } from "./mail.ts";
import { type KeptQuestion, Questions, approvedId, deniedWords, waitingWords } from "./questions.ts";
import type { AgentInRun, AgentSetup, MakeAgent } from "./setup.ts";
import { RunTimeline } from "./timeline.ts";

export interface RunPorts {
  /** The store of the session's tenant. */
  readonly store: SessionStore;
  readonly id: string;
  readonly agent: MakeAgent;
  readonly cwd: string;
  /** Calls the listener when mail can have come for this session. */
  readonly onMail: (listener: () => void) => () => void;
  /** Aborted when the run should end after the current turn, for another worker to go on. */
  readonly handOver: AbortSignal;
  readonly onNotice: (message: string) => void;
  readonly onEvent: (event: AgentEvent) => void;
}

/** How a run ended. */
export type RunEnd =
  /** There is nothing to do. */
  | { readonly type: "done" }
  /** A person must answer. */
  | { readonly type: "waiting" }
  /** It goes on by itself. */
  | {
      readonly type: "later";
      /** When, in milliseconds since 1970. */
      readonly at: number;
    }
  /** Another worker should go on. */
  | { readonly type: "handed-over" }
  /** Another worker runs it, or has taken it over. */
  | { readonly type: "taken" };

/** The name of the run among the states of a session. */
export const RUN = "fleet:run";

/** While the model is not available, the next attempts come after these times; then the run ends. */
const MODEL_WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 60_000, 120_000, 300_000, 600_000];
const LONGEST_WAIT_MS = 3_600_000;
/** A short wait is not worth giving the session back. */
const RETRY = { attempts: 2, firstWaitMs: 250, longestWaitMs: 500, random: Math.random };
const CLOSE_MS = 10_000;

export async function runSession(ports: RunPorts): Promise<RunEnd> {
  for (;;) {
    const session = await openFree(ports);
    if (session === undefined) return { type: "taken" };
    const end = await new SessionRun(ports, session).run();
    // The wake-up of mail that came while the lease was held found a session in use, so this worker looks once more.
    const { length } = end.type === "taken" ? [] : await ports.store.inbox(ports.id);
    if (length === 0) return end;
    if (ports.handOver.aborted) return { type: "handed-over" };
  }
}

async function openFree({ store, id, cwd, onNotice }: RunPorts): Promise<OpenStoredSession | undefined> {
  try {
    return await openStored({ store, cwd, onNotice }, id);
  } catch (error) {
    if (error instanceof Error && (error.name === "SessionLocked" || error.name === "LeaseLost"))
      return undefined;
    throw error;
  }
}

interface Began {
  readonly status: "begun";
  /** How often the model was not available in a row. */
  readonly failures: number;
}

class SessionRun {
  readonly #ports: RunPorts;
  readonly #session: OpenStoredSession;
  readonly #questions: Questions;
  readonly #seen = new Set<string>();
  #agent: Agent | undefined;
  #timeline: RunTimeline | undefined;
  #approved: readonly KeptQuestion[] = [];
  /** Prompts that were not given to the agent yet. */
  #prompts: { readonly prompt: Prompt; readonly mail: string }[] = [];
  #trace: string | undefined;
  #wasInterrupted = false;
  #hasAsked = false;
  #taking: Promise<void> = Promise.resolve();
  /** Prompts that were given to the agent while it was busy. */
  #sent: Promise<unknown>[] = [];

  constructor(ports: RunPorts, session: OpenStoredSession) {
    this.#ports = ports;
    this.#session = session;
    this.#questions = new Questions(session);
  }

  async run(): Promise<RunEnd> {
    const session = this.#session;
    const before = shapeOf(session.state?.[RUN]);
    let end: RunEnd;
    try {
      await this.#takeMail();
      const wasCut = before["status"] === "begun" && !this.#wasInterrupted;
      end = await this.#work(wasCut, Number(before["failures"] ?? 0) || 0);
    } catch (error) {
      if (session.lost.aborted) end = { type: "taken" };
      else {
        this.#fail(messageOf(error));
        this.#ports.onNotice(`Session ${session.id} failed: ${messageOf(error)}`);
        end = { type: "done" };
      }
    }
    if (!session.lost.aborted) session.endsAs(statusAfter(end));
    await within(CLOSE_MS, session.close());
    return session.lost.aborted ? { type: "taken" } : end;
  }

  async #work(wasCut: boolean, failures: number): Promise<RunEnd> {
    if (!wasCut && !this.#hasWork()) return this.#idle();
    if (this.#ports.handOver.aborted) return { type: "handed-over" };
    this.#note({ status: "begun", failures });
    const timeline = new RunTimeline(this.#session);
    this.#timeline = timeline;
    const setup = await this.#setup();
    try {
      for (let mustResume = wasCut; ; ) {
        const result = await this.#answer(mustResume);
        await this.#taking;
        const end = this.#endOf(result, failures);
        if (end !== undefined) return end;
        // A prompt that came in the turn that asked is in the conversation, but the run ended before it was answered.
        mustResume = this.#hasAsked && this.#sent.splice(0).length > 0;
        if (!mustResume && !this.#hasWork()) return this.#idle(result);
      }
    } finally {
      await this.#closeAgent(setup);
      await within(CLOSE_MS, timeline.close());
    }
  }

  #hasWork(): boolean {
    return this.#prompts.length > 0 || this.#answered().length > 0;
  }

  #answered() {
    return this.#questions.takeAnswered(this.#agent?.messages ?? this.#session.messages);
  }

  /** A run that cannot even begin takes its mail all the same, or it would be tried again and again. */
  #fail(detail: string): void {
    const data = { status: "failed", detail };
    for (const { mail } of this.#prompts) this.#session.append({ type: "state", name: RUN, data, mail });
    if (this.#prompts.length === 0) this.#note(data);
  }

  /** Undefined if the run can go on or is done. */
  #endOf(result: QueryResult | undefined, failures: number): RunEnd | undefined {
    if (this.#wasInterrupted || result === undefined) return undefined;
    if (result.reason === "budget" && this.#ports.handOver.aborted) return { type: "handed-over" };
    const { error } = result;
    if (error instanceof ModelError && error.isRetryable && failures < MODEL_WAITS_MS.length) {
      this.#note({ status: "begun", failures: failures + 1 });
      const waitMs = error.retryAfterMs ?? MODEL_WAITS_MS[failures] ?? 0;
      return { type: "later", at: Date.now() + Math.min(waitMs, LONGEST_WAIT_MS) };
    }
    return undefined;
  }

  #idle(result?: QueryResult): RunEnd {
    const isWaiting = this.#questions.open.length > 0;
    if (result !== undefined) {
      const { reason, detail, text } = result;
      this.#note(isWaiting ? { status: "waiting" } : { status: "ended", reason, detail, text });
    }
    return { type: isWaiting ? "waiting" : "done" };
  }

  #note(run: Began | Readonly<Record<string, unknown>>): void {
    this.#session.append({ type: "state", name: RUN, data: run });
  }

  async #setup(): Promise<AgentInRun> {
    const { agent: make, store } = this.#ports;
    const session = this.#session;
    const trace = this.#trace === undefined ? {} : { trace: this.#trace };
    const create = (options: AgentSetup): Agent => this.#create(options);
    const shown = keptOpen(session, this.#trace);
    const made = await make({ session: shown, tenant: store.tenant, createAgent: create, ...trace });
    if ("agent" in made) return made;
    const { onClosed, ...options } = made;
    const agent = this.#create(options);
    return onClosed === undefined ? { agent } : { agent, onClosed };
  }

  #create({ onClosed: _closed, onEvent, model, budget, ...options }: AgentSetup): Agent {
    const mustEnd = (): boolean => this.#hasAsked || this.#ports.handOver.aborted;
    this.#agent = createAgent({
      ...options,
      waitsForBackground: true,
      model: this.#withApproved(model),
      session: keptOpen(this.#session, this.#trace),
      retry: RETRY,
      ask: (question) => this.#ask(question),
      budget: {
        ...budget,
        // Read before each turn: the run ends between two turns, with nothing lost.
        get calls() {
          return mustEnd() ? 0 : (budget?.calls ?? Number.MAX_SAFE_INTEGER);
        },
      },
      onEvent: (event) => {
        this.#timeline?.hear(event);
        this.#ports.onEvent(event);
        onEvent?.(event);
      },
    });
    return this.#agent;
  }

  async #answer(isCut: boolean): Promise<QueryResult | undefined> {
    const agent = this.#agent as Agent;
    this.#hasAsked = false;
    const answered = this.#answered();
    this.#approved = answered.filter(({ answer }) => answer?.behavior === "allow");
    const prompts = this.#prompts.splice(0);
    if (prompts.length > 0 || answered.length > 0) this.#wasInterrupted = false;
    const denied = answered.filter(({ answer }) => answer?.behavior === "deny").map(deniedWords);
    const stopListening = this.#ports.onMail(() => void this.#takeMail());
    try {
      const results = [
        ...denied.map((text) => agent.send(text)),
        ...prompts.map(({ prompt, mail }) => {
          this.#session.delivers(prompt, mail);
          return agent.send(prompt);
        }),
      ];
      if (results.length === 0 && (isCut || this.#approved.length > 0)) results.push(agent.resume());
      const result = (await Promise.all(results)).at(-1);
      // The agent goes on by itself with prompts that came too late for this answer.
      for (let sent = 0; sent < this.#sent.length; ) {
        sent = this.#sent.length;
        await Promise.allSettled(this.#sent);
      }
      return result;
    } finally {
      stopListening();
      this.#approved = [];
    }
  }

  /** The model's first response is the approved calls: they are made as they were asked about. */
  #withApproved(model: Model): Model {
    const stream: Model["stream"] = (request, signal) => {
      const approved = this.#approved;
      this.#approved = [];
      if (approved.length === 0) return model.stream(request, signal);
      const calls = approved.map((question) => {
        const { toolName: name, input } = question;
        return { type: "tool_use", id: approvedId(question), name, input };
      });
      return scripted([calls]).stream(request, signal);
    };
    const { name } = model;
    return { name, stream, ...(model.facts === undefined ? {} : { facts: model.facts }) };
  }

  #ask({ callId, tool, input, reason }: Question) {
    // The model's provider chooses the ids of calls, so an id alone proves nothing.
    const wasApproved = this.#questions.all.some(
      (one) =>
        one.answer?.behavior === "allow" &&
        approvedId(one) === callId &&
        one.toolName === tool.name &&
        isDeepStrictEqual(one.input, input),
    );
    if (wasApproved) return { behavior: "allow" } as const;
    const id = randomUUID().slice(0, 13);
    this.#questions.ask({ id, callId, toolName: tool.name, input, reason });
    this.#hasAsked = true;
    const message = waitingWords(id);
    return { behavior: "deny", message, endTurn: false, isUnanswered: true } as const;
  }

  /** Reads the inbox. Reads one after the other, so that mail is taken in order. */
  #takeMail(): Promise<void> {
    this.#taking = this.#taking.then(async () => {
      const { store, id } = this.#ports;
      const mail = await store.inbox(id).catch(() => []);
      for (const one of mail) if (!this.#seen.has(one.id)) this.#take(one);
    });
    return this.#taking;
  }

  #take({ id, body }: SessionMail): void {
    this.#seen.add(id);
    if (this.#session.lost.aborted) return;
    const mail: MailBody = parseMail(body) ?? { type: "interrupt" };
    switch (mail.type) {
      case "prompt":
        this.#trace ??= mail.trace;
        return this.#prompt(mail.prompt, id);
      case "answer":
        return void this.#questions.answer(mail.question, mail.answer, id);
      case "interrupt":
        this.#session.append({ type: "state", name: RUN, data: { status: "interrupted" }, mail: id });
        this.#wasInterrupted = true;
        // A lost session never stops by itself; the run ends in another way then.
        void this.#agent?.interrupt().catch(() => {});
    }
  }

  #prompt(prompt: Prompt, mail: string): void {
    const agent = this.#agent;
    if (agent === undefined || !agent.isBusy || this.#hasAsked)
      return void this.#prompts.push({ prompt, mail });
    this.#session.delivers(prompt, mail);
    // If the run ends before it takes the prompt, the prompt stays in the inbox and the session is run again.
    this.#sent.push(agent.send(prompt).catch(() => {}));
  }

  async #closeAgent({ onClosed }: AgentInRun): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    if (agent === undefined) return;
    agent.takeBack();
    await within(CLOSE_MS, closeQuietly(agent));
    await onClosed?.();
  }
}

/**
 * The agent must not close the session: what it becomes is decided after the agent has ended. The trace becomes part of the
 * context that calls share, which workers on other machines receive too.
 */
function keptOpen(session: OpenStoredSession, trace: string | undefined): OpenStoredSession {
  return new Proxy(session, {
    get(target, name) {
      if (name === "close") return () => target.sync();
      if (name === "context" && trace !== undefined) return { ...target.context, traceparent: trace };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

async function closeQuietly(agent: Agent): Promise<void> {
  await agent.close().catch(() => {});
}

function statusAfter(end: RunEnd) {
  switch (end.type) {
    case "waiting":
      return { status: "waiting" } as const;
    case "later":
      return { status: "waiting", wakeAt: end.at } as const;
    case "handed-over":
      return { status: "running" } as const;
    default:
      return { status: "idle" } as const;
  }
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, limitMs)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** What a session's run is doing, according to its journal. */
export function runStatus(state: unknown): string {
  return isShape(state) && typeof state["status"] === "string" ? state["status"] : "new";
}
