/** What a seed makes: agents that start agents, the calls of their turns, what interferes, and when the program crashes. */

import type { Claim } from "../../src/core/access.ts";
import type { Start } from "../../src/core/call.ts";
import { Random } from "../simulation/random.ts";

/** A call that touches files, one that starts a sub-agent and waits for it or does not, or one that sends a message. */
export interface CallPlan {
  readonly id: string;
  readonly tool: "Touch" | "Fetch" | "Agent" | "Background" | "Message";
  /** The sub-agent that it starts. */
  readonly agent: AgentPlan | undefined;
  readonly claims: readonly Claim[];
  readonly readOnly: boolean;
  /** What the rules say, and the claims that they give it by changing its input. */
  readonly rule: "allow" | "deny" | "change";
  readonly changedClaims: readonly Claim[];
  readonly isJudgedLater: boolean;
  readonly deniedLater: boolean;
  readonly hooked: boolean;
  /** It changes the context of later calls, which those that read it wait for. */
  readonly moves: boolean;
  /** What its code, or the listener that hears of it, does in passing to any agent at work. */
  readonly does: Interference | undefined;
  readonly doesIn: "tool" | "listener";
  readonly interrupt: "cancel" | "block";
  readonly onError: "isolate" | "cancel-later";
  readonly behaviour: "return" | "throw" | "at-once";
  readonly onStop: "reject" | "finish" | "ignore";
  /** Of a message: it interrupts the turn of an agent that is at work. */
  readonly isUrgent: boolean;
}

export interface TurnPlan {
  readonly limit: number | undefined;
  readonly start: Start;
  readonly asyncJournal: boolean;
  readonly ending: "well" | "cut" | "refusal";
  readonly calls: readonly CallPlan[];
}

export interface AgentPlan {
  readonly name: string;
  readonly turns: readonly TurnPlan[];
  /** The turns that it takes when a message comes after those. Later messages make turns without calls. */
  readonly answers: readonly TurnPlan[];
}

export type Interference = "stop" | "message" | "discard" | "rules" | "time";

export interface TreePlan {
  readonly seed: number;
  /** Nothing fails, and nobody interferes: then every call must succeed. */
  readonly isCalm: boolean;
  readonly maxConcurrency: number;
  readonly limits: Readonly<Record<string, number>>;
  /** How many calls start within a minute, by place or tool. */
  readonly rates: Readonly<Record<string, number>>;
  /** Those that work side by side from the beginning. */
  readonly agents: readonly AgentPlan[];
  readonly interferences: readonly { readonly kind: Interference; readonly after: number }[];
  /** Messages of the person, each to some agent: one at work, or one that has ended. */
  readonly messages: readonly { readonly isUrgent: boolean; readonly after: number }[];
  /** The record with which the program ends, and the session is continued by another one. */
  readonly crash: { readonly at: number; readonly keepsRecord: boolean } | undefined;
}

const PLACES = ["fs:/a", "fs:/a/x", "fs:/a/x", "fs:/a/y", "fs:/b", "fs:/b/x", "mem:/z"];
/** The things that can be read and written: every place covers some of them. */
export const LEAVES = ["fs:/a/x", "fs:/a/y", "fs:/b/x", "mem:/z"];
/** How much there is at most. Small sessions are quick, and most of what can go wrong shows in one of them. */
const SMALL = { agents: 4, roots: 2, depth: 2, turns: 1, calls: 3 };
const LARGE = { agents: 9, roots: 4, depth: 3, turns: 2, calls: 6 };

class TreePlanner {
  readonly #random: Random;
  /** Of its own, so that messages and crashes leave the rest of a seed as it is. */
  readonly #messages: Random;
  readonly isCalm: boolean;
  readonly most: typeof SMALL;
  #agents = 0;

  constructor(random: Random, messages: Random) {
    this.#random = random;
    this.#messages = messages;
    this.isCalm = random.chance(0.3);
    this.most = random.chance(0.8) ? SMALL : LARGE;
  }

