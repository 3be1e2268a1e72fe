/** The keys of the input line, as help and docs list them. */

import { ACTIONS, type Bindings, readBindings } from "./bindings.ts";

/** Keys that cannot be changed, and what text can begin with. */
const FIXED: readonly (readonly [string, string])[] = [
  ["Esc", "interrupt; reject a permission question"],
  ["Ctrl+C", "interrupt or clear the line; twice to exit"],
  ["Enter", "send; while the agent is busy, queue the prompt"],
  ["Alt+Enter", "new line (also Shift+Enter, or \\ and Enter)"],
  ["Tab", "complete; move to a waiting question"],
  ["↑ ↓", "previous prompts; edit a queued prompt"],
  ["?", "show this list, on an empty line"],
];

const TEXTS: readonly (readonly [string, string])[] = [
  ["/command", "run a command; letters of its name in order are enough for Tab"],
  ["@file", "attach a file, an image or a folder to the prompt; Tab completes its name"],
  ["#text", "add a line to an instruction file"],
  ["!command", "run a shell command yourself; its output goes to the model with your next prompt"],
  ["!!command", "the same, but the model does not see the output"],
];

/** Every key and what it does. Default: without a file of key bindings. */
export function keyList(
  bindings: Bindings = readBindings(undefined).bindings,
): (readonly [string, string])[] {
  const bound = Object.entries(ACTIONS).flatMap(([action, { help }]) => {
    const keys = bindings.keysOf(action as keyof typeof ACTIONS);
    return keys.length === 0 ? [] : [[keys.map(shownKey).join(", "), help] as const];
  });
  return [...FIXED, ...bound, ...TEXTS];
}

/** `ctrl+o` as `Ctrl+O`. */
function shownKey(key: string): string {
  return key
    .split(/(?<=.)\+/)
    .map((part) => `${part.slice(0, 1).toUpperCase()}${part.slice(1)}`)
    .join("+");
}
