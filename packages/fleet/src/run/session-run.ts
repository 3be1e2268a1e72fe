/** Runs one session on a worker: takes its lease and its mail, and works until there is nothing to do or it must wait. */

import {
  type Agent,
  type AgentEvent,
  ModelError,
  type Prompt,
  type QueryResult,
  type SessionMail,
  type SessionStore,
  createAgent,
} from "@runahead/agent";
import { type OpenStoredSession, StoreRefused, limitWorktreeSearch } from "@runahead/agent/internal";
import { isShape, messageOf, shapeOf } from "@runahead/base";
import { Cuts, countIn } from "./cuts.ts";
import { type PersonsAnswer, answerOf, parseMail } from "./mail.ts";
import type { LiveReport } from "./live.ts";
import { RUN, fail, openFree } from "./open.ts";
import { ask, hasAnswers } from "./questions.ts";
import type { AgentInRun, AgentSetup, MakeAgent } from "./setup.ts";
import { RunTimeline } from "./timeline.ts";

export interface RunPorts {
  /** The store of the session's tenant. */
  readonly store: SessionStore;
  readonly id: string;
  readonly agent: MakeAgent;
  /** The real path of the folder in which new sessions work. */
  readonly cwd: string;
  /** Calls the listener when mail can have come for this session. */
  readonly onMail: (listener: (mail?: string) => void) => () => void;
  /** Whether the run was found in the store: a worker that took it before can have died. */
  readonly wasLost: boolean;
  /** Aborted when the run should end after the current turn, for another worker to go on. */
  readonly handOver: AbortSignal;
  readonly live: LiveReport;
  /** Whether this run looks for what ended sessions left in this folder. */
  readonly cleansUp: (cwd: string) => boolean;
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
  | { readonly type: "taken" }
  /** Its journal or its mail was written by a newer version: only a worker of that version can go on. */
  | { readonly type: "too-new" };

/** The name of the entry that takes mail without an effect. */
const LATE_MAIL = "fleet:late";

const GOES_ON = new Set(["begun", "waiting"]);

/** While the model is not available, the next attempts come after these times; then the run ends. */
const MODEL_WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 60_000, 120_000, 300_000, 600_000];
const LONGEST_WAIT_MS = 3_600_000;
/** A short wait is not worth giving the session back. */
const RETRY = {
  attempts: 2,
  firstWaitMs: 250,
  longestWaitMs: 500,
  longestServerWaitMs: 500,
  random: Math.random,
};
const CLOSE_MS = 10_000;

/** How often a run looks for mail and takes none before it leaves the session to the next look into the store. */
const IDLE_RUNS = 2;

export async function runSession(ports: RunPorts): Promise<RunEnd> {
  for (let idle = 0; ; ) {
    const session = await openFree(ports);
    if ("type" in session) return session;
    ports.live.begin(session.end);
    const run = new SessionRun(ports, session);
    const end = await run.run();
    // The wake-up of mail that came while the lease was held found a session in use, so this worker looks once more.
    if (end.type === "taken" || end.type === "too-new" || run.isResting || !session.hasMail) return end;
    if (ports.handOver.aborted) return { type: "handed-over" };
    idle = run.hasTakenMail ? 0 : idle + 1;
    if (idle >= IDLE_RUNS) return end;
  }
}

interface Began {
  readonly status: "begun";
  /** How often the model was not available in a row. */
  readonly failures: number;
  /** How many runs in a row ended with their worker, the later ones before a turn had ended. */
  readonly cuts?: number;
  /** The run was given back until then, in milliseconds since 1970. Otherwise it ended with its worker. */
  readonly until?: number;
}

class SessionRun {
  readonly #ports: RunPorts;
  readonly #session: OpenStoredSession;
  readonly #seen = new Set<string>();
  #agent: Agent | undefined;
  #timeline: RunTimeline | undefined;
  /** Prompts that were not given to the agent yet. */
  #prompts: { readonly prompt: Prompt; readonly mail: string }[] = [];
  #trace: string | undefined;
  #wasInterrupted = false;
  #hasNewerMail = false;
  readonly #cuts = new Cuts();
  #isResting = false;
  /** A call of the parked turn was answered and has not run yet. */
  #hasAnswers: boolean;
  #taking: Promise<void> = Promise.resolve();
  /** Prompts that were given to the agent while it was busy. */
  #sent: Promise<unknown>[] = [];

  constructor(ports: RunPorts, session: OpenStoredSession) {
    this.#ports = ports;
    this.#session = session;
    this.#hasAnswers = hasAnswers(session.parked);
  }

  /** Whether the session waits because its workers have died, also with its mail. */
  get isResting(): boolean {
    return this.#isResting;
  }

  get hasTakenMail(): boolean {
    return this.#seen.size > 0;
  }

