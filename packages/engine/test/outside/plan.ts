/** What the calls of a world do, and what is said of them. */

import type { Dice } from "./dice.ts";
import { FOLDERS, PLACES } from "./places.ts";

export interface Input {
  readonly id: string;
  /** A place, or a key that is relative to the folder of the context. */
  readonly place: string;
  readonly writes: boolean;
  /** Whether it goes to another folder, for later calls. */
  readonly to: string | undefined;
}

type Ends = "now" | "later" | "throws-now" | "throws-later" | "twice" | "ignores-signal";
type Does = "nothing" | "stop" | "rules" | "discard" | "message" | "progress" | "bad-progress" | "bad-change";

export interface Call {
  readonly input: Input;
  readonly ends: Ends;
  /** What its code, its hook or a listener does to the executor in passing. */
  readonly does: Does;
  readonly cancelsLater: boolean;
  readonly cancellable: boolean;
  readonly hook: "none" | "silent" | "deny" | "ask" | "change" | "throws" | "nonsense" | "never";
  readonly postHook: "none" | "silent" | "bad-addition" | "bad-content" | "bad-block" | "never";
  /** By the rules as they are, and after they have changed so many times. */
  readonly rules: readonly ("allow" | "ask" | "deny" | "change")[];
  readonly answer: "yes" | "no" | "change";
  /** The input that a hook, a rule or a person gives it. */
  readonly changed: Input;
  readonly waits: boolean;
}

export interface Plan {
  readonly calls: readonly Call[];
  readonly limit: number;
  readonly start: "eager" | "reads" | "after";
  readonly ending: "well" | "cut" | "refusal";
  readonly journal: "plain" | "slow" | "failing";
  readonly hooks: boolean;
  readonly postHooks: boolean;
  readonly rules: boolean;
  readonly matches: unknown;
  /** Whether tools and listeners add calls. */
  readonly addsInPassing: boolean;
  /** Whether only hooks have a time limit. */
  readonly isUntimed: boolean;
  /** The calls whose hooks end the turn when they have run. */
  readonly endTurn: ReadonlySet<string>;
}

/** What is drawn apart leaves the worlds without it as they are. */
export function makePlan(dice: Dice, apart: Dice): Plan {
  const calm = dice.chance(0.3);
  const plan = {
    limit: dice.pick([1, 2, 3, 10]),
    start: dice.pick(["eager", "eager", "eager", "reads", "after"] as const),
    ending: dice.pick(["well", "well", "well", "cut", "refusal"] as const),
    journal: dice.pick(["plain", "plain", "slow", "failing"] as const),
    hooks: dice.chance(0.5),
    postHooks: dice.chance(0.3),
    rules: dice.chance(0.8),
    matches: dice.pick([true, 1, "yes", ["match"], Promise.resolve(true)]),
  };
  const drawn = Array.from({ length: 2 + dice.below(8) }, (_, at) => makeCall(dice, `c${at}`, calm));
  const calls = apart.chance(0.06) ? drawn.map((call) => askedAbout(call, apart)) : drawn;
  return {
    ...plan,
    calls,
    addsInPassing: apart.chance(0.3),
    isUntimed: apart.chance(0.3),
    endTurn: new Set(
      apart.chance(0.1) ? calls.map(({ input }) => input.id).filter(() => apart.chance(0.5)) : [],
    ),
  };
}

/** A call that the rules ask about, and that may go to another folder. */
function askedAbout(call: Call, apart: Dice): Call {
  const input = { ...call.input, to: apart.chance(0.5) ? apart.pick(FOLDERS) : undefined };
  return { ...call, input, rules: ["ask"], waits: true, answer: "yes", hook: "none" };
}

function makeInput(dice: Dice, id: string): Input {
  const moves = dice.chance(0.15);
  const place = dice.chance(0.3) ? dice.pick(["x", "y"]) : dice.pick(PLACES);
  return { id, place, writes: dice.chance(0.6), to: moves ? dice.pick(FOLDERS) : undefined };
}

function makeCall(dice: Dice, id: string, calm: boolean): Call {
  const odd = <Kind>(usual: Kind, kinds: readonly Kind[], chance = 0.3): Kind =>
    !calm && dice.chance(chance) ? dice.pick(kinds) : usual;
  const input = makeInput(dice, id);
  return {
    input,
    ends: odd<Ends>(dice.pick(["now", "later"]), ["throws-now", "throws-later", "twice", "ignores-signal"]),
    does: odd<Does>(
      "nothing",
      ["stop", "rules", "discard", "message", "progress", "bad-progress", "bad-change"],
      0.12,
    ),
    cancelsLater: dice.chance(0.3),
    cancellable: dice.chance(0.4),
    hook: odd("silent", ["none", "deny", "ask", "change", "throws", "nonsense", "never"], 0.5),
    postHook: odd("silent", ["bad-addition", "bad-content", "bad-block", "never"]),
    rules: Array.from({ length: 3 }, () => odd("allow", ["ask", "ask", "deny", "change"], 0.4)),
    answer: dice.pick(["yes", "yes", "no", "change"]),
    changed: makeInput(dice, id),
    waits: dice.chance(0.5),
  };
}
