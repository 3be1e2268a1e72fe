/** One skill or custom command, from the text of its file. Both have the same fields. */

import { basename, dirname } from "node:path";
import { isShape, stringOf } from "@runahead/base";
import { EFFORTS } from "@runahead/agent/internal";
import { isKnownTool, withKnownCase } from "@runahead/permissions/internal";
import type { NamedCommand } from "../settings/agents.ts";
import type { Problem } from "../settings/setting.ts";
import { DENIALS, Fields, type FieldTable } from "./fields.ts";

/** A skill or a custom command. */
export interface PromptFile {
  /** `skill`: a folder with a `SKILL.md`; `command`: a markdown file. */
  readonly kind: "skill" | "command";
  /** The name after the slash: `git:fix`, or `plugin:name` in a plugin. */
  readonly name: string;
  /** Another name that finds it: the one in the file of a skill that is called like its folder. */
  readonly alias?: string;
  /** What it does, for the user and the model. */
  readonly description: string;
  /** When the model should use it; empty if the file does not say. */
  readonly whenToUse: string;
  /** The text of the prompt, with its placeholders. */
  readonly body: string;
  /** What to type after the name; empty if the file does not say. */
  readonly argumentHint: string;
  /** Names of arguments, in order: `$name` stands for the argument at its position. */
  readonly argumentNames: readonly string[];
  /** Allow rules that apply while the prompt is worked on. */
  readonly allowedTools: readonly string[];
  /** Rules that deny calls while the prompt is worked on. */
  readonly disallowedTools: readonly string[];
  /** Name or alias of the model that answers; undefined for the current one. */
  readonly model: string | undefined;
  /** How much effort the model makes; undefined for the current one. */
  readonly effort: string | undefined;
  /** Whether it runs in a sub-agent. */
  readonly isForked: boolean;
  /** The type of that sub-agent; undefined for `general-purpose`. */
  readonly agent: string | undefined;
  /** Whether the model can load it. */
  readonly isForModel: boolean;
  /** Whether the user can call it with `/name`. */
  readonly isForUser: boolean;
  /** Patterns of the files that it is about. The model learns of it when one of them is used; empty for always. */
  readonly paths: readonly string[];
  /** Hooks that run after it was loaded, in the form of the settings. */
  readonly hooks: Readonly<Record<string, unknown>> | undefined;
  /** Absolute path of the file. */
  readonly path: string;
  /** Absolute path of the folder that the file is in. */
  readonly folder: string;
}

/** What the fields of skills and commands do. */
export const PROMPT_TABLE: FieldTable = {
  used: [
    "name",
    "description",
    "when_to_use",
    "argument-hint",
    "arguments",
    "allowed-tools",
    "disallowed-tools",
    "model",
    "effort",
    "context",
    "agent",
    "disable-model-invocation",
    "user-invocable",
    "paths",
    "hooks",
    "shell",
  ],
  // Of sub-agents it restricts, so it must not allow anything here.
  inert: { tools: "allowed-tools allows calls without approval, disallowed-tools takes tools away" },
  descriptive: ["created", "date", "id", "keywords", "mode", "origin", "owner", "source", "updated"],
  aliases: {
    ...Object.fromEntries(DENIALS.map((name) => [name, "disallowed-tools"])),
    globs: "paths",
    "user-invokable": "user-invocable",
    args: "arguments",
  },
  structured: ["allowed-tools", "disallowed-tools", "arguments", "paths", "hooks"],
  restrictions: ["disable-model-invocation", "disallowed-tools"],
};

/** Where a file is and what it is called. */
export interface PromptPlace {
  readonly kind: PromptFile["kind"];
  readonly path: string;
  /** The name of a command, or of a skill's folder. */
  readonly name: string;
  /** `plugin:`, or empty. */
  readonly prefix: string;
  /** What the name begins with if another file has it already; empty: the file is not used then. */
  readonly ifTaken?: string;
  /** The command, if a manifest names it. */
  readonly command?: NamedCommand;
}

/** Reads a skill or command. `file` is undefined if it is not used; `problems` says why. */
export function promptIn(
  text: string,
  place: PromptPlace,
): { readonly file: PromptFile | undefined; readonly problems: readonly Problem[] } {
  const fields = new Fields(text, place.path, PROMPT_TABLE, place.command?.fields);
  const file = fileOf(fields, place);
  if (fields.objection === undefined) return { file, problems: fields.problems };
  fields.report("error", "", `is ignored: ${fields.objection}`);
  return { file: undefined, problems: fields.problems };
}

