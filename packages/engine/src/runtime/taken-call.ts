/** A call that was taken in: its tool is known, and its input is valid as far as is known. Nothing in it changes. */

import type { AnyTool } from "./tool.ts";
import type { Validated } from "./toolbox.ts";

export type Input = Record<string, unknown>;

export interface TakenCall {
  readonly id: string;
  readonly tool: AnyTool;
  /** The assistant message that contains the call. */
  readonly message: unknown;
  /** The model's own input. Input that a hook, a rule or the user changed is kept by the judge. */
  readonly input: Input;
  /** The validation of an asynchronous schema. Until it has finished, nothing is known about the input. */
  readonly validation: Promise<Validated> | undefined;
}
