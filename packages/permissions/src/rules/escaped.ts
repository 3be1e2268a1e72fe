/**
 * Rules that another program saved: brackets and backslashes in the specifier are escaped, so that
 * `Bash(python3 -c "print\(1\)")` is about `python3 -c "print(1)"`.
 */

/** Rules of these sources were written by Runahead itself, which escapes only stars. */
const OWN_SOURCE = /(?:^|[/\\])\.runahead[/\\]|^(?:this session|suggested)$/;

/** Whether every bracket is escaped and every backslash escapes something, as in a saved rule. */
function isEscaped(text: string): boolean {
  return /\\[()\\]/.test(text) && /^(?:[^\\()]|\\[\\()*])*$/s.test(text);
}

/** The text without escapes. `\*` stays: it is a literal star in a pattern. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([\\()])/g, "$1");
}

/**
 * The texts that a specifier stands for. An allow has one reading, so that it never allows more than was meant. A deny
 * or ask has both: written by hand, or saved.
 */
export function readingsOf(inside: string, action: "allow" | "ask" | "deny", source: string): string[] {
  if (action !== "allow") return [...new Set([inside, unescaped(inside)])];
  // After `\\`, a star would become a literal or a wildcard that nobody wrote.
  const isSaved = isEscaped(inside) && !/\\\\\*/.test(inside) && !OWN_SOURCE.test(source);
  return [isSaved ? unescaped(inside) : inside];
}
