/** Runs a tool's `check` before the user is asked: a call that cannot succeed needs no question. */

import type { CheckLine } from "./check-line.ts";
import { type Clock, withLimit } from "./clock.ts";
import type { LiveCall } from "./live-call.ts";
import type { Outcome } from "../core/outcome.ts";
import type { ContextChange } from "./run.ts";
import { errorText } from "./serialise.ts";
import type { CheckContext, SharedContext } from "./tool.ts";

/** A check that takes longer than this does not delay the question. */
const CHECK_LIMIT_MS = 10_000;

export interface CheckPorts {
  readonly clock: Clock;
  contextOf(live: LiveCall): SharedContext;
  readonly checks: CheckLine;
  /** Changes the context of the calls after this one. */
  changeAfter(live: LiveCall, changes: readonly ContextChange[]): void;
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
export async function checkCall(live: LiveCall, signal: AbortSignal, ports: CheckPorts): Promise<void> {
  if (!canCheck(live, ports)) return;
  const { id: callId, tool, input } = live;
  const context = ports.contextOf(live);
  const changes: ContextChange[] = [];
  const change: CheckContext["change"] = (modify) => void changes.push(modify);
  const checking = Promise.resolve({ callId, signal, cwd: context.cwd, context, change })
    .then((given) => tool.check?.(input, given))
    .then(
      () => undefined,
      (error: unknown) => errorText(error),
    );
  const failure = await withLimit(live.timers(ports.clock), CHECK_LIMIT_MS, checking).catch(() => undefined);
  if (signal.aborted || !canCheck(live, ports) || failure === undefined) return;
  // Before the next question, so that it is asked in the right context.
  if (changes.length > 0) ports.changeAfter(live, changes);
  throw new Refused(failure);
}

/** Whether the check sees the state that the call will find. */
function canCheck(live: LiveCall, { checks }: CheckPorts): boolean {
  if (live.asked?.isCheckable === false) return false;
  if (checks.isUnblocked(live)) return true;
  if (live.tool.checkWaits === false) return false;
  throw new Blocked();
}
