/** What a seed makes: the calls of one response, how each will be judged and will behave, and what interferes. */

import type { Claim } from "../../src/core/access.ts";
import type { Start } from "../../src/core/call.ts";
import { type CallExtras, type Extras, makeDeferrals, makeExtras, makeFailures } from "./extras.ts";
import { Random } from "./random.ts";

type ToolKind = "Declared" | "Safe" | "Unsafe" | "Slow" | "Missing";

export interface CallPlan extends CallExtras {
  readonly id: string;
  readonly tool: ToolKind;
  readonly claims: readonly Claim[];
  readonly readOnly: boolean;
  readonly interrupt: "cancel" | "block";
  readonly onError: "isolate" | "cancel-later";
  readonly timeoutMs: number;
  readonly invalid: boolean;
  readonly hook: "none" | "silent" | "allow" | "ask" | "deny" | "throw" | "change";
  readonly rule: "allow" | "ask" | "deny" | "deny-end" | "throw" | "change";
  readonly answer: "allow" | "change" | "no" | "no-with-words" | "throw";
  readonly behaviour: "return" | "throw" | "at-once";
  /** What it does when it is asked to stop. */
  readonly onStop: "reject" | "finish" | "ignore";
  /** The claims that a hook, a rule or a person gives it by changing its input. */
  readonly changedClaims: readonly Claim[];
  readonly changesToReadOnly: boolean;
  /** Denied by the rules that hold after they have changed. */
  readonly deniedLater: boolean;
  /** The answer of a person comes later. */
  readonly defers: boolean;
  /** How many attempts fail in a way that another attempt can help with. */
  readonly failures: number;
}

export interface Plan extends Pick<Extras, "isWild" | "losesRecords" | "postHooks" | "matches"> {
  readonly seed: number;
  readonly limit: number;
  readonly start: Start;
  readonly hooks: boolean;
  readonly asyncJournal: boolean;
  readonly readsEarly: boolean;
  readonly calls: readonly CallPlan[];
  readonly ending: "well" | "cut" | "refusal";
  /** Each happens once, after so many actions. */
  readonly interferences: readonly { readonly kind: Interference; readonly after: number }[];
}

export type Interference = "stop" | "message" | "discard" | "rules" | "duplicate" | "signal";

const PLACES = ["*", "fs:/a", "fs:/a/x", "fs:/a/y", "fs:/b", "fs:/b/x", "fs:/b/y", "mem:/"];
/** The things that can be read and written: every place covers some of them. */
export const LEAVES = ["fs:/a/x", "fs:/a/y", "fs:/b/x", "fs:/b/y", "mem:/z"];

export function makePlan(seed: number): Plan {
  const random = new Random(seed);
  const count = 2 + random.below(random.chance(0.2) ? 30 : 18);
  const hooks = random.chance(0.45);
  const calm = random.chance(0.35);
  const { ofCall, ...extras } = makeExtras(seed);
  const failuresOf = makeFailures(seed);
  const defersAt = makeDeferrals(seed);
  const calls = Array.from({ length: count }, (_, at) => ({
    ...withExtras(makeCall(random, `c${at}`, { hooks, calm }), ofCall(at), seed + at),
    failures: failuresOf(at),
    defers: defersAt(at),
  }));
  return {
    seed,
    ...extras,
    limit: random.weighted([
      [1, 1],
      [2, 2],
      [3, 2],
      [10, 5],
    ]),
    start: random.weighted([
      ["eager", 6],
      ["reads", 2],
      ["after", 1],
    ]),
    hooks,
    asyncJournal: random.chance(0.25),
    readsEarly: random.chance(0.7),
    calls,
    ending: random.weighted([
      ["well", 7],
      ["cut", 1.5],
      ["refusal", 1.2],
    ]),
    interferences: makeInterferences(random, count),
  };
}

function makeInterferences(random: Random, count: number): Plan["interferences"] {
  const kinds: readonly (readonly [Interference, number])[] = [
    ["stop", 0.12],
    ["message", 0.12],
    ["discard", 0.2],
    ["rules", 0.2],
    ["duplicate", 0.15],
    ["signal", 0.08],
  ];
  return kinds
    .filter(([, chance]) => random.chance(chance))
    .map(([kind]) => ({ kind, after: random.below(count * 5) }));
}

