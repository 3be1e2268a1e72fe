/** The level of effort of a model, for hooks and commands. */

import type { Model } from "@runahead/agent";
import { effortOf, factsOf } from "@runahead/agent/internal";
import type { ModelWishes } from "./model-wishes.ts";

const levels = new WeakMap<Model, string>();

/** Notes the level that a model has: what was asked for, as far as the model supports it. */
export function noteEffort(
  model: Model,
  { effort, thinking }: Pick<ModelWishes, "effort" | "thinking">,
): Model {
  const wishes = {
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
  };
  const level = effortOf(wishes, factsOf(model));
  if (level !== undefined) levels.set(model, level);
  return model;
}

/** Returns undefined if nobody asked for a level, or the model has none. */
export function effortLevel(model: Model): string | undefined {
  return levels.get(model);
}

/** The variable that shell commands find the level in. */
export function effortVariable(level: string | undefined): Record<string, string> {
  return level === undefined ? {} : { CLAUDE_EFFORT: level };
}
