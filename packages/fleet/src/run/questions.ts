/**
 * Questions to people, in the journal of the session. A call that needs an answer gets "waiting" as its result, and the run
 * ends, so that no worker waits. When it is approved, the next run makes the same call again, with an id that belongs to
 * the question: so it is known after a crash whether it was made.
 */

import type { Message, SessionStore } from "@runahead/agent";
import { type OpenStoredSession, changedState, linesFrom } from "@runahead/agent/internal";
import { isShape, shapeOf, stringOf } from "@runahead/base";
import type { PersonsAnswer } from "./mail.ts";

/** A call that waits for a person. */
export interface SessionQuestion {
  /** The id of the question. */
  readonly id: string;
  /** The id of the call that asked. */
  readonly callId: string;
  /** The name of its tool. */
  readonly toolName: string;
  /** Its input. */
  readonly input: unknown;
  /** Why it is asked. */
  readonly reason: string;
  /** When it was asked, in ISO 8601. */
  readonly askedAt: string;
}

export type KeptQuestion = SessionQuestion & { readonly answer?: PersonsAnswer };

/** The name of the questions among the states of a session. */
const QUESTIONS = "fleet:questions";

/** The questions of an open session. */
export class Questions {
  readonly #session: OpenStoredSession;

  constructor(session: OpenStoredSession) {
    this.#session = session;
  }

  get all(): readonly KeptQuestion[] {
    return questionsIn(this.#session.state?.[QUESTIONS]);
  }

  get open(): readonly SessionQuestion[] {
    return this.all.filter(({ answer }) => answer === undefined);
  }

  ask(question: Omit<SessionQuestion, "askedAt">): void {
    this.#set({ ...question, askedAt: new Date().toISOString() });
  }

  /** Returns false if there is no such open question: the mail is taken all the same. */
  answer(id: string, answer: PersonsAnswer, mail: string): boolean {
    const question = this.open.find((one) => one.id === id);
    const set = question === undefined ? {} : { [id]: { ...question, answer } };
    this.#session.append({ type: "state", name: QUESTIONS, set, unset: [], mail });
    return question !== undefined;
  }

  /** The answered questions that the conversation does not show yet. Forgets those that it shows. */
  takeAnswered(messages: readonly Message[]): readonly (KeptQuestion & { readonly answer: PersonsAnswer })[] {
    const answered = this.all.filter((one): one is KeptQuestion & { readonly answer: PersonsAnswer } =>
      Boolean(one.answer),
    );
    const shown = answered.filter((one) => isShown(one, messages));
    if (shown.length > 0) this.forget(shown);
    return answered.filter((one) => !shown.includes(one));
  }

  forget(questions: readonly SessionQuestion[]): void {
    const unset = questions.map(({ id }) => id);
    this.#session.append({ type: "state", name: QUESTIONS, set: {}, unset });
  }

  #set(question: SessionQuestion): void {
    this.#session.append({ type: "state", name: QUESTIONS, set: { [question.id]: question }, unset: [] });
  }
}

/** The id of the call that is made when a question is approved. */
export function approvedId({ id }: SessionQuestion): string {
  return `approved_${id}`;
}

/** What the model reads as the result of a call that waits. */
export function waitingWords(id: string): string {
  return (
    `Not run yet: this call needs the approval of a person (question ${id}). ` +
    "It is made again without you once it is approved, so do not repeat it."
  );
}

export function deniedWords({ id, toolName, answer }: KeptQuestion): string {
  const message = answer?.message === undefined ? "" : ` Message: ${answer.message}`;
  return `Question ${id}: the call of ${toolName} was denied by a person and did not run.${message}`;
}

function isShown(question: KeptQuestion, messages: readonly Message[]): boolean {
  const id = approvedId(question);
  return messages.some(({ content }) =>
    typeof content === "string"
      ? content.startsWith(`Question ${question.id}: `)
      : content.some((block) => block["id"] === id),
  );
}

function questionsIn(state: unknown): KeptQuestion[] {
  return Object.values(shapeOf(state)).flatMap((kept) => {
    if (!isShape(kept)) return [];
    const { id, callId, toolName, input, reason, askedAt, answer } = kept;
    const question = {
      id: stringOf(id),
      callId: stringOf(callId),
      toolName: stringOf(toolName),
      input,
      reason: stringOf(reason),
      askedAt: stringOf(askedAt),
    };
    return [isShape(answer) ? { ...question, answer: answer as unknown as PersonsAnswer } : question];
  });
}

/** Reads a state of a session from its journal, without taking the lease. */
export async function readState(store: SessionStore, id: string, name: string): Promise<unknown> {
  let state: unknown;
  for await (const { line } of linesFrom({ store, id }, await store.lastCompaction(id))) {
    if (line.startsWith('{"type":"compacted"')) state = shapeOf(shapeOf(JSON.parse(line))["state"])[name];
    else if (line.startsWith(`{"type":"state","name":${JSON.stringify(name)}`))
      state = changedState(state, shapeOf(JSON.parse(line)));
  }
  return state;
}

/** Reads the open questions of a session from its journal, without taking the lease. */
export async function openQuestions(store: SessionStore, id: string): Promise<readonly SessionQuestion[]> {
  const all = questionsIn(await readState(store, id, QUESTIONS));
  return all.filter(({ answer }) => answer === undefined);
}
