/** `/model`, `/effort` and `/fast`: which model answers, and how much it thinks. */

import { type ListedModels, listModels, modelFacts } from "@runahead/harness";
import { EFFORT_LEVELS, KNOWN_MODELS } from "@runahead/harness/internal";
import { wordsOf } from "../../shared/failure.ts";
import { switchModel } from "../../shared/model-switch.ts";
import { amount, nearest, oneLine } from "../../shared/words.ts";
import type { Choice, Choosing } from "../panels/chooser.ts";
import { dim } from "../screen/style.ts";
import type { CommandPorts } from "./ports.ts";

/** Short names that stand for the newest model of a family. */
const SHORT = ["sonnet", "opus", "haiku"];
const EFFORTS: readonly string[] = EFFORT_LEVELS;

/** Shows the models to choose from, or switches to the one that is named. */
export async function model(
  ports: CommandPorts,
  name: string,
  source: "command" | "picker" = "command",
): Promise<string[]> {
  const { world, made, choose, exchange } = ports;
  const lists = await listModels(world.env);
  if (name === "") {
    const current = made().model.name;
    const choices = modelChoices(lists, current);
    const at = Math.max(
      0,
      choices.findIndex(({ value }) => value === current),
    );
    const lines = lists.flatMap(({ provider, problem }) =>
      problem === undefined ? [] : [`No list of models from ${provider}: ${oneLine(problem)}`],
    );
    const chosen = await choose({ title: `Model: ${oneLine(current)}`, lines: lines.map(dim), choices, at });
    if (chosen === undefined || chosen === current) return [`Model: ${oneLine(current)}`];
    return model(ports, chosen, "picker");
  }
  const refused = refusalOf(name, lists);
  if (refused !== undefined) return [refused];
  try {
    await switchModel({ name, source, run: () => exchange({ type: "model", name }), made });
  } catch (error) {
    return [`The model was not changed: ${oneLine(wordsOf(error))}`];
  }
  return [`Model: ${described(made().model.name)}`];
}

/** Switches to the fast model, and back. */
export async function fast(ports: CommandPorts): Promise<string[]> {
  const { world, made, exchange } = ports;
  const { settings, model: now } = made();
  const set = settings.other.get("fastModel")?.find(({ trusted }) => trusted)?.value;
  const name = typeof set === "string" ? set : fastInEnvironment(settings.env, world.env);
  const quick = name === "" ? "haiku" : name;
  const isQuick = now.name === before.get(world)?.quick;
  const former = before.get(world)?.usual;
  try {
    const wanted = isQuick && former !== undefined ? former : quick;
    const run = (): Promise<void> => exchange({ type: "model", name: wanted });
    await switchModel({ name: wanted, source: "command", run, made });
  } catch (error) {
    return [`The model was not changed: ${oneLine(wordsOf(error))}. Set fastModel in the settings.`];
  }
  if (!isQuick) before.set(world, { usual: now.name, quick: made().model.name });
  const how = isQuick ? "Back to" : "Fast model:";
  return [`${how} ${described(made().model.name)}${isQuick ? "" : ". /fast again switches back."}`];
}

function fastInEnvironment(...envs: readonly Readonly<Record<string, string | undefined>>[]): string {
  return envs.map((env) => env["ANTHROPIC_SMALL_FAST_MODEL"] ?? "").find((name) => name !== "") ?? "";
}

/** The models to return to, by program. */
const before = new WeakMap<object, { readonly usual: string; readonly quick: string }>();

export async function effort({ made, choose, exchange }: CommandPorts, typed: string): Promise<string[]> {
  const current = made().effort ?? "auto";
  const level = typed === "" ? await choose(effortsFrom(current)) : typed;
  if (level === undefined || (typed === "" && level === current)) return [`Effort: ${current}`];
  if (!EFFORTS.includes(level)) {
    const near = nearest(level, EFFORTS);
    return [
      `Unknown effort ${oneLine(level)}. ${near === undefined ? `Use ${EFFORTS.join(", ")}.` : `Did you mean ${near}?`}`,
    ];
  }
  try {
    await exchange({ type: "effort", level });
  } catch (error) {
    return [`The effort was not changed: ${oneLine(wordsOf(error))}`];
  }
  return [`Effort: ${level}`];
}

function effortsFrom(current: string): Choosing {
  const describe = (value: string): string =>
    [value === current ? "current" : "", value === "auto" ? "as much as the model does by default" : ""]
      .filter((text) => text !== "")
      .join(" · ");
  return {
    title: "How much should the model think?",
    choices: EFFORTS.map((value) => ({ value, label: value, description: describe(value) })),
    at: Math.max(0, EFFORTS.indexOf(current)),
  };
}

/** All models of the servers; the known ones of a provider whose server has no list. */
export function modelChoices(lists: readonly ListedModels[], current: string): Choice[] {
  const names = lists.flatMap(({ provider, models, problem }) =>
    problem === undefined ? models : KNOWN_MODELS.filter((name) => isOf(provider, name)),
  );
  const all = [...new Set([current, ...names])];
  return all.map((name) => ({ value: name, label: oneLine(name), description: factsIn(name, current) }));
}

function isOf(provider: string, name: string): boolean {
  return provider === "anthropic"
    ? name.startsWith("claude-")
    : provider === "openai" && name.startsWith("gpt-");
}

function factsIn(name: string, current = ""): string {
  const { contextTokens, price } = modelFacts(name);
  const parts = [
    ...(name === current ? ["current"] : []),
    ...(contextTokens === undefined ? [] : [`${amount(contextTokens).replace(".0", "")} context`]),
    ...(price === undefined ? [] : [`$${price.input} in, $${price.output} out per 1M tokens`]),
  ];
  return parts.join(" · ");
}

function described(name: string): string {
  const facts = factsIn(name);
  return `${oneLine(name)}${facts === "" ? "" : ` (${facts})`}`;
}

/** Why a name cannot be a model; undefined if it can. A server without a list could have any model. */
export function refusalOf(name: string, lists: readonly ListedModels[]): string | undefined {
  const plain = name.replace(/\[\w+\]$/, "");
  if (/^(?:default|opusplan|best)$/.test(plain) || SHORT.includes(plain)) return undefined;
  const listed = lists.flatMap(({ models }) => models);
  if (listed.includes(plain) || KNOWN_MODELS.includes(plain)) return undefined;
  if (Object.keys(modelFacts(plain)).length > 0) return undefined;
  const isComplete = lists.length > 0 && lists.every(({ problem }) => problem === undefined);
  if (/\s/.test(plain)) return `Unknown model ${oneLine(name)}. The name of a model has no spaces.`;
  const near = nearest(plain, [...listed, ...KNOWN_MODELS, ...SHORT]);
  if (!isComplete && near === undefined) return undefined;
  const hint = near === undefined ? "Type /model for a list." : `Did you mean ${oneLine(near)}?`;
  return `Unknown model ${oneLine(name)}. ${hint}`;
}