  async run(): Promise<RunEnd> {
    const session = this.#session;
    const before = shapeOf(session.state?.[RUN]);
    let end: RunEnd;
    try {
      if (session.mail === undefined) await this.#takeMail();
      for (const one of session.mail ?? []) this.#take(one);
      // A run that goes on, after a crash or an answer, belongs to the trace of its prompt.
      if (GOES_ON.has(String(before["status"]))) this.#trace ??= traceIn(before);
      const wasCut = before["status"] === "begun" && !this.#wasInterrupted;
      const failures = countIn(before, "failures");
      const rest = wasCut ? this.#afterCut(before, failures) : undefined;
      end = rest ?? (await this.#work(wasCut, failures));
    } catch (error) {
      if (session.lost.aborted) end = { type: "taken" };
      else {
        this.#fail(messageOf(error));
        this.#ports.onNotice(`Session ${session.id} failed: ${messageOf(error)}`);
        end = { type: "done" };
      }
    }
    await within(CLOSE_MS, session.finish(session.lost.aborted ? {} : statusAfter(end)));
    const { aborted, reason } = session.lost;
    if (aborted && reason instanceof StoreRefused) return this.#refused(reason);
    if (aborted) return { type: "taken" };
    return this.#hasNewerMail && end.type !== "later" ? { type: "too-new" } : end;
  }

  /** What the run did since it was saved last is lost: its calls have an unknown outcome, as after a crash. */
  async #refused({ message }: StoreRefused): Promise<RunEnd> {
    const { store, id, onNotice } = this.#ports;
    await fail(store, id, message);
    onNotice(`Session ${id} failed: ${message}`);
    return { type: "done" };
  }

  async #work(wasCut: boolean, failures: number): Promise<RunEnd> {
    if (!wasCut && !this.#hasWork()) return this.#idle();
    if (this.#ports.handOver.aborted) return { type: "handed-over" };
    this.#note(this.#began(failures));
    // What ends the worker must not end it before it is counted.
    if (wasCut || this.#ports.wasLost) await this.#session.sync();
    const timeline = new RunTimeline(this.#session);
    this.#timeline = timeline;
    const setup = await this.#setup();
    try {
      for (let isCut = wasCut; ; isCut = false) {
        const result = await this.#answer(isCut);
        await this.#taking;
        const end = this.#endOf(result, failures);
        if (end !== undefined) return end;
        if (!this.#hasWork()) return this.#idle(result);
      }
    } finally {
      await this.#closeAgent(setup);
    }
  }

  /** Returns how the run ends if its worker died and it is too early to try again. Throws if that happened too often. */
  #afterCut(before: Readonly<Record<string, unknown>>, failures: number): RunEnd | undefined {
    const wait = this.#cuts.take(before);
    if (wait === undefined) return undefined;
    if (wait.isNew) this.#note(this.#began(failures, wait.at));
    this.#isResting = true;
    return { type: "later", at: wait.at };
  }

  #began(failures: number, until?: number): Began {
    return {
      status: "begun",
      failures,
      ...this.#cuts.state,
      ...(until === undefined ? {} : { until }),
      ...this.#traced(),
    };
  }

  #hasWork(): boolean {
    return this.#prompts.length > 0 || this.#hasAnswers;
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
    if (result.reason === "budget" && this.#ports.handOver.aborted) {
      this.#note(this.#began(failures, Date.now()));
      return { type: "handed-over" };
    }
    const { error } = result;
    if (error instanceof ModelError && error.isRetryable && failures < MODEL_WAITS_MS.length) {
      const waitMs = error.retryAfterMs ?? MODEL_WAITS_MS[failures] ?? 0;
      const at = Date.now() + Math.min(waitMs, LONGEST_WAIT_MS);
      this.#note(this.#began(failures + 1, at));
      return { type: "later", at };
    }
    return undefined;
  }

  #idle(result?: QueryResult): RunEnd {
    const isWaiting = this.#session.questions.length > 0;
    if (result !== undefined) {
      const { reason, detail, text } = result;
      const since = new Date().toISOString();
      this.#note(
        isWaiting
          ? { status: "waiting", since, ...this.#traced() }
          : { status: "ended", reason, detail, text },
      );
    }
    return { type: isWaiting ? "waiting" : "done" };
  }

