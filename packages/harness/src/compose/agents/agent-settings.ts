/** How many calls and agents run at a time, and the fast model of sub-agents, from options and settings. */

import type { Model } from "@runahead/agent";
import { isShape, messageOf } from "@runahead/base";
import type { LoadedSettings } from "../../settings/loaded.ts";
import type { Surroundings } from "../../surroundings.ts";
import { isAvailable } from "../model/available-models.ts";
import { chooseModel } from "../model/model.ts";
import { spellingNotice } from "../model/model-spelling.ts";
import type { HarnessOptions } from "../options.ts";

/** Limits by what they are for: `calls`, `agents`, the name of a tool or a place such as `mcp:/github`. */
export type Concurrency = number | Readonly<Record<string, number>>;

export interface ConcurrencyLimits {
  /** Calls of all agents together. */
  readonly limit?: number;
  /** Sub-agents at work. */
  readonly maxAgents?: number;
  /** Calls per tool and per place. */
  readonly limits: Readonly<Record<string, number>>;
}

type Notice = (message: string) => void;

/** Merges the `maxConcurrency` of the option and of the settings; the option comes first, entry by entry. */
export function concurrencyOf(
  option: Concurrency | undefined,
  settings: LoadedSettings,
  onNotice: Notice,
): ConcurrencyLimits {
  const found = (settings.other.get("maxConcurrency") ?? []).filter(({ trusted }) => trusted);
  const all = [
    ...(option === undefined ? [] : [{ value: option as unknown, name: "the option maxConcurrency" }]),
    ...found.map(({ value, name }) => ({ value, name: `maxConcurrency in ${name}` })),
  ];
  const merged: Record<string, number> = {};
  for (const { value, name } of all.toReversed())
    for (const [key, most] of Object.entries(entriesOf(value, name, onNotice))) {
      if (Number.isInteger(most) && Number(most) >= 1) merged[key] = Number(most);
      else onNotice(`${name}: "${key}" must be a whole number of at least 1; this entry is ignored.`);
    }
  const { calls, agents, ...others } = merged;
  return {
    ...(calls === undefined ? {} : { limit: calls }),
    ...(agents === undefined ? {} : { maxAgents: agents }),
    limits: Object.fromEntries(Object.entries(others).map(([key, most]) => [placeOf(key), most])),
  };
}

function entriesOf(value: unknown, name: string, onNotice: Notice): Readonly<Record<string, unknown>> {
  if (typeof value === "number") return { calls: value };
  if (isShape(value)) return value;
  onNotice(`${name} must be a number or an object such as {"calls": 10, "mcp:/github": 2}; it is ignored.`);
  return {};
}

/** `WebFetch` is a tool, `mcp:/github` a place. */
function placeOf(key: string): string {
  return key.includes(":/") ? key : `tool:/${key}`;
}

/** Chooses the model of the built-in `explore`; undefined if none is set or it cannot be used. */
export async function fastModelOf(
  world: Surroundings,
  flags: HarnessOptions,
  { settings, onNotice }: { readonly settings: LoadedSettings; readonly onNotice: Notice },
): Promise<Model | undefined> {
  const set = settings.other.get("fastModel")?.find(({ trusted }) => trusted)?.value;
  const name =
    flags.fastModel ?? (typeof set === "string" ? set : world.env["ANTHROPIC_SMALL_FAST_MODEL"]) ?? "";
  if (name === "" || flags.replay !== undefined) return undefined;
  reportSpelling(name, world, onNotice);
  return modelNamed(name, world, (why) => onNotice(`Cannot use the fast model ${name}: ${why}`));
}

/** The model of all sub-agents, `CLAUDE_CODE_SUBAGENT_MODEL`; undefined if none is set or it cannot be used. */
export async function subAgentModelOf(
  world: Surroundings,
  flags: HarnessOptions,
  { settings, onNotice }: { readonly settings: LoadedSettings; readonly onNotice: Notice },
): Promise<Model | undefined> {
  const name = world.env["CLAUDE_CODE_SUBAGENT_MODEL"] ?? "";
  if (name === "" || /^inherit$/i.test(name) || flags.replay !== undefined) return undefined;
  const refused = (why: string): void => onNotice(`CLAUDE_CODE_SUBAGENT_MODEL: cannot use ${name}: ${why}`);
  reportSpelling(name, world, onNotice);
  if (isAvailable(name, settings, world.env)) return modelNamed(name, world, refused);
  refused("it is not one of availableModels");
  return undefined;
}

function reportSpelling(name: string, { env }: Surroundings, onNotice: Notice): void {
  const notice = spellingNotice(name, env);
  if (notice !== undefined) onNotice(notice);
}

async function modelNamed(
  name: string,
  world: Surroundings,
  onFailure: (why: string) => void,
): Promise<Model | undefined> {
  try {
    return (await chooseModel(world, { model: name })).model;
  } catch (error) {
    onFailure(messageOf(error));
    return undefined;
  }
}
