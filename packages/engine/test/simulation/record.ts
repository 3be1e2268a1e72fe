/** What a simulated world knows of its calls. */

import type { Claim } from "../../src/core/access.ts";
import type { Access } from "../../src/core/call.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { CallPlan } from "./plan.ts";

/** What was seen of one call. */
export interface CallRecord {
  readonly plan: CallPlan;
  readonly index: number;
  /** As the core knows it now. */
  access: Access | undefined;
  /** How many events were recorded when it changed last, and when it was decided that the call may run. */
  changedAt: number;
  decidedAt: number;
  state: string;
  hookAsked: boolean;
  /** It threw or took too long, so it gave no decision. */
  hookFailed: boolean;
  approved: boolean;
  started: boolean;
  /** How many events were recorded, and how many of them saved, when the tool was entered. */
  recordedAtStart: number;
  savedAtStart: number;
  startOrder: number;
  ranWith: readonly Claim[];
  parts: ("begin" | "end")[];
  seen: number[];
  /** The tool's own code has come to its end. */
  returned: boolean;
  abandonedAlive: boolean;
  outcome: Outcome | undefined;
  note: boolean;
  results: number;
}

/** What a call is made with. */
export interface Input {
  readonly id: string;
  readonly claims: readonly Claim[];
  readonly invalid?: boolean;
}

/** Something that waits for the world to let it happen. */
export interface Pending {
  readonly kind: string;
  happen(): void;
}
