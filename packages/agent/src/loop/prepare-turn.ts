/** What can be different in each turn: the model, the tools, the tool choice and the system prompt. */

import { aString, checkOptions, strings, unlessStopped } from "@runahead/base";
import type { AnyTool } from "@runahead/engine";
import type { Model } from "../model/event.ts";
import type { Message } from "../model/message.ts";
import { type ToolChoice, aToolChoice, isForced } from "../model/tool-choice.ts";
import { aModel } from "./check-options.ts";
import { type LoopOptions, toolsNow } from "./options.ts";

/** Describes the turn that is about to begin. */
export interface NextTurn {
  /** The number of the turn within the prompt, from 1. */
  readonly number: number;
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** The model that answers otherwise. */
  readonly model: Model;
  /** The tools that are offered otherwise. */
  readonly tools: readonly AnyTool[];
  /** The system prompt otherwise; empty for none. */
  readonly system: string;
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal;
}

/** Settings of one turn. What is left out stays as in the options. */
export interface TurnSettings {
  /** The model that answers. `fallbackModel` still takes over after repeated overload. */
  readonly model?: Model;
  /** The names of the tools that are offered. Calls of other tools are refused in this turn. */
  readonly tools?: readonly string[];
  /** Whether the model calls tools. */
  readonly toolChoice?: ToolChoice;
  /** The system prompt. */
  readonly system?: string;
}

/** Returns the settings of the next turn; nothing to leave everything as it is. */
export type PrepareTurn = (
  turn: NextTurn,
) => TurnSettings | undefined | void | Promise<TurnSettings | undefined | void>;

const SETTINGS = { model: aModel, tools: strings, toolChoice: aToolChoice, system: aString };

interface Before extends Pick<NextTurn, "number" | "messages" | "model" | "signal"> {
  readonly options: LoopOptions;
}

/** Returns the settings of a turn. Rejects if `prepareTurn` does, or if what it returns is invalid. */
export async function settingsOf({ options, ...turn }: Before): Promise<TurnSettings> {
  const byOption = firstChoice(options.toolChoice, turn.number);
  const { system = "", prepareTurn } = options;
  if (prepareTurn === undefined) return byOption;
  const tools = toolsNow(options);
  // The caller's function can ignore its signal.
  const given = (await unlessStopped(prepareTurn({ ...turn, tools, system }), turn.signal)) ?? {};
  checkOptions(given, SETTINGS, "the settings of a turn");
  const unknown = given.tools?.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined)
    throw new TypeError(
      `unknown tool ${JSON.stringify(unknown)}. Tools: ${tools.map(({ name }) => name).join(", ")}.`,
    );
  return { ...byOption, ...given };
}

/** A forced call in every turn would leave no turn for the answer. */
function firstChoice(toolChoice: ToolChoice | undefined, turn: number): TurnSettings {
  if (toolChoice === undefined || (isForced(toolChoice) && turn > 1)) return {};
  return { toolChoice };
}

/** Returns the tools of a turn. */
export function toolsOfTurn(options: LoopOptions, { tools: names }: TurnSettings): readonly AnyTool[] {
  const tools = toolsNow(options);
  return names === undefined ? tools : tools.filter(({ name }) => names.includes(name));
}
