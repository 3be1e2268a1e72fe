/** Glob patterns: `*`, `?`, `**`, `[a-z]`, `{one,other}`. A pattern without a slash matches at any depth. */

import { Refusal } from "../shared/refusal.ts";

export interface GlobPattern {
  /** Whether a path relative to the root, without `./`, matches. */
  readonly matches: (path: string) => boolean;
  /** A pattern for the last name of every matching path, if there is a simple one. */
  readonly lastName: string | undefined;
  /** Whether `lastName` is the whole condition. */
  readonly isOnlyName: boolean;
}

export function globPattern(pattern: string): GlobPattern {
  if (pattern.startsWith("/") || /(^|\/)\.\.(\/|$)/.test(pattern))
    throw new Refusal(
      `The pattern ${pattern} leaves the searched directory. Pass that directory as path and a pattern relative to it.`,
    );
  const relative = pattern.replace(/^(?:\.\/)+/, "");
  const anchored = relative.includes("/") ? relative : `**/${relative}`;
  let expression: RegExp;
  try {
    expression = new RegExp(`^${translate(anchored)}$`, "su");
  } catch {
    throw new Refusal(`${pattern} is not a valid glob pattern: check its brackets and braces.`);
  }
  const lastName = lastNameOf(anchored);
  const isOnlyName = anchored === `**/${lastName}`;
  return { matches: (path) => expression.test(path), lastName, isOnlyName };
}

const TOKEN = /\*\*\/|\/\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|[{},]|[^*?[\\{},]+|[[\\]/gsu;

function translate(pattern: string): string {
  let depth = 0;
  const parts = pattern.match(TOKEN) ?? [];
  const translated = parts.map((part) => {
    if (part === "{") depth++;
    const inBraces = depth > 0;
    if (part === "}" && inBraces) depth--;
    return token(part, inBraces);
  });
  if (depth > 0) throw new SyntaxError("a brace is not closed");
  return translated.join("");
}

function token(part: string, inBraces: boolean): string {
  if (part === "**/") return "(?:[^/]+/)*";
  if (part === "/**") return "/.+";
  if (part === "**") return ".*";
  if (part.startsWith("*")) return "[^/]*";
  if (part === "?") return "[^/]";
  if (part === "{") return "(?:";
  if (part === "}") return inBraces ? ")" : "\\}";
  if (part === ",") return inBraces ? "|" : ",";
  if (part.length > 2 && part.startsWith("[")) return characterClass(part);
  return escaped(/^\\./su.test(part) ? part.slice(1) : part);
}

function characterClass(part: string): string {
  const isNegated = /^\[[!^]/.test(part);
  const inside = part.slice(isNegated ? 2 : 1, -1).replaceAll(/[\\[\]^&|~(){}/]/g, String.raw`\$&`);
  return isNegated ? `[^/${inside}]` : `[${inside}]`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Only syntax that ripgrep reads the same way. */
function lastNameOf(pattern: string): string | undefined {
  const last = pattern.slice(pattern.lastIndexOf("/") + 1);
  const isBalanced = /^[^{}]*(?:\{[^{}]*\}[^{}]*)*$/.test(last);
  return isBalanced && /^[\w.*?{},@+-]+$/.test(last) && !last.includes("**") ? last : undefined;
}
