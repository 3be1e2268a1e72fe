/** Agents as jobs: prompts, answers and interruptions go through the store, and any worker takes a session's next run. */

import { randomUUID } from "node:crypto";
import {
  type ListOptions,
  NoSuchSession,
  type OpenQuestion,
  type Prompt,
  type PostMailOptions,
  type SessionStore,
  type SessionSummary,
  checkSessionId,
} from "@runahead/agent";
import {
  type Check,
  aBoolean,
  aFunction,
  aNumberFromZero,
  aPrompt,
  aString,
  checkOptions,
  isShape,
  messageOf,
  required,
  shapeOf,
  wrong,
} from "@runahead/base";
import { type MailBody, type PersonsAnswer } from "../run/mail.ts";
import { readSession } from "../run/questions.ts";
import { RUN } from "../run/open.ts";
import { runStatus } from "../run/session-run.ts";
import { type Dispatcher, soon } from "./dispatcher.ts";
import { type FollowOptions, type SessionEvent, StoreWatch, followSession } from "./follow.ts";
import { LocalDispatcher } from "./local-dispatcher.ts";
import { type RedisConnection, checkRedisUrl } from "../redis-connection.ts";
import { RedisDispatcher } from "./redis-dispatcher.ts";

/** Options of {@link createAgentQueue}. */
export interface AgentQueueOptions {
  /** Where the sessions are, such as `fileStore()` or `postgres(url)`. All workers need the same one. */
  readonly store: SessionStore;
  /** The Redis server that connects the processes. Default: none, workers must be in this process. */
  readonly connection?: RedisConnection;
  /** The name of the queue on the server. Default: `agents`. */
  readonly name?: string;
  /** Receives problems that do not stop the work, such as a Redis server that cannot be reached. */
  readonly onNotice?: (message: string) => void;
}

/** Options of `start` and `send`. */
export interface PostOptions {
  /** Posting the same id to a session again has no effect, also after it was read. Default: a new id. */
  readonly mailId?: string;
  /** The W3C traceparent of the request, for telemetry. */
  readonly trace?: string;
}

/** What a session is doing. */
export interface SessionInfo {
  /** `new`, `begun`, `ended`, `waiting` (for a person), `interrupted` or `failed`. */
  readonly status: string;
  /** More about the status: why it ended, and the text of the last response. */
  readonly run: unknown;
  /** The questions that wait for a person. */
  readonly questions: readonly OpenQuestion[];
}

/** Sends work to agents and reads what they do. */
export interface AgentQueue {
  /** The tenant whose sessions it reaches. */
  readonly tenant: string;
  /** Returns the same queue for the sessions of another tenant. */
  forTenant(tenant: string): AgentQueue;
  /**
   * Creates a session with its first prompt. Durable when it resolves. Rejects with `SessionExists`, with a TypeError for an
   * invalid id, and with a RangeError for a prompt of more than 30 MB.
   */
  start(sessionId: string, prompt: Prompt, options?: PostOptions): Promise<void>;
  /**
   * Sends a prompt to a session. A session at work reads it after its current turn. One that waits for an answer continues
   * without it: the calls that asked do not run. Rejects with {@link NoSuchSession}.
   */
  send(sessionId: string, prompt: Prompt, options?: PostOptions): Promise<void>;
  /**
   * Stops the current run after its calls have stopped. Prompts that were sent later are answered. Has no effect on a session
   * that has ended or waits for a person.
   */
  interrupt(sessionId: string): Promise<void>;
  /**
   * Answers a question, from any process. The session continues, and its rules judge the call again: if they deny it now,
   * it does not run. The first answer counts. An answer that comes too late has no effect.
   */
  answer(sessionId: string, questionId: string, answer: PersonsAnswer): Promise<void>;
  /** Resolves with the questions of a session that wait for a person. */
  questions(sessionId: string): Promise<readonly OpenQuestion[]>;
  /** Resolves with what a session is doing. Rejects with {@link NoSuchSession}. */
  info(sessionId: string): Promise<SessionInfo>;
  /** Yields what happened in a session from a position on, and then what happens; with `deltas` also texts while they arrive. */
  events(sessionId: string, options?: FollowOptions): AsyncGenerator<SessionEvent, void, undefined>;
  /** Lists the sessions of the tenant, newest first. */
  list(options?: ListOptions): Promise<readonly SessionSummary[]>;
  /**
   * Resolves when the store and the Redis server respond. Rejects with what they say, such as that the password is wrong, or
   * with a {@link NotResponding} after three seconds.
   */
  ready(): Promise<void>;
  /** Closes the connections to the Redis server. The store stays open. */
  close(): Promise<void>;
}

