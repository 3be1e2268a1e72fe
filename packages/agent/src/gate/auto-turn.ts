/** Decisions of auto mode within one turn: identical calls share one, and nothing is decided for calls that have ended. */

import type { Verdict } from "@runahead/engine";
import type { AutoAnswer, AutoJudge, AutoQuestion } from "./auto.ts";
import { NO_USAGE, type Usage } from "../model/token-usage.ts";

/** Reports what auto mode decided on one call. */
export interface Judged {
  /** The id of the call. */
  readonly callId: string;
  /** The name of its tool. */
  readonly toolName: string;
  /** `allow`: it runs without a question. `ask`: a person is asked. */
  readonly decision: AutoAnswer["decision"];
  /** Why, in one line for the person. */
  readonly reason: string;
  /** The model that decided. */
  readonly model: string;
  /** The tokens that the decision took; none for a call that shares the decision on an identical one. */
  readonly usage: Usage;
}

export interface AutoTurnPorts {
  readonly judge: AutoJudge;
  /** What the person wrote in this session. */
  readonly said: readonly string[];
  /** A decision that still counts; called before its verdict is given. */
  readonly judged: (judged: Judged) => void;
  /** Rules or the mode have changed. Gives what ends the listening. */
  readonly onChange: (listener: () => void) => () => void;
}

export interface AutoCall extends Omit<AutoQuestion, "said"> {
  readonly callId: string;
}

/** One request to the judge, and how many calls wait for it. */
interface Pending {
  readonly answer: Promise<AutoAnswer | undefined>;
  readonly stop: AbortController;
  waiting: number;
  isCounted: boolean;
}

export class AutoTurn {
  readonly #ports: AutoTurnPorts;
  readonly #pending = new Map<string, Pending>();

  constructor(ports: AutoTurnPorts) {
    this.#ports = ports;
  }

  /** Allow or ask; ask where no decision comes, or none is wanted any more. */
  async decide(call: AutoCall): Promise<Verdict> {
    const { callId, toolName, input, cwd, reason } = call;
    const key = JSON.stringify([toolName, cwd, reason, input]);
    const pending = this.#pending.get(key) ?? this.#begin(key, call);
    const answer = await waitFor(pending, call.signal);
    if (answer === undefined) return { behavior: "ask", reason };
    const { decision, model } = answer;
    const usage = pending.isCounted ? NO_USAGE : answer.usage;
    pending.isCounted = true;
    this.#ports.judged({ callId, toolName, decision, reason: answer.reason, model, usage });
    if (decision === "allow") return { behavior: "allow", reason: `Auto mode: ${answer.reason}` };
    return { behavior: "ask", reason: `${reason} Auto mode: ${answer.reason}` };
  }

  /** Undefined where it failed or was stopped. */
  #begin(key: string, call: AutoCall): Pending {
    const { judge, said, onChange } = this.#ports;
    const { toolName, input, cwd, reason } = call;
    const stop = new AbortController();
    // What is decided under the old rules would be asked for again, so nobody waits for it.
    const stopListening = onChange(() => stop.abort());
    const stopped = new Promise<undefined>((resolve) => {
      stop.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const question: AutoQuestion = { toolName, input, cwd, reason, said, signal: stop.signal };
    const asked = Promise.resolve(question)
      .then(judge)
      .catch((error: unknown) => failed(error));
    const answer = Promise.race([asked, stopped]).finally(() => {
      stopListening();
      if (stop.signal.aborted) this.#pending.delete(key);
    });
    const pending: Pending = { answer, stop, waiting: 0, isCounted: false };
    this.#pending.set(key, pending);
    return pending;
  }
}

/** Undefined once the call does not need it any more; the request is stopped when no call does. */
async function waitFor(pending: Pending, signal: AbortSignal): Promise<AutoAnswer | undefined> {
  pending.waiting++;
  const left = new Promise<undefined>((resolve) => {
    const leave = (): void => resolve(undefined);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    void pending.answer.then(() => signal.removeEventListener("abort", leave));
  });
  const answer = await Promise.race([left, pending.answer]);
  if (--pending.waiting === 0 && answer === undefined) pending.stop.abort();
  return answer;
}

function failed(error: unknown): AutoAnswer {
  const why = error instanceof Error ? error.message : String(error);
  return { decision: "ask", reason: `The judge failed: ${why}`, model: "", usage: NO_USAGE };
}
