/** Connects the parts of a turn with what the executor was given. */

import { Execution, type ExecutePorts } from "./execute.ts";
import { Keys } from "./idempotency.ts";
import { Judge, type JudgePorts } from "./judge.ts";
import type { Notifier } from "./notifier.ts";
import type { CompleteOptions } from "./options.ts";
import type { Places } from "./places.ts";
import type { Answer, CanUseTool, NestedPermissions, Question } from "./ports.ts";
import { PromptLine } from "./prompts.ts";
import type { SharedContext } from "./tool.ts";
import type { Toolbox } from "./toolbox.ts";

/** What the runtime does for the judge and for running calls. */
type RuntimePorts = Pick<JudgePorts, "contextOf" | "changeAfter" | "checks"> &
  Pick<ExecutePorts, "progress" | "finished" | "retries">;

export interface Parts {
  readonly toolbox: Toolbox;
  readonly places: Places;
  readonly notifier: Notifier;
  readonly runtime: RuntimePorts;
}

export function wire<Context extends SharedContext>(
  options: CompleteOptions<Context>,
  { toolbox, places, notifier, runtime }: Parts,
): { readonly judge: Judge; readonly execution: Execution } {
  const { hooks, results, clock } = options;
  const canUseTool = options.canUseTool as CanUseTool | undefined;
  const prompts = options.ask === undefined ? undefined : new PromptLine(options.ask);
  const hookFailed = notifier.hookFailed.bind(notifier);
  const { contextOf, changeAfter, checks, progress, finished, retries } = runtime;
  const judge = new Judge({
    toolbox,
    canUseTool,
    prompts,
    answers: options.answers,
    canDefer: options.canDefer !== false,
    hooks,
    clock,
    places,
    contextOf,
    changeAfter,
    checks,
    hookFailed,
  });
  const execution = new Execution({
    hooks,
    results,
    clock,
    permissions: permissionsOf(canUseTool, prompts),
    keys: new Keys(options.scope),
    contextOf,
    progress,
    finished,
    retries,
    hookFailed,
    resultsFailed: notifier.resultsFailed.bind(notifier),
    contextFailed: notifier.contextFailed.bind(notifier),
  });
  return { judge, execution };
}

/** For nested calls: the same rules, and the same queue of questions. */
function permissionsOf(
  canUseTool: CanUseTool | undefined,
  prompts: PromptLine | undefined,
): NestedPermissions {
  return {
    canUseTool: canUseTool ?? (() => ({ behavior: "allow" })),
    ask: (question: Question): Promise<Answer> =>
      prompts === undefined ? Promise.reject(new Error("nobody can be asked")) : prompts.ask(question),
  };
}