/** The store or the Redis server of a queue did not respond in time. It may do so later. */
export class NotResponding extends Error {
  /** The name of the class. */
  override readonly name = "NotResponding";
}

/** A store, and not a path or `sessions()`, which is made from one. */
const aStore: Check = (value, what) => {
  const { lease, post } = shapeOf(value);
  if (!(typeof lease === "function" && typeof post === "function"))
    throw wrong(what, "a store, such as fileStore() or postgres(url)", value);
};

const OPTIONS: Readonly<Record<keyof AgentQueueOptions, Check>> = {
  store: required(aStore),
  connection: (value, what) => {
    if (value !== undefined && typeof value !== "string" && !isShape(value))
      throw wrong(what, 'a URL such as "redis://127.0.0.1:6379", or an object', value);
  },
  name: aString,
  onNotice: aFunction,
};
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** What workers need of a queue. */
export interface QueueParts {
  readonly store: SessionStore;
  readonly dispatcher: Dispatcher;
}

const PARTS = new WeakMap<AgentQueue, QueueParts>();

export function partsOf(queue: AgentQueue): QueueParts {
  const parts = PARTS.get(queue);
  if (parts === undefined) throw wrong("The queue", "made with createAgentQueue()", queue);
  return parts;
}

/**
 * Connects to a queue of agents. Everything that it sends is stored durably before the promise resolves, so that no prompt
 * is lost when a process, the Redis server or a worker dies.
 *
 * Throws a TypeError for invalid options.
 *
 * @example
 * ```ts
 * import { fileStore, scripted } from "@runahead/agent";
 * import { createAgentQueue, startAgentWorker } from "@runahead/fleet";
 *
 * const store = fileStore({ home: "/tmp/agent-queue" });
 * const queue = createAgentQueue({ store });
 * const worker = await startAgentWorker({
 *   queue,
 *   agent: () => ({ model: scripted([[{ type: "text", text: "Hello." }]]), tools: [] }),
 * });
 * const id = `hello-${Date.now()}`;
 * await queue.start(id, "Hi");
 * for await (const { entry } of queue.events(id)) {
 *   if (entry.type === "turn-ended") break;
 * }
 * await worker.drain();
 * await queue.close();
 * ```
 */
export function createAgentQueue(options: AgentQueueOptions): AgentQueue {
  checkOptions(options, OPTIONS, "createAgentQueue");
  const { store, connection, name = "agents", onNotice = () => {} } = options;
  if (!NAME.test(name))
    throw new TypeError(
      `createAgentQueue: "name" must be letters, digits, "-" or "_", got ${JSON.stringify(name)}.`,
    );
  checkRedisUrl(connection, 'createAgentQueue: "connection"');
  const dispatcher =
    connection === undefined ? new LocalDispatcher() : new RedisDispatcher({ connection, name, onNotice });
  return new StoredQueue(store, dispatcher, new Map());
}

class StoredQueue implements AgentQueue {
  readonly #store: SessionStore;
  readonly #dispatcher: Dispatcher;
  /** By tenant: all queues that belong together share them. */
  readonly #watches: Map<string, StoreWatch>;

  constructor(store: SessionStore, dispatcher: Dispatcher, watches: Map<string, StoreWatch>) {
    this.#store = store;
    this.#dispatcher = dispatcher;
    this.#watches = watches;
    PARTS.set(this, { store, dispatcher });
  }

  get tenant(): string {
    return this.#store.tenant;
  }

