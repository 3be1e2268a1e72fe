/** How an allowed call must run: written when it is judged, read by its tool when it starts. */

/** What the judge says of the run of a call. */
export interface Confinement {
  /**
   * Files and folders that the sandbox hides, by their real paths; listed again each time it is called. Throws where
   * they cannot all be listed: the command must not run then.
   */
  hidden(): readonly string[];
}

const confinements = new WeakMap<object, Confinement>();

/** Notes how the call with this input must run; undefined: as any other. Called for every verdict on it. */
export function confine(input: unknown, confinement: Confinement | undefined): void {
  if (typeof input !== "object" || input === null) return;
  if (confinement === undefined) confinements.delete(input);
  else confinements.set(input, confinement);
}

/** How the call with this input must run, by the last verdict on it. */
export function confinementOf(input: object): Confinement | undefined {
  return confinements.get(input);
}
