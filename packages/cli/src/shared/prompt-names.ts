/** Names of skills and custom commands in lists. */

import type { CodingAgent, PromptFile } from "@runahead/harness";
import { strip } from "./safe-text.ts";
import { oneLine } from "./words.ts";

interface Named {
  readonly name: string;
}

/** Files with their help. A name that a built-in command has is shown as `/project:name`, which also finds it. */
export function namedFiles(
  files: readonly PromptFile[],
  own: readonly Named[],
): { readonly name: string; readonly help: string; readonly path: string }[] {
  return files.map(({ name, description, argumentHint, path }) => ({
    name: isHidden(name, own) ? `project:${name}` : name,
    help: oneLine(strip(argumentHint === "" ? description : `${argumentHint} ${description}`)),
    path,
  }));
}

/** Prompts of MCP servers with their arguments as help. */
export function namedPrompts(
  prompts: ReturnType<CodingAgent["mcp"]["prompts"]>,
): { readonly name: string; readonly help: string }[] {
  return prompts.map(({ name, description, args }) => {
    const hints = args.map((one) => (one.isRequired ? `<${one.name}>` : `[${one.name}]`));
    return { name, help: oneLine(strip([...hints, description].join(" "))) };
  });
}

/** Says which files a built-in command hides; undefined if it hides none. */
export function hiddenNotice(files: readonly PromptFile[], own: readonly Named[]): string | undefined {
  const hidden = files.filter(({ name }) => isHidden(name, own)).map(({ name }) => name);
  if (hidden.length === 0) return undefined;
  const names = hidden.map((name) => `/${name}`).join(", ");
  return `Built-in commands hide your own ${names}. Type /project:${hidden[0]} to use yours.`;
}

function isHidden(name: string, own: readonly Named[]): boolean {
  return own.some((command) => command.name === name);
}