function fileOf(fields: Fields, place: PromptPlace): PromptFile {
  const { kind, path, name } = place;
  const context = fields.choice("context", ["fork", "inline"]);
  return {
    kind,
    ...namesIn(fields, place),
    description: descriptionOf(fields, name),
    whenToUse: fields.text("when_to_use") ?? "",
    body: fields.body.trim(),
    argumentHint: hintOf(fields),
    argumentNames: namesOf(fields),
    allowedTools: allowedOf(fields),
    disallowedTools: fields.takenTools("disallowed-tools"),
    model: modelOf(fields),
    effort: fields.choice("effort", EFFORTS),
    isForked: context === "fork",
    agent: fields.text("agent"),
    isForModel: fields.flag("disable-model-invocation") !== true,
    isForUser: fields.flag("user-invocable") !== false,
    paths: fields.list("paths") ?? [],
    hooks: hooksOf(fields),
    path,
    folder: dirname(path),
  };
}

/** The folder names a skill, and the file finds it too. In a plugin, the file names it. */
function namesIn(fields: Fields, { kind, name, prefix }: PromptPlace): Pick<PromptFile, "name" | "alias"> {
  const written = kind === "skill" ? fields.text("name") : undefined;
  if (written === undefined || written === name) return { name: `${prefix}${name}` };
  if (!/^[\w.:-]+$/.test(written)) {
    fields.report("note", "name", `cannot be typed after a slash, so the skill is called ${name}`);
    return { name: `${prefix}${name}` };
  }
  return prefix === "" ? { name, alias: written } : { name: `${prefix}${written}` };
}

/** Whether this is the name of a skill or command, or its other name. */
export function isCalled(file: Pick<PromptFile, "name" | "alias">, name: string): boolean {
  return file.name === name || file.alias === name;
}

function descriptionOf(fields: Fields, name: string): string {
  const lines = fields.body.split("\n").map((line) => line.replace(/^#+\s*/, "").trim());
  return fields.text("description") ?? (lines.find((line) => line !== "") ?? name).slice(0, 300);
}

/** `[file] [--force]` reads as a list in YAML, but is meant as it is written. */
function hintOf(fields: Fields): string {
  const value = fields.raw("argument-hint") ?? null;
  if (value === null) return usageIn(fields) ?? "";
  return Array.isArray(value)
    ? `[${fields.text("argument-hint") ?? ""}]`
    : (fields.text("argument-hint") ?? "");
}

/** `args: "<file> [--force]"` is a hint, and names nothing. */
function usageIn(fields: Fields): string | undefined {
  const value = fields.raw("arguments");
  return typeof value === "string" && /[<[]/.test(value) ? value : undefined;
}

/** Names, or objects with a name and a description. */
function namesOf(fields: Fields): string[] {
  const value = fields.raw("arguments") ?? null;
  if (Array.isArray(value))
    return value.map((entry: unknown) => stringOf(isShape(entry) ? entry["name"] : entry).trim());
  if (usageIn(fields) !== undefined) return [];
  return (fields.text("arguments") ?? "").split(/[\s,]+/).filter((name) => /^[A-Za-z_][\w-]*$/.test(name));
}

/** A rule for all tools would turn the questions off, so it has no effect. */
function allowedOf(fields: Fields): string[] {
  const {
    names: written,
    excluded,
    prose,
  } = fields.tools("allowed-tools") ?? { names: [], excluded: [], prose: [] };
  // A tool that is named in a sentence is not allowed by it.
  for (const part of prose)
    fields.report("warning", "allowed-tools", `cannot be read, so it allows nothing: ${part}`);
  for (const entry of excluded)
    fields.report("note", "allowed-tools", `does not deny ${entry}: use disallowed-tools`);
  if (written.includes("*")) {
    fields.report(
      "note",
      "allowed-tools",
      "names all tools; calls still need the approval that they need elsewhere",
    );
  }
  const listed = written.filter((entry) => entry !== "*");
  return listed.map((entry) => {
    const [, before = ""] = /^([^()]*)/.exec(entry) ?? [];
    const name = withKnownCase(before.trim());
    if (!isKnownTool(name))
      fields.report("note", "allowed-tools", `names ${name || entry}, which is not a tool here`);
    return `${name}${entry.slice(before.length)}`;
  });
}

function modelOf(fields: Fields): string | undefined {
  const model = fields.text("model");
  return model === undefined || /^(?:inherit|default)$/i.test(model) ? undefined : model;
}

function hooksOf(fields: Fields): PromptFile["hooks"] {
  const value = fields.raw("hooks") ?? null;
  if (value === null) return undefined;
  if (isShape(value)) return value;
  fields.report("error", "hooks", "expected the form of the settings; no hook runs");
  return undefined;
}

/** The name of a command by its path below the folder: `git/fix.md` is `git:fix`. */
export function commandName(relativePath: string): string {
  const folders = dirname(relativePath)
    .split(/[/\\]/)
    .filter((part) => part !== "." && part !== "");
  return [...folders, basename(relativePath).replace(/\.md$/i, "")].join(":");
}
