/** Flags with several values, as other programs and hosts write them: `--allowedTools Read "Bash(git log:*)"`. */

import { KNOWN_TOOL_NAMES } from "@runahead/harness/internal";

const RULES = new Set(["--allowedTools", "--disallowedTools", "--tools"]);
const OTHERS = new Set(["--add-dir", "--mcp-config"]);
const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  "--allowed-tools": "--allowedTools",
  "--disallowed-tools": "--disallowedTools",
};

/**
 * Repeats a flag before each of its values. A value that follows the first can also be the prompt, so it only counts if
 * it is a rule, or if a host that writes its prompts to standard input passed it.
 */
export function repeatedFlags(args: readonly string[]): string[] {
  const isHosted = args.some(
    (arg, at) =>
      arg === "--input-format=stream-json" || (arg === "--input-format" && args[at + 1] === "stream-json"),
  );
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const made: string[] = [];
  /** The flag whose values follow, and whether its first one has been read. */
  let open: { readonly flag: string; hasValue: boolean } | undefined;
  for (const arg of args.slice(0, end)) {
    const flag = OTHER_SPELLINGS[arg] ?? arg;
    if (
      open?.hasValue === true &&
      !arg.startsWith("-") &&
      (isHosted || (RULES.has(open.flag) && isRule(arg)))
    )
      made.push(open.flag, arg);
    else if (open?.hasValue === false) {
      made.push(arg);
      open.hasValue = true;
    } else {
      made.push(flag);
      open = RULES.has(flag) || OTHERS.has(flag) ? { flag, hasValue: false } : undefined;
    }
  }
  return [...made, ...args.slice(end)];
}

const KNOWN = new Set(KNOWN_TOOL_NAMES);

/** Whether a text can only be a rule: a prompt can also be a single word. */
function isRule(text: string): boolean {
  const [name = ""] = text.split(/[(,\s]/, 1);
  if (name.startsWith("mcp__")) return !/\s/.test(text);
  return KNOWN.has(name) && (text === name || /[,)]/.test(text));
}
