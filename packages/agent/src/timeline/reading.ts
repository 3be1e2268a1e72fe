/** What a timeline keeps of a result: words, never what was read or written. */

import type { Outcome } from "@runahead/engine";
import { oneLine } from "./words.ts";

const DETAIL_CHARS = 40;

/** Models report their own usage: a value that is not a number counts as 0. */
export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Why it did not succeed, in a word: messages can quote what was read or written. */
export function detailOf(outcome: Outcome | undefined): string {
  switch (outcome?.type) {
    case "denied":
      return oneLine(outcome.by, DETAIL_CHARS);
    case "aborted":
      return oneLine(outcome.cause.kind, DETAIL_CHARS);
    case "failed":
      return oneLine(outcome.fault, DETAIL_CHARS);
    case "succeeded":
    case undefined:
      return "";
  }
}

/** What the model reads of it. */
export function readBy(outcome: Outcome | undefined): unknown {
  switch (outcome?.type) {
    case "succeeded":
      return outcome.content;
    case "denied":
      return outcome.reason;
    case "aborted":
      return outcome.output;
    case "failed":
      return outcome.message;
    case undefined:
      return undefined;
  }
}
