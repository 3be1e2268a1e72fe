/** Decisions of auto mode within one turn. Identical calls share one decision, and calls that ended get none. */

import type { Verdict } from "@runahead/engine";
import type { AutoAnswer, AutoJudge, AutoQuestion } from "./auto.ts";
import { NO_USAGE, type Usage } from "../model/token-usage.ts";

/** A decision of auto mode on one call. */
export interface Judged {
  /** The id of the call. */
  readonly callId: string;
  /** The name of its tool. */
  readonly toolName: string;
  /** `allow`: it runs without a question. `ask`: the user is asked. */
  readonly decision: AutoAnswer["decision"];
  /** The reason, in one line for the user. */
  readonly reason: string;
  /** The model that decided. */
  readonly model: string;
  /** The tokens that the decision used; none for a call that shares the decision of an identical one. */
  readonly usage: Usage;
}

export interface AutoTurnPorts {
  readonly judge: AutoJudge;
  /** What the user typed in this session. */
  readonly said: readonly string[];
  /** Called with each decision, before its verdict is returned. */
  readonly judged: (judged: Judged) => void;
  /** Calls the listener when rules or the mode change. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

export interface AutoCall extends Omit<AutoQuestion, "said"> {
  readonly callId: string;
}

/** A request to the judge, and the number of calls that wait for it. */
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

  /** Resolves with allow or ask. Without a decision, the user is asked. */
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

  /** The answer is undefined if it was stopped. */
  #begin(key: string, call: AutoCall): Pending {
    const { judge, said, onChange } = this.#ports;
    const { toolName, input, cwd, reason } = call;
    const stop = new AbortController();
    // After a change of rules the call is judged again, so this decision is obsolete.
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

/** Resolves with undefined if the call no longer needs the answer. Without waiting calls the request is stopped. */
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
  return { decision: "ask", reason: `The judge of auto mode failed: ${why}`, model: "", usage: NO_USAGE };
}
