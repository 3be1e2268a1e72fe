/** Names of models that are probably misspelled. They are used as they are, because a server can have any model. */

import { editsBetween } from "@runahead/base";
import { KNOWN_MODELS } from "@runahead/agent/internal";
import type { Surroundings } from "../../surroundings.ts";
import { isModelAlias } from "./model-alias.ts";

/** `claude`, `sonnet`, `gpt`: other words of names, such as `mini`, are near words of too many other models. */
const FAMILIES: readonly string[] = [
  ...new Set(
    KNOWN_MODELS.flatMap((name) => (name.startsWith("claude-") ? name.split("-", 2) : name.split("-", 1))),
  ),
];

/** Says that a name is not known and which one is near; undefined if the name could be meant. */
export function spellingNotice(name: string | undefined, env: Surroundings["env"]): string | undefined {
  if (name === undefined || isModelAlias(name) || KNOWN_MODELS.includes(name)) return undefined;
  const meant = respelled(name) ?? (isOwnAddress(env) ? withoutShortcuts(name) : undefined);
  return meant === undefined
    ? undefined
    : `Unknown model "${name}". Did you mean "${meant}"? The name is sent as it is.`;
}

/** The name with its misspelled words corrected. */
function respelled(name: string): string | undefined {
  const meant = name.replaceAll(/[A-Za-z]+/g, (word) => familyNear(word.toLowerCase()) ?? word);
  return meant === name ? undefined : meant;
}

function familyNear(word: string): string | undefined {
  if (FAMILIES.includes(word)) return undefined;
  const letters = [...word].toSorted().join("");
  return FAMILIES.find(
    (family) =>
      letters === [...family].toSorted().join("") || (family.length > 3 && editsBetween(word, family) === 1),
  );
}

/** `sonnet-5` and `claude-sonnet-4.5`: other servers have models of such names. */
function withoutShortcuts(name: string): string | undefined {
  const dashed = name.toLowerCase().replaceAll(/[._ ]/g, "-");
  return [dashed, `claude-${dashed}`].find((one) => one !== name && KNOWN_MODELS.includes(one));
}

function isOwnAddress(env: Surroundings["env"]): boolean {
  return ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OLLAMA_HOST"].every((name) => (env[name] ?? "") === "");
}
