/** Which file a verdict was about: noted when a call is judged, compared by its tool with what it is about to open. */

const files = new WeakMap<object, readonly string[]>();

/** Notes the names and resolved paths that the verdict on this input looked at; undefined: it was not about a file. */
export function noteJudgedFiles(input: unknown, judged: readonly string[] | undefined): void {
  if (typeof input !== "object" || input === null) return;
  if (judged === undefined) files.delete(input);
  else files.set(input, judged);
}

/** By the last verdict on this input; undefined if there was none, or if it was not about a file. */
export function judgedFiles(input: object): readonly string[] | undefined {
  return files.get(input);
}
