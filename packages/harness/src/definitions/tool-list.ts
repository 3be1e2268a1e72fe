/** Lists of tools as people write them: `Read, Bash(git add:*, x)`, `Read Grep`, `All tools`. */

import { isShape } from "@runahead/base";

/** Splits at commas, semicolons and spaces outside of brackets. A space before a bracket belongs to the entry. */
export function splitTools(text: string): string[] {
  const items: string[] = [];
  let item = "";
  let depth = 0;
  const end = (): void => {
    if (item.trim() !== "") items.push(item.trim());
    item = "";
  };
  for (const [at, letter] of [...text].entries()) {
    const isEscaped = text[at - 1] === "\\";
    if (letter === "(" && !isEscaped) depth++;
    if (letter === ")" && !isEscaped) depth = Math.max(0, depth - 1);
    const isGap = /[\s,;]/.test(letter) && depth === 0;
    if (!isGap || (!/[,;]/.test(letter) && /^\s*\(/.test(text.slice(at)))) item += letter;
    else end();
  }
  end();
  return items;
}

/** The tools of an object such as `{Read: true, Write: false}`, the form of another program. */
export function switchedTools(value: unknown): { readonly on: string[]; readonly off: string[] } | undefined {
  if (!isShape(value)) return undefined;
  const entries = Object.entries(value);
  const isSwitch = entries.length > 0 && entries.every(([, held]) => typeof held === "boolean");
  if (!isSwitch) return undefined;
  const named = (wanted: boolean): string[] =>
    entries.filter(([, held]) => held === wanted).map(([name]) => name);
  return { on: named(true), off: named(false) };
}

/** Whether a list names all tools. */
export function namesAllTools(tools: readonly string[]): boolean {
  return /^(?:\*|all|all tools)$/i.test(tools.join(" "));
}
