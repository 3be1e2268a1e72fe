/** Turns a call from the wire into one that can run: parses, finds the tool, validates, reads its declarations. */

import { WRITES_EVERYTHING } from "../core/access.ts";
import type { Access, CallRequest } from "../core/call.ts";
import { type Outcome, toolUseError } from "../core/outcome.ts";
import { messageOf } from "./serialise.ts";
import type { Input, TakenCall } from "./taken-call.ts";
import type { SharedContext } from "./tool.ts";
import { type Toolbox, accessOf, delegating } from "./toolbox.ts";
import { toWellFormed } from "./well-formed.ts";

export type Intake =
  | { readonly taken: TakenCall; readonly access: Access }
  | { readonly taken: undefined; readonly outcome: Outcome };

/**
 * Until an asynchronous schema has finished, nothing is known about a call. It cannot start meanwhile, so what only calls
 * that write are subject to is decided when it is known whether this one writes.
 */
const UNKNOWN_ACCESS: Access = {
  claims: WRITES_EVERYTHING,
  readOnly: true,
  interrupt: "block",
  onError: "isolate",
};

export function takeIn(request: CallRequest, toolbox: Toolbox, context: SharedContext): Intake {
  const { id, message } = request;
  const tool = toolbox.find(request.name);
  if (tool === undefined) return refused("unknown-tool", toolbox.unknownTool(request.name));
  const parsed = parse(request);
  if ("fault" in parsed) return refused("invalid-input", parsed.fault);
  const validated = toolbox.validate(tool, parsed.input);
  if (validated instanceof Promise) {
    const access = tool.delegates === true ? delegating(UNKNOWN_ACCESS) : UNKNOWN_ACCESS;
    return { taken: { id, tool, message, input: parsed.input as Input, validation: validated }, access };
  }
  if (!validated.ok) return refused("invalid-input", validated.message);
  const { input } = validated;
  const access = accessOf(tool, input, context);
  return { taken: { id, tool, message, input, validation: undefined }, access };
}

function refused(fault: "unknown-tool" | "invalid-input", message: string): Intake {
  return { taken: undefined, outcome: { type: "failed", fault, message: message.toWellFormed() } };
}

const SHOWN_CHARS = 1_000;

function parse(request: CallRequest): { readonly input: unknown } | { readonly fault: string } {
  if (!("inputText" in request) || request.inputText === undefined)
    return { input: toWellFormed((request as { input?: unknown }).input) };
  const { inputText, name } = request;
  try {
    return { input: inputText.trim() === "" ? {} : toWellFormed(JSON.parse(inputText)) };
  } catch (error) {
    const shown = inputText.slice(0, SHOWN_CHARS).toWellFormed();
    const isCut = shown.length < inputText.length ? ` (the first ${SHOWN_CHARS} characters)` : "";
    const why = `InputValidationError: the input of ${name} is not valid JSON, so it was not run: ${messageOf(error)}.`;
    return { fault: toolUseError(`${why} What you sent${isCut}:\n${shown}`) };
  }
}
