/** One sub-agent, from the text of its file. */

import { basename } from "node:path";
import { isShape } from "@runahead/base";
import { EFFORTS } from "@runahead/agent/internal";
import { PERMISSION_MODES } from "@runahead/permissions";
import { isKnownTool, withKnownCase } from "@runahead/permissions/internal";
import type { Problem } from "../settings/setting.ts";
import { DENIALS, Fields, type FieldTable } from "./fields.ts";
import { namesAllTools, switchedTools } from "./tool-list.ts";

/** A sub-agent that is defined in a markdown file. */
export interface AgentFile {
  /** Name that the model calls it by. */
  readonly name: string;
  /** When to use it, as text for the model. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** Its tools: names or rules such as `Bash(git log:*)`; undefined for all. */
  readonly tools: readonly string[] | undefined;
  /** Tools that it does not have, in the same form. */
  readonly disallowedTools: readonly string[];
  /** Its permission mode; undefined for that of the caller. */
  readonly permissionMode: "default" | "plan" | "dontAsk" | "acceptEdits" | undefined;
  /** Name or alias of its model; undefined for the model of the caller. */
  readonly model: string | undefined;
  /** The maximum number of turns; undefined for the default. */
  readonly maxTurns: number | undefined;
  /** How much effort its model makes; undefined for that of the caller. */
  readonly effort: string | undefined;
  /** Skills whose text is added to its prompt. */
  readonly skills: readonly string[];
  /** MCP servers that it uses: names, or definitions by name; undefined for those of the caller. */
  readonly mcpServers: readonly (string | Readonly<Record<string, unknown>>)[] | undefined;
  /** Hooks that run for it, in the form of the settings. */
  readonly hooks: Readonly<Record<string, unknown>> | undefined;
  /** Where it keeps notes; undefined for nowhere. */
  readonly memory: "user" | "project" | "local" | undefined;
  /** `worktree`: it works in its own git worktree. */
  readonly isolation: "worktree" | undefined;
  /** Whether the caller does not wait for it. */
  readonly background: boolean;
  /** Whether it works without instruction files. */
  readonly omitClaudeMd: boolean;
  /** What a main agent with this definition is asked first. */
  readonly initialPrompt: string | undefined;
  /** Summarises its conversation as if its model had a window of this many tokens. */
  readonly autoCompactWindow: number | undefined;
  /** The colour of its name in the transcript. */
  readonly color: string | undefined;
  /** Absolute path of the file. */
  readonly path: string;
}

/** What the fields of sub-agents do. */
export const AGENT_TABLE: FieldTable = {
  used: [
    "name",
    "description",
    "tools",
    "disallowedTools",
    "permissionMode",
    "model",
    "maxTurns",
    "effort",
    "skills",
    "mcpServers",
    "hooks",
    "memory",
    "isolation",
    "background",
    "color",
    "permissions",
    "omitClaudeMd",
    "initialPrompt",
    "autoCompactWindow",
    "criticalSystemReminder_EXPERIMENTAL",
    "readonly",
    "enabled",
    "disabled",
  ],
  inert: {
    observer: "Runahead does not start observers beside a sub-agent",
    observerMessage: "Runahead does not start observers beside a sub-agent",
  },
  descriptive: [],
  aliases: {
    allowedTools: "tools",
    "allowed-tools": "tools",
    ...Object.fromEntries(DENIALS.map((name) => [name, "disallowedTools"])),
    mode: "permissionMode",
    permission: "permissions",
    capabilityMode: "readonly",
    disable: "disabled",
    sandbox: "readonly",
    sandboxMode: "readonly",
  },
  structured: ["tools", "disallowedTools", "skills", "mcpServers", "hooks"],
  restrictions: ["tools", "disallowedTools", "permissionMode", "maxTurns"],
};

/** What a leader of other programs cannot do itself. */
const ONLY_DELEGATES = ["Edit", "Write", "NotebookEdit", "Bash"];

/** Documents for people that are often kept beside definitions. */
const DOCUMENTS = /^(?:README|AGENTS|CLAUDE|INDEX|CHANGELOG|CONTRIBUTING|TEMPLATE|_.*)$/i;

