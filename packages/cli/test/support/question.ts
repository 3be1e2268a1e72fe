import type { PersonQuestion } from "@runahead/harness";

/** Asks whether `make` can be run. */
export function questionOf(members: Partial<PersonQuestion> = {}): PersonQuestion {
  return {
    callId: "1",
    toolName: "Bash",
    input: { command: "make" },
    description: "make",
    reason: "",
    choices: [],
    from: undefined,
    waiting: 0,
    signal: new AbortController().signal,
    ...members,
  };
}