/** Tools that declare everything or nothing go nowhere, and their inputs always touch the same. */
function withExtras(
  call: BasicCall,
  extras: CallExtras,
  seed: number,
): Omit<CallPlan, "failures" | "defers"> {
  const declares = call.tool === "Declared" || call.tool === "Slow";
  const { changedReadOnly } = extras;
  const isOther = declares && changedReadOnly !== undefined && changedReadOnly !== call.readOnly;
  return {
    ...call,
    ...extras,
    changesToReadOnly: isOther ? changedReadOnly : call.readOnly,
    changedClaims: isOther ? makeClaims(new Random(seed), changedReadOnly) : call.changedClaims,
    to: declares && !call.readOnly ? extras.to : undefined,
    relative: declares && extras.relative,
  };
}

type BasicCall = Omit<CallPlan, keyof CallExtras | "changesToReadOnly" | "failures" | "defers">;

function makeCall(random: Random, id: string, { hooks, calm }: { hooks: boolean; calm: boolean }): BasicCall {
  const tool = random.weighted<ToolKind>([
    ["Declared", 12],
    ["Safe", 1.5],
    ["Unsafe", 1],
    ["Slow", 1.5],
    ["Missing", 0.3],
  ]);
  const readOnly = tool === "Safe" || (tool !== "Unsafe" && random.chance(0.5));
  const odd = (probability: number): boolean => !calm && random.chance(probability);
  return {
    id,
    tool,
    claims: makeClaims(random, readOnly),
    changedClaims: makeClaims(random, readOnly),
    readOnly,
    interrupt: random.chance(0.4) ? "cancel" : "block",
    onError: random.chance(0.3) ? "cancel-later" : "isolate",
    timeoutMs: odd(0.05) ? 1_000 : 600_000,
    invalid: odd(0.02),
    hook: hooks && random.chance(0.5) ? random.weighted(calm ? CALM_HOOKS : HOOKS) : "none",
    rule: random.weighted(calm ? CALM_RULES : RULES),
    answer: random.weighted([
      ["allow", 6],
      ["change", 1],
      ["no", 0.9],
      ["no-with-words", 1],
      ["throw", 0.9],
    ]),
    behaviour: odd(0.08) ? "throw" : random.chance(0.1) ? "at-once" : "return",
    onStop: random.weighted([
      ["reject", 5],
      ["finish", 2],
      ["ignore", 2],
    ]),
    deniedLater: random.chance(0.2),
  };
}

const HOOKS = [
  ["silent", 4],
  ["allow", 1],
  ["ask", 0.8],
  ["deny", 0.8],
  ["throw", 0.8],
  ["change", 0.8],
] as const;
const CALM_HOOKS = [
  ["silent", 4],
  ["change", 0.2],
] as const;
const RULES = [
  ["allow", 20],
  ["ask", 3],
  ["deny", 0.7],
  ["deny-end", 0.2],
  ["throw", 0.4],
  ["change", 0.7],
] as const;
const CALM_RULES = [
  ["allow", 9],
  ["ask", 1],
] as const;

function makeClaims(random: Random, readOnly: boolean): Claim[] {
  const count = random.weighted([
    [0, 0.3],
    [1, 6],
    [2, 2],
  ]);
  return Array.from({ length: count }, () => {
    const place = random.chance(0.05) ? "*" : random.pick(PLACES.slice(1));
    return { mode: readOnly || random.chance(0.3) ? "read" : "write", place };
  });
}

/** Whether a place covers a leaf. */
export function covers(place: string, leaf: string): boolean {
  return place === "*" || leaf === place || leaf.startsWith(place.endsWith("/") ? place : `${place}/`);
}

/** Whether the rules, after so many changes, want a person to be asked. */
export function needsPerson({ rule, allowedLater }: CallPlan, rulesVersion: number): boolean {
  return rule === "ask" && !(allowedLater && rulesVersion > 0);
}
