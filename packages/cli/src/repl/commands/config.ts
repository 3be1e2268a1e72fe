/** `/config`, `/theme` and `/vim`: settings of the user that the program can change itself. */

import { saveSetting } from "@runahead/harness";
import { EFFORT_LEVELS } from "@runahead/harness/internal";
import { wordsOf } from "../../shared/failure.ts";
import { reveal } from "../../shared/safe-text.ts";
import { nearest, oneLine, shownPath } from "../../shared/words.ts";
import { THEMES, currentTheme, isTheme, setTheme } from "../screen/style.ts";
import type { CommandPorts } from "./ports.ts";

interface Option {
  readonly key: string;
  readonly label: string;
  readonly values: readonly string[];
  /** What counts if it is not set. */
  readonly usual: string;
  /** Takes effect in the running program. Default: from the next start on. */
  readonly apply?: (ports: CommandPorts, value: string) => void;
}

const FLAGS = ["true", "false"];

const OPTIONS: readonly Option[] = [
  {
    key: "theme",
    label: "Colours",
    values: THEMES,
    usual: "ansi",
    apply: (_, value) => isTheme(value) && setTheme(value),
  },
  {
    key: "editorMode",
    label: "Keys of the input line",
    values: ["normal", "vim"],
    usual: "normal",
    apply: ({ setVim }, value) => setVim(value === "vim"),
  },
  {
    key: "effortLevel",
    label: "How much the model thinks",
    values: EFFORT_LEVELS,
    usual: "auto",
  },
  {
    key: "outputStyle",
    label: "Style of answers",
    values: ["default", "Explanatory", "Learning", "Proactive"],
    usual: "default",
  },
  { key: "alwaysThinkingEnabled", label: "Always think", values: FLAGS, usual: "false" },
  { key: "includeCoAuthoredBy", label: "Name Runahead in commits", values: FLAGS, usual: "false" },
];

/** Lists the settings until the user closes the list. `/config key value` sets one. */
export async function config(ports: CommandPorts, words: string): Promise<string[]> {
  const [key = "", value = ""] = words.split(/[\s=]+/, 2);
  if (key !== "") return setByName(ports, key, value);
  const done: string[] = [];
  let at = 0;
  for (;;) {
    const chosen = await ports.choose({
      title: "Settings ─ saved in ~/.runahead/settings.json",
      choices: OPTIONS.map((option) => ({
        value: option.key,
        label: option.label,
        description: `${option.key}: ${setOrUsual(ports, option)}`,
      })),
      at,
    });
    const option = OPTIONS.find((one) => one.key === chosen);
    if (option === undefined) return done;
    at = OPTIONS.indexOf(option);
    const given = await choice(ports, option);
    if (given !== undefined) done.push(...(await save(ports, option, given)));
  }
}

export async function theme(ports: CommandPorts, words: string): Promise<string[]> {
  const option = OPTIONS[0] as Option;
  const before = currentTheme();
  const given = words === "" ? await choice(ports, option) : words;
  if (given === undefined) return [];
  if (!isTheme(given)) {
    const near = nearest(given, THEMES);
    return [
      `Unknown theme ${oneLine(given)}. ${near === undefined ? `Use ${THEMES.join(", ")}.` : `Did you mean ${near}?`}`,
    ];
  }
  return given === before && words === "" ? [`Theme: ${given}`] : save(ports, option, given);
}

/** Switches vim mode on and off. */
export async function vim(ports: CommandPorts, words: string): Promise<string[]> {
  const option = OPTIONS[1] as Option;
  const isOn = valueOf(ports, option) === "vim";
  const wanted = words === "" ? (isOn ? "normal" : "vim") : words === "off" ? "normal" : "vim";
  return save(ports, option, wanted);
}

async function setByName(ports: CommandPorts, key: string, value: string): Promise<string[]> {
  const option = OPTIONS.find((one) => one.key === key);
  if (option === undefined) {
    const near = nearest(
      key,
      OPTIONS.map((one) => one.key),
    );
    return [
      `Unknown setting ${oneLine(key)}. ${near === undefined ? "Type /config for a list." : `Did you mean ${near}?`}`,
    ];
  }
  if (!option.values.includes(value)) return [`${key} takes ${option.values.join(", ")}.`];
  return save(ports, option, value);
}

function choice(ports: CommandPorts, option: Option): Promise<string | undefined> {
  const now = valueOf(ports, option);
  return ports.choose({
    title: option.label,
    choices: option.values.map((value) => ({
      value,
      label: value,
      ...(value === now ? { description: "current" } : {}),
    })),
    at: Math.max(0, option.values.indexOf(now)),
  });
}

/** What was set in this process, by key. */
const changed = new Map<string, string>();

function valueOf(ports: Pick<CommandPorts, "made">, option: Option): string {
  return option.key === "theme" ? currentTheme() : (setValue(ports, option) ?? option.usual);
}

function setOrUsual(ports: Pick<CommandPorts, "made">, option: Option): string {
  const value = valueOf(ports, option);
  const isSet = option.key === "theme" || setValue(ports, option) !== undefined;
  return isSet || value === "default" ? value : `${value} (default)`;
}

function setValue({ made }: Pick<CommandPorts, "made">, { key }: Option): string | undefined {
  const value = made()
    .settings.other.get(key)
    ?.find(({ trusted }) => trusted)?.value;
  const inFile = value === undefined ? undefined : oneLine(JSON.stringify(value).replaceAll('"', ""));
  return changed.get(key) ?? inFile;
}

async function save(ports: CommandPorts, option: Option, value: string): Promise<string[]> {
  const { key, apply } = option;
  apply?.(ports, value);
  changed.set(key, value);
  const when = apply === undefined ? " It takes effect at the next start." : "";
  try {
    const path = await saveSetting(key, FLAGS.includes(value) ? value === "true" : value, ports.world);
    return [`${key}: ${value}. Saved in ${reveal(shownPath(path, ports.world))}.${when}`];
  } catch (error) {
    return [`${key}: ${value}, for this session only: ${oneLine(wordsOf(error))}`];
  }
}