/** Reads a definition. `agent` is undefined if the file is not used; `problems` says why. */
export function agentIn(
  text: string,
  path: string,
): { readonly agent: AgentFile | undefined; readonly problems: readonly Problem[] } {
  const fields = new Fields(text, path, AGENT_TABLE);
  if (!fields.hasFrontMatter && DOCUMENTS.test(basename(path).replace(/\.md$/i, ""))) {
    fields.report("note", "", "is not a sub-agent: it has no front matter");
    return { agent: undefined, problems: fields.problems };
  }
  const agent = agentOf(fields);
  if (isTurnedOff(fields)) {
    fields.report("note", "", "is turned off in this file");
    return { agent: undefined, problems: fields.problems };
  }
  if (fields.objection === undefined) return { agent, problems: fields.problems };
  fields.report("error", "", `is ignored: ${fields.objection}`);
  return { agent: undefined, problems: fields.problems };
}

/** Not documented, but clearly meant. */
function isTurnedOff(fields: Fields): boolean {
  const isNo = (key: string): boolean => /^(?:false|no|off|0)$/i.test(fields.text(key) ?? "");
  return isNo("enabled") || (fields.has("disabled") && !isNo("disabled"));
}

function agentOf(fields: Fields): AgentFile {
  const reminder = fields.text("criticalSystemReminder_EXPERIMENTAL");
  const prompt = [fields.body.trim(), ...(reminder === undefined ? [] : [reminder])].join("\n\n").trim();
  const name = fields.text("name") ?? basename(fields.path).replace(/\.md$/i, "");
  const { tools, excluded } = toolsOf(fields);
  const model = fields.text("model");
  const isDelegating = /^delegate$/i.test(fields.text("permissionMode") ?? "");
  return {
    name,
    description: descriptionOf(fields, name),
    prompt,
    tools,
    disallowedTools: [
      ...fields.takenTools("disallowedTools"),
      ...excluded,
      ...deniedIn(fields),
      ...(isDelegating ? ONLY_DELEGATES : []),
    ],
    permissionMode: isReadOnly(fields) ? "plan" : modeOf(fields),
    model: model === undefined || /^(?:inherit|default)$/i.test(model) ? undefined : model,
    maxTurns: fields.wholeNumber("maxTurns"),
    effort: fields.choice("effort", EFFORTS),
    skills: fields.list("skills") ?? [],
    mcpServers: serversOf(fields),
    hooks: hooksOf(fields),
    memory: fields.choice("memory", ["user", "project", "local"]),
    isolation: isolationOf(fields),
    background: fields.flag("background") ?? false,
    omitClaudeMd: fields.flag("omitClaudeMd") ?? false,
    initialPrompt: fields.text("initialPrompt"),
    autoCompactWindow: fields.wholeNumber("autoCompactWindow"),
    color: fields.text("color"),
    path: fields.path,
  };
}

