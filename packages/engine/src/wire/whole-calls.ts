/** A complete call in two forms: for the executor and for the history. */

import type { CallRequest } from "../core/call.ts";
import type { Block } from "./message.ts";
import { isRecord } from "./shape.ts";
import { isTooDeep, wellFormed } from "./sendable.ts";

/** Holds a call for the executor and for the history. */
export interface WholeCall {
  /** The call for the executor. */
  readonly call: CallRequest;
  /** The `tool_use` block for the history. */
  readonly block: Block;
}

/** APIs reject names that are longer or have other characters. */
const LONGEST_NAME = 128;
const OTHER_CHARACTERS = /[^\w.:/-]/g;
const SENDABLE = /^[\w.:/-]{1,128}$/;

/**
 * Prepares the calls of one response for the executor and for the history, so that the API accepts the history.
 */
export class WholeCalls {
  readonly #ids = new Set<string>();
  /** The last name that can be sent as it is: the calls of a response are often of one tool. */
  #sendable = "";

  /** Returns both forms of a call. Undefined if its id was used before, because such a call does not run (B05). */
  take(given: CallRequest): WholeCall | undefined {
    const id = given.id.toWellFormed();
    const before = this.#ids.size;
    // One search of the set instead of two.
    if (this.#ids.add(id).size === before) return undefined;
    if (given.name !== this.#sendable && SENDABLE.test(given.name)) this.#sendable = given.name;
    const { name } = given;
    if ("input" in given && name === this.#sendable && given.id === id && isFlatAndClean(given.input))
      return { call: given, block: { type: "tool_use", id, name, input: given.input } };
    const isKept = !("input" in given) || !isTooDeep(given.input);
    const call = runnable(given, isKept);
    return {
      call,
      block: { type: "tool_use", id, name: sendableName(given.name), input: historyInput(call, isKept) },
    };
  }
}

/** Whether an input is an object of scalars and well-formed text, which most are: nothing in it has to change. */
function isFlatAndClean(input: unknown): boolean {
  if (!isRecord(input)) return false;
  for (const name in input) {
    const member = input[name];
    if (typeof member === "string" ? !member.isWellFormed() : typeof member === "object") return false;
    if (!name.isWellFormed()) return false;
  }
  return true;
}

function sendableName(name: string): string {
  if (SENDABLE.test(name)) return name;
  return name.slice(0, LONGEST_NAME).replaceAll(OTHER_CHARACTERS, "_") || "unknown";
}

/** Returns the same object if there is nothing to change, which is the usual case. */
function runnable(given: CallRequest, isKept: boolean): CallRequest {
  const id = given.id.toWellFormed();
  const name = given.name.toWellFormed();
  if (!("input" in given)) return { ...given, id, name, inputText: given.inputText.toWellFormed() };
  const input = isKept ? wellFormed(given.input) : given.input;
  const isSame = id === given.id && name === given.name && input === given.input;
  return isSame ? given : { ...given, id, name, input };
}

/** Always an object, as the APIs require. What the model wrote instead of one is kept inside it. */
function historyInput(call: CallRequest, isKept: boolean): unknown {
  if (!("input" in call)) return { INVALID_JSON: call.inputText };
  if (!isKept) return { INVALID_JSON: "nested too deeply to be kept" };
  return isRecord(call.input) ? call.input : { INVALID_JSON: JSON.stringify(call.input) };
}

/**
 * Creates the preparation of the calls of one response.
 *
 * @example
 * ```ts
 * import { StreamingToolExecutor } from "@runahead/engine";
 * import { createWholeCalls } from "@runahead/engine/wire";
 *
 * const executor = new StreamingToolExecutor({ tools: [] });
 * const whole = createWholeCalls().take({ id: "toolu_1", name: "Read", inputText: '{"path":"a.ts"}' });
 * if (whole !== undefined) executor.add(whole.call);
 * ```
 */
export function createWholeCalls(): WholeCalls {
  return new WholeCalls();
}