  forTenant(tenant: string): AgentQueue {
    return new StoredQueue(this.#store.forTenant(tenant), this.#dispatcher, this.#watches);
  }

  async start(sessionId: string, prompt: Prompt, options: PostOptions = {}): Promise<void> {
    checkSessionId(sessionId);
    checkOptions(options, POST, "start");
    await this.#post(sessionId, promptMail(prompt, options), { ...options, isNew: true });
  }

  async send(sessionId: string, prompt: Prompt, options: PostOptions = {}): Promise<void> {
    checkOptions(options, POST, "send");
    await this.#mustExist(sessionId);
    await this.#post(sessionId, promptMail(prompt, options), options);
  }

  async interrupt(sessionId: string): Promise<void> {
    await this.#mustExist(sessionId);
    await this.#post(sessionId, { type: "interrupt" });
  }

  async answer(sessionId: string, questionId: string, answer: PersonsAnswer): Promise<void> {
    required(aString)(questionId, "answer: the id of the question");
    if (answer?.behavior !== "allow" && answer?.behavior !== "deny")
      throw wrong(
        'The "behavior" of an answer',
        '"allow" or "deny"',
        (answer as Partial<PersonsAnswer> | null)?.behavior,
      );
    await this.#mustExist(sessionId);
    await this.#post(sessionId, { type: "answer", question: questionId, answer });
  }

  async questions(sessionId: string): Promise<readonly OpenQuestion[]> {
    checkIsText(sessionId);
    return (await readSession(this.#store, sessionId, RUN)).questions;
  }

  async info(sessionId: string): Promise<SessionInfo> {
    await this.#mustExist(sessionId);
    const { state: run, questions } = await readSession(this.#store, sessionId, RUN);
    return { status: runStatus(run), run, questions };
  }

  events(sessionId: string, options: FollowOptions = {}): AsyncGenerator<SessionEvent, void, undefined> {
    checkIsText(sessionId);
    checkOptions(options, FOLLOW, "events");
    const [store, dispatcher] = [this.#store, this.#dispatcher];
    const watch = this.#watches.get(store.tenant) ?? new StoreWatch(store);
    this.#watches.set(store.tenant, watch);
    return followSession({ store, id: sessionId, watch, dispatcher }, options);
  }

  list(options: ListOptions = {}): Promise<readonly SessionSummary[]> {
    checkOptions(options, { limit: aNumberFromZero }, "list");
    return this.#store.list(options);
  }

  async ready(): Promise<void> {
    await Promise.all([
      inTime(this.#store.ends(["ready"]), `The store ${this.#store.name}`),
      inTime(this.#dispatcher.load(), "The Redis server"),
    ]);
  }

  close(): Promise<void> {
    return this.#dispatcher.close();
  }

  async #mustExist(id: string): Promise<void> {
    checkIsText(id);
    if (!(await this.#store.ends([id])).has(id)) throw new NoSuchSession(id, this.#store.name, []);
  }

  async #post(
    id: string,
    body: MailBody,
    { mailId = randomUUID(), isNew = false }: PostOptions & PostMailOptions = {},
  ): Promise<void> {
    const { tenant } = this.#store;
    await this.#store.post(id, { id: mailId, body }, { isNew });
    await soon(
      Promise.all([
        this.#dispatcher.wake({ tenant, id, token: mailId }),
        // Nobody runs a session that is new.
        isNew ? undefined : this.#dispatcher.announce({ tenant, id, mail: mailId }),
      ]),
    );
  }
}

const FOLLOW: Readonly<Record<keyof FollowOptions, Check>> = {
  from: aNumberFromZero,
  signal: (value, what) => {
    if (value !== undefined && !(value instanceof AbortSignal)) throw wrong(what, "an AbortSignal", value);
  },
  isFinite: aBoolean,
  deltas: aBoolean,
};

const POST: Readonly<Record<keyof PostOptions, Check>> = { mailId: aString, trace: aString };

/** An id that is not text is a mistake of the program. Any text can be asked for. */
function checkIsText(id: unknown): void {
  if (typeof id !== "string") checkSessionId(id);
}

const READY_MS = 3_000;

async function inTime(work: Promise<unknown>, what: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new NotResponding(`${what} does not respond.`)), READY_MS);
  });
  try {
    await Promise.race([work, late]);
  } catch (error) {
    if (error instanceof NotResponding) throw error;
    throw new Error(`${what} cannot be used: ${messageOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** A line of a journal has 64 MB at most, and escapes can make a text longer. */
const MOST_PROMPT_BYTES = 30_000_000;

function promptMail(prompt: Prompt, { trace }: PostOptions): MailBody {
  aPrompt(prompt, "The prompt");
  const bytes = Buffer.byteLength(JSON.stringify(prompt));
  if (bytes > MOST_PROMPT_BYTES)
    throw new RangeError(`The prompt has ${bytes} bytes as JSON (limit ${MOST_PROMPT_BYTES}).`);
  return { type: "prompt", prompt, ...(trace === undefined ? {} : { trace }) };
}
