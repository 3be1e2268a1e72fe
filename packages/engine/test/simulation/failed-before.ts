/** Seeds that show faults which the engine once had. Kept so that they do not come back. */

export const FAILED_BEFORE: readonly number[] = [
  // A call whose schema answered after a new message had come was run though the message cancels it.
  76,
  // Rules that changed while changed input was being validated: the old verdict counted, then the old claims.
  5028,
  // A call whose start was not recorded yet was run after a refusal, and against rules that had changed.
  28, 20,
  // An earlier call that a new message cancelled was said to have been cancelled by the failure of a later one.
  147_495,
  693_702,
];
