/** `runahead settings`: shows the settings in effect and the file each one comes from. */

import { type Explanation, explainSettings, ruleNotes } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { World } from "../shared/world.ts";
import { type SettingsFlags, asJson, complainOf, load } from "./load.ts";

type Value = Explanation["values"][number];

export async function showSettings(world: World, flags: SettingsFlags): Promise<number> {
  const loaded = await load(world, flags);
  const explanation = explainSettings(loaded);
  if (flags.json === true) world.print(asJson(explanation));
  else world.print(inWords(explanation));
  complainOf(loaded, world);
  for (const note of ruleNotes(loaded)) world.complain(note);
  return loaded.problems.some(({ severity }) => severity === "error") ? EXIT.error : EXIT.done;
}

function inWords({ root, isTrusted, mode, files, values }: Explanation): string {
  const trust = isTrusted
    ? "trusted"
    : "not trusted: its allow rules, hooks and MCP servers are disabled; `runahead trust` enables them";
  const lines = [`folder  ${root} (${trust})`, `mode    ${mode}`, "", "files"];
  for (const { name, state } of files) if (state !== "missing") lines.push(`  ${name}${stateWords(state)}`);
  if (lines.length === 4) lines.push("  none");
  for (const key of new Set(values.map((value) => value.key))) {
    lines.push("", key);
    for (const value of values) if (value.key === key) lines.push(`  ${valueLine(value)}`);
  }
  return lines.join("\n");
}

function stateWords(state: Explanation["files"][number]["state"]): string {
  return state === "read" ? "" : ` (${state})`;
}

function valueLine({ value, from, status }: Value): string {
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  return `${shown}  ← ${from}${statusWords(status)}`;
}

function statusWords(status: Value["status"]): string {
  switch (status.type) {
    case "in-force":
      return "";
    case "shadowed":
      return ` (overridden by ${status.by})`;
    case "untrusted":
      return " (ignored: the folder is not trusted)";
    default:
      return ` (ignored: ${status.why})`;
  }
}
