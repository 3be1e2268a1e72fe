/**
 * What the judge leaves for a tool: noted for an input when it is judged, read by the tool when its call starts. Kept by
 * the input object itself, so that it is about this call and no other.
 */

/** How a shell command that is allowed only because it reads must run: in the read-only sandbox. */
export interface Confinement {
  /**
   * Lists the files that a `Read` deny covers, which the sandbox must hide; looks them up each time. Throws if some of
   * them cannot be hidden: then the command must not run.
   */
  hidden(): readonly string[];
}

/** A verdict on a call, as far as its tool has to know it. */
export interface Clearance {
  readonly behavior: "allow" | "ask" | "deny";
  readonly reason?: string;
  readonly confinement?: Confinement;
  /** The names and resolved paths that the verdict looked at; undefined if it was not about a file. */
  readonly files?: readonly string[];
}

interface Note {
  readonly clearance: Clearance;
  readonly judgeAgain: () => Clearance;
}

const notes = new WeakMap<object, Note>();

/** Notes the verdict on this input, and how to reach it anew. Called for every verdict on it. */
export function noteClearance(input: unknown, clearance: Clearance, judgeAgain: () => Clearance): void {
  if (typeof input === "object" && input !== null) notes.set(input, { clearance, judgeAgain });
}

/** The last verdict on this input; undefined if nobody has judged it. */
export function clearanceOf(input: object): Clearance | undefined {
  return notes.get(input)?.clearance;
}

/**
 * The verdict on this input as things are now. A verdict on a command depends on the files that are there, and another
 * call may have changed them since. Undefined if the rules did not allow the call themselves: then a person did.
 */
export function clearanceNow(input: object): Clearance | undefined {
  const note = notes.get(input);
  return note?.clearance.behavior === "allow" ? note.judgeAgain() : undefined;
}
