/** Connects the parts of a turn with what the executor was given. */

import { Execution, type ExecutePorts } from "./execute.ts";
import { Keys } from "./idempotency.ts";
import { Judge, type JudgePorts } from "./judge.ts";
import type { CompleteOptions } from "./options.ts";
import type { Answer, CanUseTool, NestedPermissions, Question } from "./ports.ts";
import { PromptLine } from "./prompts.ts";
import type { SharedContext } from "./tool.ts";

/** What the runtime does and has for the judge and for running calls. */
type Parts = Pick<JudgePorts, "toolbox" | "places" | "notifier" | "contextOf" | "changeAfter" | "checks"> &
  Pick<ExecutePorts, "progress" | "finished" | "retries">;

export function wire<Context extends SharedContext>(
  options: CompleteOptions<Context>,
  parts: Parts,
): { readonly judge: Judge; readonly execution: Execution } {
  const { hooks, results, clock, answers } = options;
  const canUseTool = options.canUseTool as CanUseTool | undefined;
  const prompts = options.ask === undefined ? undefined : new PromptLine(options.ask);
  const { toolbox, places, notifier, checks, contextOf, changeAfter, progress, retries, finished } = parts;
  // Not a spread: it would double the time that creating an executor takes.
  const ports = {
    toolbox,
    places,
    notifier,
    checks,
    contextOf,
    changeAfter,
    progress,
    retries,
    finished,
    hooks,
    results,
    clock,
    canUseTool,
    prompts,
    answers,
    canDefer: options.canDefer !== false,
    permissions: permissionsOf(canUseTool, prompts),
    keys: new Keys(options.scope),
  };
  return { judge: new Judge(ports), execution: new Execution(ports) };
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
