/** What the shell keeps of a call beside the core's own state: the things that cannot be recorded. */

import type { Access, Call, State } from "./call.ts";
import { PrintedSoFar } from "./output.ts";
import type { AnyTool, SharedContext } from "./tool.ts";
import type { Validated } from "./toolbox.ts";

export class LiveCall {
  readonly id: string;
  readonly tool: AnyTool;
  readonly message: unknown;
  /** The input to run with; changed by hooks, permissions and people. */
  input: Record<string, unknown>;
  /** What the changed input touches. */
  changedAccess: Access | undefined;
  /** Of a schema that answers later: until then the input is as it came. */
  validation: Promise<Validated> | undefined;
  /** The core's own record of it, once it has arrived there. */
  call: Call | undefined;
  hookDecision: "allow" | "ask" | undefined;
  askReason = "";
  /** Whether the tool's `check` can run before the question. */
  isCheckable = true;
  hooksDone = false;
  /** The last state that the listener was told. */
  toldState: State | undefined;
  startedAt = 0;
  /** When its time is over, and whether anybody still waits for that. */
  dueAt = 0;
  hasEnded = false;
  /** Runs while it is being stopped. */
  grace: unknown;
  output: unknown;
  /** What it has changed for later calls, if anything. */
  changes: ((context: SharedContext) => SharedContext)[] | undefined;
  #running: AbortController | undefined;
  #judging: AbortController | undefined;
  #printed: PrintedSoFar | undefined;

  constructor(id: string, tool: AnyTool, message: unknown) {
    this.id = id;
    this.tool = tool;
    this.message = message;
    this.input = {};
  }

  /** Made when first asked for: an instant call that never looks at its signal does not pay for one. */
  get signal(): AbortSignal {
    this.#running ??= new AbortController();
    return this.#running.signal;
  }

  stop(reason: unknown): void {
    this.#running ??= new AbortController();
    this.#running.abort(reason);
  }

  get judgingSignal(): AbortSignal {
    this.#judging ??= new AbortController();
    return this.#judging.signal;
  }

  withdraw(): void {
    this.#judging?.abort(new Error("The question was withdrawn."));
    this.#judging = undefined;
  }

  print(text: string): void {
    this.#printed ??= new PrintedSoFar();
    this.#printed.add(text);
  }

  get printed(): string {
    return this.#printed?.toString() ?? "";
  }
}
