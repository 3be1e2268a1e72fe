/**
 * Passes what the verdict decided to the tool that runs the call. Stored by the identity of the input object, so it
 * applies to this call only.
 */

/** How to run a shell command that is allowed only because it reads: in the read-only sandbox. */
export interface Confinement {
  /**
   * Lists the files that a `Read` deny covers and that the sandbox must hide, looked up on each call. Throws if some
   * of them cannot be hidden: then the command must not run.
   */
  hidden(): readonly string[];
}

/** The part of a verdict that the tool needs. */
export interface Clearance {
  readonly behavior: "allow" | "ask" | "deny";
  readonly reason?: string;
  readonly confinement?: Confinement;
  /** The names and resolved paths that the verdict checked; undefined if it was not about a file. */
  readonly files?: readonly string[];
}

interface Note {
  readonly clearance: Clearance;
  readonly judgeAgain: () => Clearance;
}

const notes = new WeakMap<object, Note>();

/** Stores the verdict on this input and how to compute it again. Called for every verdict. */
export function noteClearance(input: unknown, clearance: Clearance, judgeAgain: () => Clearance): void {
  if (typeof input === "object" && input !== null) notes.set(input, { clearance, judgeAgain });
}

/** Returns the last verdict on this input; undefined if it has not been judged. */
export function clearanceOf(input: object): Clearance | undefined {
  return notes.get(input)?.clearance;
}

/**
 * Returns a fresh verdict on this input. A verdict on a command depends on the files on disk, which another call may
 * have changed. Undefined if the user allowed the call and not the rules.
 */
export function clearanceNow(input: object): Clearance | undefined {
  const note = notes.get(input);
  return note?.clearance.behavior === "allow" ? note.judgeAgain() : undefined;
}