/** Without a description, the model still has to know what the sub-agent is for. */
function descriptionOf(fields: Fields, name: string): string {
  const given = fields.text("description");
  if (given !== undefined) return given;
  const lines = fields.body.split("\n").map((line) => line.replace(/^#+\s*/, "").trim());
  const first = lines.find((line) => line !== "") ?? name;
  fields.report(
    "note",
    "description",
    `is missing; the first line of the text is used: ${first.slice(0, 60)}`,
  );
  return first.slice(0, 300);
}

/** In an object, the tools that are turned on are the only ones, and those that are turned off are denied. */
function toolsOf(fields: Fields): Pick<AgentFile, "tools"> & { readonly excluded: readonly string[] } {
  const switched = switchedTools(fields.raw("tools"));
  if (switched !== undefined) {
    const { on, off } = switched;
    return {
      tools: on.length === 0 ? undefined : named(fields, on),
      excluded: named(fields, on.length === 0 ? off : off.filter((name) => name !== "*")),
    };
  }
  const { names, excluded, prose } = fields.tools("tools") ?? {};
  for (const part of prose ?? [])
    fields.report("warning", "tools", `cannot be read, so it gives no tool: ${part}`);
  const isAll = names === undefined || namesAllTools(names) || names.includes("*");
  const isOnlyExcluding = names?.length === 0 && (excluded?.length ?? 0) > 0;
  return {
    tools: isAll || isOnlyExcluding ? undefined : named(fields, names),
    excluded: named(fields, excluded ?? []),
  };
}

function named(fields: Fields, entries: readonly string[]): string[] {
  return entries.map((entry) => {
    const [, written = "", gap = "", inside = ""] = /^([^()\s]*)(\s*)(\(.*)?$/s.exec(entry) ?? [];
    const name = withKnownCase(written);
    // `Glob (no writing)` is a remark. In a rule, the bracket follows the name.
    const isRemark = gap !== "" && inside !== "" && name !== "Bash";
    if (isRemark) fields.report("note", "tools", `${entry}: the text in brackets is read as a remark`);
    const tool = isRemark ? name : `${name}${inside}`;
    if (!namesAllTools([tool]) && !isKnownTool(name))
      fields.report("note", "tools", `names ${name || entry}, which is not a tool here`);
    return tool === "" ? entry : tool;
  });
}

/** The fields of other programs for a sub-agent that only reads. */
function isReadOnly(fields: Fields): boolean {
  const text = fields.text("readonly");
  if (text === undefined || /^(?:false|no|off|0)$/i.test(text)) return false;
  if (/^(?:true|yes|on|1|read[-_ ]?only)$/i.test(text)) return true;
  fields.report("note", "readonly", `${text} has no effect; only true and read-only restrict`);
  return false;
}

/** `permissions` is not a documented field of sub-agents: what it denies is denied, what it allows has no effect. */
function deniedIn(fields: Fields): string[] {
  const value = fields.raw("permissions") ?? null;
  if (value === null) return [];
  const { deny = [], ...byTool } = isShape(value) ? value : {};
  const listed = Array.isArray(deny) ? deny : [deny];
  const rules = listed.filter((rule) => typeof rule === "string");
  fields.report("note", "permissions", "is not a known field; only what it denies takes effect");
  return [...rules, ...Object.entries(byTool).flatMap(([tool, held]) => deniedFor(tool, held))];
}

/** `{edit: deny, bash: {"git push": deny}}`, the form of another program. */
function deniedFor(tool: string, held: unknown): string[] {
  const name = withKnownCase(tool);
  if (!isKnownTool(name) && name !== "*") return [];
  // There, it covers every tool that changes files.
  const names = name === "Edit" ? ["Edit", "Write", "NotebookEdit"] : [name];
  if (held === "deny") return names;
  if (!isShape(held)) return [];
  return Object.entries(held).flatMap(([pattern, behavior]) =>
    behavior === "deny" ? names.map((one) => (pattern === "*" ? one : `${one}(${pattern})`)) : [],
  );
}

/** A file cannot turn off the questions to the user. */
function modeOf(fields: Fields): AgentFile["permissionMode"] {
  if (/^(?:subagent|primary|all)$/i.test(fields.text("permissionMode") ?? "")) {
    fields.report("note", "mode", "says where another program offers it; here it is a sub-agent");
    return undefined;
  }
  // The words that users read or other programs write for it.
  const word = fields.text("permissionMode") ?? "";
  if (/^(?:manual|delegate)$/i.test(word)) return "default";
  if (/^read[-_ ]?only$/i.test(word)) return "plan";
  const mode = fields.choice("permissionMode", PERMISSION_MODES);
  if (mode !== "bypassPermissions" && mode !== "auto") return mode;
  fields.report(
    "warning",
    "permissionMode",
    `${mode} has no effect in a file: only you can choose it, with --permission-mode. The sub-agent has the mode of its caller`,
  );
  return undefined;
}

function isolationOf(fields: Fields): "worktree" | undefined {
  return fields.choice("isolation", ["worktree", "none"]) === "worktree" ? "worktree" : undefined;
}

function serversOf(fields: Fields): AgentFile["mcpServers"] {
  const value = fields.raw("mcpServers") ?? null;
  if (value === null) return undefined;
  if (isShape(value)) return Object.entries(value).map(([name, server]) => ({ [name]: server }));
  if (!Array.isArray(value)) return fields.list("mcpServers") ?? [];
  return value.map((entry: unknown) => (isShape(entry) ? entry : String(entry)));
}

function hooksOf(fields: Fields): AgentFile["hooks"] {
  const value = fields.raw("hooks") ?? null;
  if (value === null) return undefined;
  if (isShape(value)) return value;
  fields.report("error", "hooks", "expected the form of the settings; no hook runs");
  return undefined;
}
