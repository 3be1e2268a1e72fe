/** A call that is being assembled, and whether it is known to be complete. */

import type { CallRequest } from "../core/call.ts";
import { JsonScan } from "./json-scan.ts";

/** A call whose input is arriving. */
export interface Draft {
  readonly index: number;
  readonly id: string;
  /** Empty until the server has sent it. */
  name: string;
  scan: JsonScan;
  state: DraftState;
}

/**
 * `doubtful`: it seems to be complete, but its input is empty or does not parse, so it may be cut off; the next events
 * decide. Only `ready` calls are added.
 */
export type DraftState =
  | { readonly type: "open" | "doubtful" | "dropped" | "added" }
  | { readonly type: "ready"; readonly request: CallRequest };

export const OPEN: DraftState = { type: "open" };
export const DOUBTFUL: DraftState = { type: "doubtful" };
export const DROPPED: DraftState = { type: "dropped" };
export const ADDED: DraftState = { type: "added" };

export function newDraft(index: number, id: string, name: string): Draft {
  return { index, id, name, scan: new JsonScan(), state: OPEN };
}

/** What is kept for a call that was passed to the sink: that it was, and whether it had any text. */
const SPENT: Draft = { ...newDraft(-1, "", ""), state: ADDED };
const SPENT_EMPTY: Draft = { ...newDraft(-1, "", ""), state: ADDED };
SPENT.scan.push("{}");

export function spent(draft: Draft): Draft {
  return draft.scan.isEmpty ? SPENT_EMPTY : SPENT;
}

const LONGEST_PLACEHOLDER = 4;

/** Gateways to Bedrock and Gemini send an empty object first, and then the input. */
export function isPlaceholder({ scan }: Draft): boolean {
  return scan.length >= 2 && scan.length <= LONGEST_PLACEHOLDER && /^\s*\{\s*\}\s*$/.test(scan.text());
}

/** No text means an empty object; `undefined` means text that does not parse. */
export function inputOf(draft: Draft): unknown {
  if (draft.scan.isEmpty) return {};
  const text = draft.scan.text();
  return parsed(text) ?? parsed(withEscapes(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const STRINGS = /"[^"\\]*(?:\\[^][^"\\]*)*"/g;
// oxlint-disable-next-line no-control-regex -- what JSON does not allow in strings
const CONTROLS = /[\u0000-\u001f]/g;

/** Some servers send line breaks and tabs in strings as they are. */
function withEscapes(text: string): string {
  const escaped = (control: string): string => JSON.stringify(control).slice(1, -1);
  return text.replaceAll(STRINGS, (string) => string.replaceAll(CONTROLS, escaped));
}
