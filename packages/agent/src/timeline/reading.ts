/** Reduces a result to what a timeline records: a word, never file content. */

import type { Outcome } from "@runahead/engine";
import { oneLine } from "./words.ts";

const DETAIL_CHARS = 40;

/** Models report their own usage, so a value can be anything. What is not a number counts as 0. */
export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Why it did not succeed, in one word. Messages are not recorded: they can quote file content. */
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

/** The text that the model reads. */
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
