/** A turn that waits for an answer which comes later: kept on disk, continued by any process. */

import type { Answer, ToolResult } from "@runahead/engine";
import type { HistoryBlock } from "@runahead/engine/history";
import { isShape, shapeOf } from "@runahead/base";

/** A question to the user that was deferred and is not answered yet. */
export interface OpenQuestion {
  /** Unique within the session: the argument of `session.answer`. */
  readonly id: string;
  /** The id of the call. */
  readonly callId: string;
  /** The name of its tool. */
  readonly toolName: string;
  /** The input that the question is about. */
  readonly input: unknown;
  /** Why the user is asked. */
  readonly reason: string;
}

/** A call of a parked turn. */
export interface WaitingCall {
  /** The id of the call. */
  readonly callId: string;
  /** The name of its tool. */
  readonly toolName: string;
  /** The input that the model gave. */
  readonly input: unknown;
  /** Its result, if it has finished. */
  readonly result?: ToolResult;
  /** The question about it, if it was deferred. */
  readonly question?: {
    /** Unique within the session: the argument of `session.answer`. */
    readonly id: string;
    /** Why the user is asked. */
    readonly reason: string;
    /** The input that it is about, which a hook can have changed. */
    readonly input: unknown;
  };
  /** The answer, once there is one. */
  readonly answer?: Answer;
}

/** A turn of which a question is answered later. */
export interface ParkedTurn {
  /** The number of the turn in the session. */
  readonly turn: number;
  /** What the idempotency keys of its calls begin with. */
  readonly scope?: string;
  /** The response, which becomes part of the history when all its calls have results. */
  readonly content: readonly HistoryBlock[];
  /** Its calls, in the model's order. */
  readonly calls: readonly WaitingCall[];
}

/** Thrown by `session.answer` if no open question has this id: it was answered, or the conversation went on without it. */
export class NoSuchQuestion extends Error {
  /** The name of the class. */
  override readonly name = "NoSuchQuestion";

  constructor(id: string, why: string, open: readonly OpenQuestion[]) {
    const ids = open.map((question) => question.id).join(", ");
    super(
      `Cannot answer question "${id}": ${why}. ${ids === "" ? "No question is open." : `Open questions: ${ids}.`}`,
    );
  }
}

export function questionsOf(parked: ParkedTurn | undefined): readonly OpenQuestion[] {
  return (parked?.calls ?? []).flatMap(({ callId, toolName, input, question, answer, result }) => {
    if (question === undefined || answer !== undefined || result !== undefined) return [];
    return [{ callId, toolName, ...question, input: question.input ?? input }];
  });
}

/** The answers to questions of a parked turn, by call. */
export function answersIn({ calls }: ParkedTurn): ReadonlyMap<string, Answer> {
  return new Map(
    calls.flatMap(({ callId, answer }): [string, Answer][] =>
      answer === undefined ? [] : [[callId, answer]],
    ),
  );
}

/** Returns the id of the question about a call: another one in each turn, because ids of calls can repeat. */
export function questionId(turn: number, callId: string): string {
  return `${turn}-${callId}`;
}

/** A malformed answer would close the question, and nobody could answer it again. */
function checkForm(answer: unknown): void {
  const { behavior, input, message } = shapeOf(answer);
  if (behavior !== "allow" && behavior !== "deny")
    throw new TypeError('An answer is { behavior: "allow" } or { behavior: "deny", message }.');
  if (input !== undefined && (!isShape(input) || Array.isArray(input)))
    throw new TypeError('The "input" of an answer must be an object: the changed input of the call.');
  if (message !== undefined && typeof message !== "string")
    throw new TypeError('The "message" of an answer must be a text: what the model reads.');
}

/** Throws {@link NoSuchQuestion} or a TypeError if the question cannot be answered like this. */
export function checkAnswer(parked: ParkedTurn | undefined, id: string, answer: Answer): void {
  checkForm(answer);
  const open = questionsOf(parked);
  if (open.some((question) => question.id === id)) return;
  const call = parked?.calls.find(({ question }) => question?.id === id);
  const why = call?.answer === undefined ? "it is not open any more, or never was" : "it was answered before";
  throw new NoSuchQuestion(id, why, open);
}

export function withAnswer(parked: ParkedTurn, id: string, answer: Answer): ParkedTurn {
  const calls = parked.calls.map((call) => (call.question?.id === id ? { ...call, answer } : call));
  return { ...parked, calls };
}

/** Reads a line of the journal; undefined if it does not have the shape. */
export function parkedIn(line: unknown): ParkedTurn | undefined {
  if (!isShape(line)) return undefined;
  const { turn, scope, content, calls } = line;
  if (typeof turn !== "number" || !Array.isArray(content) || !Array.isArray(calls)) return undefined;
  const isCall = (call: unknown): boolean =>
    isShape(call) && typeof call["callId"] === "string" && typeof call["toolName"] === "string";
  if (!calls.every(isCall)) return undefined;
  return {
    turn,
    ...(typeof scope === "string" ? { scope } : {}),
    content: content as HistoryBlock[],
    calls: calls as WaitingCall[],
  };
}
