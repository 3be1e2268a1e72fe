/**
 * What the second half of the worlds has besides: folders that calls go to, tools and hooks that call back into the
 * executor, answers of the wrong form, calls that end twice, journals that lose records, and events that come between
 * an answer and the moment when the engine hears it. Drawn apart, so that the other worlds stay as they are.
 */

import { FAILED_BEFORE } from "./failed-before.ts";
import { Random } from "./random.ts";

export interface CallExtras {
  /** Whether the changed input only reads, where it differs from the call's own. */
  readonly changedReadOnly: boolean | undefined;
  /** What the rules ask about now is allowed after they have changed. */
  readonly allowedLater: boolean;
  /** What its code, its hook or the listener does to the executor in passing. */
  readonly does: "nothing" | "stop" | "message" | "discard" | "rules";
  readonly doesIn: "tool" | "hook" | "listener";
  /** The folder to which it goes, for later calls. */
  readonly to: string | undefined;
  /** Whether it touches a file that is relative to the folder. */
  readonly relative: boolean;
  /** It fails, and then succeeds. */
  readonly endsTwice: boolean;
  readonly hookNonsense: boolean;
  readonly postHook: "silent" | "nonsense" | "never";
  readonly badChange: boolean;
}

/** How often a call fails before it does what it is meant to do. Drawn apart from everything else. */
export function makeFailures(seed: number): (at: number) => number {
  const random = new Random(seed ^ 0x3c6ef372);
  const isFlaky = random.chance(0.3) && !FAILED_BEFORE.includes(seed);
  const failures: number[] = [];
  return (at) => {
    while (failures.length <= at)
      failures.push(isFlaky && random.chance(0.35) ? 1 + random.below(RETRY_ATTEMPTS + 1) : 0);
    return failures[at] as number;
  };
}

/** Which questions are answered later. Drawn apart from everything else. */
export function makeDeferrals(seed: number): (at: number) => boolean {
  const random = new Random(seed ^ 0x510e527f);
  const canDefer = random.chance(0.22) && !FAILED_BEFORE.includes(seed);
  const deferrals: boolean[] = [];
  return (at) => {
    while (deferrals.length <= at) deferrals.push(canDefer && random.chance(0.7));
    return deferrals[at] as boolean;
  };
}

/** How often the tools of a world are tried. */
export const RETRY_ATTEMPTS = 3;

export interface Extras {
  readonly isWild: boolean;
  readonly losesRecords: boolean;
  readonly postHooks: boolean;
  /** What `matches` answers where a hook matches. */
  readonly matches: unknown;
  readonly ofCall: (at: number) => CallExtras;
}

export const FOLDERS = ["/a", "/b"];

const NONE: CallExtras = {
  changedReadOnly: undefined,
  allowedLater: false,
  does: "nothing",
  doesIn: "tool",
  to: undefined,
  relative: false,
  endsTwice: false,
  hookNonsense: false,
  postHook: "silent",
  badChange: false,
};

export function makeExtras(seed: number): Extras {
  const random = new Random(seed ^ 0x2545f491);
  const isWild = random.chance(0.5) && !FAILED_BEFORE.includes(seed);
  if (!isWild) return { isWild, losesRecords: false, postHooks: false, matches: true, ofCall: () => NONE };
  const postHooks = random.chance(0.3);
  const matches = random.pick<unknown>([true, 1, ["match"], Promise.resolve(true)]);
  const calls: CallExtras[] = [];
  const ofCall = (at: number): CallExtras => (calls[at] ??= makeCallExtras(random));
  return { isWild, losesRecords: random.chance(0.2), postHooks, matches, ofCall };
}

function makeCallExtras(random: Random): CallExtras {
  return {
    changedReadOnly: random.chance(0.4) ? random.chance(0.5) : undefined,
    allowedLater: random.chance(0.5),
    does: random.chance(0.04) ? random.pick(["stop", "message", "discard", "rules", "rules"]) : "nothing",
    doesIn: random.pick(["tool", "hook", "listener"]),
    to: random.chance(0.12) ? random.pick(FOLDERS) : undefined,
    relative: random.chance(0.25),
    endsTwice: random.chance(0.04),
    hookNonsense: random.chance(0.06),
    postHook: random.chance(0.2) ? random.pick(["nonsense", "nonsense", "never"]) : "silent",
    badChange: random.chance(0.03),
  };
}