  agent(depth: number): AgentPlan {
    const name = `a${this.#agents++}`;
    const count = 1 + this.#random.below(this.most.turns);
    const turns = Array.from({ length: count }, (_, at) => this.#turn(`${name}.${at}`, depth));
    const answers = this.#messages.chance(0.3) ? [this.#turn(`${name}.answer`, this.most.depth)] : [];
    return { name, turns, answers };
  }

  #turn(name: string, depth: number): TurnPlan {
    const random = this.#random;
    const count = 1 + random.below(this.most.calls);
    return {
      limit: random.chance(0.2) ? 1 + random.below(3) : undefined,
      start: this.isCalm
        ? "eager"
        : random.weighted([
            ["eager", 6],
            ["reads", 1],
            ["after", 1],
          ]),
      asyncJournal: random.chance(0.2),
      ending: this.isCalm
        ? "well"
        : random.weighted([
            ["well", 8],
            ["cut", 1],
            ["refusal", 1],
          ]),
      calls: Array.from({ length: count }, (_, at) => this.#call(`${name}.${at}`, depth)),
    };
  }

  #call(id: string, depth: number): CallPlan {
    const random = this.#random;
    const startsAgent = depth < this.most.depth && this.#agents < this.most.agents && random.chance(0.3);
    const odd = (probability: number): boolean => !this.isCalm && random.chance(probability);
    const readOnly = random.chance(0.35);
    const sendsMessage = !startsAgent && this.#messages.chance(0.08);
    return {
      id,
      tool: sendsMessage
        ? "Message"
        : startsAgent
          ? random.chance(0.25)
            ? "Background"
            : "Agent"
          : random.chance(0.2)
            ? "Fetch"
            : "Touch",
      agent: startsAgent ? this.agent(depth + 1) : undefined,
      claims: this.#claims(readOnly),
      changedClaims: this.#claims(readOnly),
      readOnly,
      rule: odd(0.05) ? "deny" : random.chance(0.1) ? "change" : "allow",
      isJudgedLater: random.chance(0.3),
      deniedLater: odd(0.1),
      hooked: random.chance(0.1),
      moves: random.chance(0.08),
      does: odd(0.04) ? random.pick(["stop", "message", "discard", "rules"]) : undefined,
      doesIn: random.pick(["tool", "listener"]),
      interrupt: random.chance(0.5) ? "cancel" : "block",
      onError: random.chance(0.2) ? "cancel-later" : "isolate",
      behaviour: odd(0.08) ? "throw" : random.chance(0.15) ? "at-once" : "return",
      onStop: random.weighted([
        ["reject", 4],
        ["finish", 2],
        ["ignore", 2],
      ]),
      isUrgent: !this.isCalm && this.#messages.chance(0.3),
    };
  }

  #claims(readOnly: boolean): Claim[] {
    const random = this.#random;
    const count = random.weighted([
      [0, 0.5],
      [1, 6],
      [2, 2],
    ]);
    const claims = Array.from({ length: count }, (): Claim => {
      const place = random.chance(0.08) ? "*" : random.pick(PLACES);
      return { mode: readOnly || random.chance(0.2) ? "read" : "write", place };
    });
    return random.chance(0.15) ? [...claims, { mode: "read", place: "context:/cwd" }] : claims;
  }
}

export function makeTree(seed: number): TreePlan {
  const random = new Random(seed ^ 0x7e57_1e55);
  const others = new Random(seed ^ 0x0dd1_e5a9);
  const planner = new TreePlanner(random, others);
  const roots = 1 + random.below(planner.most.roots);
  return {
    seed,
    isCalm: planner.isCalm,
    maxConcurrency: random.weighted([
      [1, 1],
      [2, 2],
      [3, 2],
      [10, 4],
    ]),
    limits: random.chance(0.3) ? { "fs:/a": 1 + random.below(2), "tool:/Fetch": 1 } : {},
    agents: Array.from({ length: roots }, () => planner.agent(1)),
    interferences: planner.isCalm ? [] : makeInterferences(random, planner.most === SMALL ? 25 : 120),
    messages: makeMessages(others, planner),
    crash: others.chance(0.4)
      ? { at: 1 + others.below(planner.most === SMALL ? 45 : 250), keepsRecord: others.chance(0.5) }
      : undefined,
    rates: makeRates(seed),
  };
}

/** Drawn apart, so that the other sessions stay as they are. */
function makeRates(seed: number): TreePlan["rates"] {
  const random = new Random(seed ^ 0x1b87_3593);
  if (random.chance(0.7)) return {};
  return {
    "fs:/a": 1 + random.below(3),
    ...(random.chance(0.5) ? { "tool:/Touch": 1 + random.below(4) } : {}),
  };
}

function makeMessages(random: Random, { isCalm, most }: TreePlanner): TreePlan["messages"] {
  const actions = most === SMALL ? 30 : 120;
  return Array.from({ length: random.chance(0.3) ? 1 + random.below(2) : 0 }, () => ({
    isUrgent: !isCalm && random.chance(0.4),
    after: random.below(actions),
  }));
}

/** The turn of an agent that has nothing to do but to read its messages. */
export const EMPTY_TURN: TurnPlan = {
  limit: undefined,
  start: "eager",
  asyncJournal: false,
  ending: "well",
  calls: [],
};

function makeInterferences(random: Random, actions: number): TreePlan["interferences"] {
  const kinds: readonly (readonly [Interference, number])[] = [
    ["stop", 0.3],
    ["stop", 0.2],
    ["message", 0.2],
    ["discard", 0.3],
    ["rules", 0.3],
    ["rules", 0.2],
    ["time", 0.2],
  ];
  return kinds
    .filter(([, chance]) => random.chance(chance))
    .map(([kind]) => ({ kind, after: random.below(actions) }));
}

/** Whether a place covers a leaf. */
export function covers(place: string, leaf: string): boolean {
  return place === "*" || leaf === place || leaf.startsWith(`${place}/`);
}
