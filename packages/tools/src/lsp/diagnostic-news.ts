/** Which diagnostics are new to an agent. Texts are compared without lines, because an edit moves them. */

import type { Diagnostic } from "./protocol.ts";

const SHOWN = 20;
const SHOWN_CHARS = 4_000;
const MESSAGE_CHARS = 300;
/** Hints and information are left out. */
const WARNING = 2;
const NAMES = ["error", "error", "warning", "information", "hint"];
const MOST_FILES = 1_000;

interface Known {
  /** The agent that wrote the file last; it gets what comes later. */
  agent: string;
  /** How often each diagnostic was there when the agent was last informed; undefined: never. */
  counts: ReadonlyMap<string, number> | undefined;
}

export class DiagnosticNews {
  readonly #files = new Map<string, Known>();

  /** Notes that an agent wrote a file. */
  wrote(path: string, agent: string): void {
    const counts = this.#files.get(path)?.counts;
    this.#files.delete(path);
    this.#files.set(path, { agent, counts });
    const oldest = this.#files.keys().next().value;
    if (this.#files.size > MOST_FILES && oldest !== undefined) this.#files.delete(oldest);
  }

  /** The files that an agent wrote last. */
  filesOf(agent: string): string[] {
    return [...this.#files].flatMap(([path, known]) => (known.agent === agent ? [path] : []));
  }

  /** Returns a text about what is new in a file, once; undefined if nothing is. */
  take(path: string, shown: string, diagnostics: readonly Diagnostic[]): string | undefined {
    const known = this.#files.get(path);
    if (known === undefined) return undefined;
    const problems = diagnostics.filter(({ severity }) => severity <= WARNING);
    const before = known.counts;
    known.counts = counted(problems);
    const fresh = beyond(problems, before ?? new Map());
    if (fresh.length === 0) return undefined;
    const first =
      before === undefined ? " (first report for this file: some can be older than your change)" : "";
    return `Diagnostics of ${shown}${first}:\n${diagnosticLines(fresh).join("\n")}`;
  }
}

/** One line per diagnostic, errors first. */
export function diagnosticLines(diagnostics: readonly Diagnostic[]): string[] {
  const sorted = diagnostics.toSorted(
    (one, other) =>
      one.severity - other.severity || one.at.line - other.at.line || one.at.character - other.at.character,
  );
  const lines: string[] = [];
  let chars = 0;
  for (const diagnostic of sorted.slice(0, SHOWN)) {
    const line = lineOf(diagnostic);
    chars += line.length;
    if (chars > SHOWN_CHARS) break;
    lines.push(line);
  }
  const more = sorted.length - lines.length;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}

function lineOf({ at, severity, message, code, source }: Diagnostic): string {
  const text = message.replaceAll(/\s*\n\s*/g, " ").slice(0, MESSAGE_CHARS);
  const origin = [source, code].filter((part) => part !== "").join(" ");
  const name = NAMES[severity] ?? "error";
  return `${at.line + 1}:${at.character + 1} ${name}: ${text}${origin === "" ? "" : ` [${origin}]`}`;
}

function keyOf({ severity, message, code, source }: Diagnostic): string {
  return JSON.stringify([severity, message, code, source]);
}

function counted(diagnostics: readonly Diagnostic[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of diagnostics) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}

/** The diagnostics that there are more of than before. */
function beyond(diagnostics: readonly Diagnostic[], before: ReadonlyMap<string, number>): Diagnostic[] {
  const left = new Map(before);
  return diagnostics.filter((one) => {
    const count = left.get(keyOf(one)) ?? 0;
    left.set(keyOf(one), count - 1);
    return count <= 0;
  });
}