  #traced(): { readonly trace?: string } {
    return this.#trace === undefined ? {} : { trace: this.#trace };
  }

  #note(run: Began | Readonly<Record<string, unknown>>): void {
    this.#session.append({ type: "state", name: RUN, data: run });
  }

  async #setup(): Promise<AgentInRun> {
    const { agent: make, store } = this.#ports;
    const session = this.#session;
    const create = (options: AgentSetup): Agent => this.#create(options);
    session.keepOpen(this.#trace);
    const leftByOthers = this.#ports.cleansUp(session.cwd);
    limitWorktreeSearch(session, leftByOthers ? "all" : session.end > 0 ? "own" : "none");
    const made = await make({ session, tenant: store.tenant, createAgent: create, ...this.#traced() });
    if ("agent" in made) return made;
    const { onClosed, ...options } = made;
    const agent = this.#create(options);
    return onClosed === undefined ? { agent } : { agent, onClosed };
  }

  #create({ onClosed: _closed, onEvent, budget, ...options }: AgentSetup): Agent {
    const { handOver } = this.#ports;
    this.#agent = createAgent({
      ...options,
      waitsForBackground: true,
      session: this.#session,
      retry: RETRY,
      ask,
      budget: {
        ...budget,
        // Read before each turn: the run ends between two turns, with nothing lost.
        get calls() {
          return handOver.aborted ? 0 : (budget?.calls ?? Number.MAX_SAFE_INTEGER);
        },
      },
      onEvent: (event) => {
        this.#timeline?.hear(event);
        if (event.type === "turn-ended" && this.#cuts.forget()) this.#note(this.#began(0));
        this.#sendHeld();
        this.#ports.live.hear(event, this.#session.turns ?? 0);
        this.#ports.onEvent(event);
        onEvent?.(event);
      },
    });
    return this.#agent;
  }

  async #answer(isCut: boolean): Promise<QueryResult | undefined> {
    const agent = this.#agent as Agent;
    // What a person has answered comes first: a prompt would give the parked turn up.
    const continues = this.#hasAnswers && this.#session.parked !== undefined;
    this.#hasAnswers = false;
    const prompts = continues ? [] : this.#prompts.splice(0);
    if (continues || prompts.length > 0) this.#wasInterrupted = false;
    const stopListening = this.#ports.onMail((mail) => {
      // The mail that the run began with is announced too.
      if (mail === undefined || !this.#seen.has(mail)) void this.#takeMail();
    });
    try {
      const results = prompts.map(({ prompt, mail }) => {
        this.#session.delivers(prompt, mail);
        return agent.send(prompt);
      });
      if (results.length === 0 && (isCut || continues)) results.push(agent.resume());
      const result = (await Promise.all(results)).at(-1);
      // The agent goes on by itself with prompts that came too late for this answer.
      for (let sent = 0; sent < this.#sent.length; ) {
        sent = this.#sent.length;
        await Promise.allSettled(this.#sent);
      }
      return result;
    } finally {
      stopListening();
    }
  }

  /** Reads the inbox. Reads one after the other, so that mail is taken in order. */
  #takeMail(): Promise<void> {
    this.#taking = this.#taking.then(async () => {
      const { store, id } = this.#ports;
      const mail = await store.inbox(id).catch(() => []);
      for (const one of mail) this.#take(one);
    });
    return this.#taking;
  }

  /** Mail is taken in order, so what comes after mail of a newer version waits too. */
  #take({ id, body }: SessionMail): void {
    if (this.#session.lost.aborted || this.#hasNewerMail || this.#seen.has(id)) return;
    if (this.#session.hasTaken(id)) {
      this.#seen.add(id);
      return this.#drop(id);
    }
    const mail = parseMail(body);
    this.#hasNewerMail = mail.type === "newer";
    if (!this.#hasNewerMail) this.#seen.add(id);
    switch (mail.type) {
      case "newer":
        return;
      case "malformed":
        this.#ports.onNotice(`Session ${this.#session.id}: dropped mail ${id}, which is malformed.`);
        return this.#drop(id);
      case "prompt":
        this.#trace ??= mail.trace;
        return this.#prompt(mail.prompt, id);
      case "answer":
        return this.#takeAnswer(mail.question, mail.answer, id);
      case "interrupt":
        if (!this.#isAtWork()) return this.#drop(id);
        this.#session.append({ type: "state", name: RUN, data: { status: "interrupted" }, mail: id });
        this.#wasInterrupted = true;
        // A lost session never stops by itself; the run ends in another way then.
        void this.#agent?.interrupt().catch(() => {});
    }
  }

  /** Takes mail without an effect. */
  #drop(mail: string): void {
    this.#session.append({ type: "state", name: LATE_MAIL, set: {}, unset: [], mail });
  }

  /** A session that has ended, or that waits for a person, has nothing to stop and keeps its status. */
  #isAtWork(): boolean {
    return this.#agent !== undefined || runStatus(this.#session.state?.[RUN]) === "begun";
  }

  /** The first answer counts. One that comes twice or too late takes its mail and has no effect. */
  #takeAnswer(question: string, given: PersonsAnswer, mail: string): void {
    const session = this.#session;
    if (!session.questions.some(({ id }) => id === question)) return this.#drop(mail);
    const { by } = given;
    const who = by === undefined ? {} : { by };
    session.append({ type: "answered", id: question, answer: answerOf(given), ...who, mail });
    this.#hasAnswers = true;
  }

  #prompt(prompt: Prompt, mail: string): void {
    this.#prompts.push({ prompt, mail });
    this.#sendHeld();
  }

  /** Sends prompts to the agent at work, but not while it continues a parked turn: they would give that turn up. */
  #sendHeld(): void {
    const agent = this.#agent;
    if (this.#prompts.length === 0 || agent === undefined || !agent.isBusy) return;
    if (this.#session.parked !== undefined) return;
    for (const { prompt, mail } of this.#prompts.splice(0)) {
      this.#session.delivers(prompt, mail);
      // If the run ends before it takes the prompt, the prompt stays in the inbox and the session is run again.
      this.#sent.push(agent.send(prompt).catch(() => {}));
    }
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

async function closeQuietly(agent: Agent): Promise<void> {
  await agent.close().catch(() => {});
}

function traceIn({ trace }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof trace === "string" ? trace : undefined;
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
