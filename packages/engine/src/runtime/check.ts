/** Runs a tool's `check` before the user is asked: a call that cannot succeed needs no question. */

import { LinkedCancellation } from "./cancellation.ts";
import type { CheckLine } from "./check-line.ts";
import { type Clock, withLimit } from "./clock.ts";
import type { Call } from "../core/call.ts";
import type { JudgedCall } from "./judged-call.ts";
import type { Outcome } from "../core/outcome.ts";
import type { ContextChange } from "./run.ts";
import { errorText } from "./serialise.ts";
import type { CheckContext, SharedContext } from "./tool.ts";

/** A check that takes longer than this does not delay the question. */
const CHECK_LIMIT_MS = 10_000;

export interface CheckPorts {
  readonly clock: Clock;
  /** The context in which a call runs, or would run if it arrived now. */
  contextOf(call: Call | undefined): SharedContext;
  readonly checks: CheckLine;
  /** Changes the context of the calls after this one. */
  changeAfter(call: Call, changes: readonly ContextChange[]): void;
}

/** The check found that the call cannot succeed. */
export class Refused extends Error {
  readonly outcome: Outcome;

  constructor(message: string) {
    super(message);
    this.outcome = { type: "failed", fault: "exception", message };
  }
}

/** An earlier call blocks this one again, so the question has to wait again. */
export class Blocked extends Error {}

/**
 * Throws `Refused` if the call cannot succeed; changes that the check made then apply to later calls. Throws `Blocked`
 * if the call cannot be checked now.
 */
export async function checkCall(judged: JudgedCall, signal: AbortSignal, ports: CheckPorts): Promise<void> {
  if (!canCheck(judged, ports)) return;
  const { taken, call, input } = judged;
  const { id: callId, tool } = taken;
  const context = ports.contextOf(call);
  const changes: ContextChange[] = [];
  const change: CheckContext["change"] = (modify) => void changes.push(modify);
  const own = new LinkedCancellation(() => signal);
  const checking = Promise.resolve({ callId, signal: own.signal, cwd: context.cwd, context, change })
    .then((given) => tool.check?.(input, given))
    .then(
      () => undefined,
      (error: unknown) => errorText(error),
    );
  const failure = await withLimit(judged.timers(ports.clock), CHECK_LIMIT_MS, checking).catch(
    (error: unknown) => {
      own.cancel(error);
      return undefined;
    },
  );
  if (signal.aborted || !canCheck(judged, ports) || failure === undefined) return;
  // Before the next question, so that it is asked in the right context.
  if (changes.length > 0) ports.changeAfter(call, changes);
  throw new Refused(failure);
}

/** Whether the check sees the state that the call will find. */
function canCheck({ taken, call, asked }: JudgedCall, { checks }: CheckPorts): boolean {
  if (asked.isCheckable === false) return false;
  if (checks.isUnblocked(call)) return true;
  if (taken.tool.checkWaits === false) return false;
  throw new Blocked();
}
