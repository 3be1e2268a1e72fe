/** One sub-agent, from the text of its file. */

import { basename } from "node:path";
import { isShape } from "@runahead/base";
import { isKnownTool, withKnownCase } from "@runahead/permissions/internal";
import type { Problem } from "../settings/setting.ts";
import { Fields, type FieldTable } from "./fields.ts";
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
  ],
  inert: {
    observer: "Runahead does not start observers beside a sub-agent",
    observerMessage: "Runahead does not start observers beside a sub-agent",
  },
  descriptive: [],
  aliases: {
    allowedTools: "tools",
    "allowed-tools": "tools",
    deniedTools: "disallowedTools",
    mode: "permissionMode",
  },
  structured: ["tools", "disallowedTools", "skills", "mcpServers", "hooks"],
  restrictions: ["tools", "disallowedTools", "permissionMode", "maxTurns"],
};

const MODES = ["default", "plan", "dontAsk", "acceptEdits", "bypassPermissions", "auto"] as const;
const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
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
  if (fields.objection === undefined) return { agent, problems: fields.problems };
  fields.report("error", "", `is ignored: ${fields.objection}`);
  return { agent: undefined, problems: fields.problems };
}

function agentOf(fields: Fields): AgentFile {
  const reminder = fields.text("criticalSystemReminder_EXPERIMENTAL");
  const prompt = [fields.body.trim(), ...(reminder === undefined ? [] : [reminder])].join("\n\n").trim();
  const name = fields.text("name") ?? basename(fields.path).replace(/\.md$/i, "");
  const tools = toolsOf(fields, "tools");
  const model = fields.text("model");
  return {
    name,
    description: descriptionOf(fields, name),
    prompt,
    tools: tools === undefined || namesAllTools(tools) ? undefined : tools,
    disallowedTools: [...(toolsOf(fields, "disallowedTools") ?? []), ...deniedIn(fields)],
    permissionMode: modeOf(fields),
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

function toolsOf(fields: Fields, key: "tools" | "disallowedTools"): string[] | undefined {
  return listed(fields, key)?.map((entry) => {
    const [, written = "", gap = "", inside = ""] = /^([^()\s]*)(\s*)(\(.*)?$/s.exec(entry) ?? [];
    const name = withKnownCase(written);
    // `Glob (no writing)` is a remark. In a rule, the bracket follows the name.
    const isRemark = gap !== "" && inside !== "" && name !== "Bash";
    if (isRemark) fields.report("note", key, `${entry}: the text in brackets is read as a remark`);
    const tool = isRemark ? name : `${name}${inside}`;
    if (!namesAllTools([tool]) && !/^(?:all|tools)$/i.test(tool) && !isKnownTool(name))
      fields.report("note", key, `names ${name || entry}, which is not a tool here`);
    return tool === "" ? entry : tool;
  });
}

/** In an object, the tools that are turned on are the only ones, and those that are turned off are denied. */
function listed(fields: Fields, key: "tools" | "disallowedTools"): string[] | undefined {
  const switched = switchedTools(fields.raw("tools"));
  if (switched === undefined) return fields.tools(key);
  if (key === "tools") return switched.on.length === 0 ? undefined : switched.on;
  return [...(fields.tools(key) ?? []), ...switched.off];
}

/** `permissions` is not a documented field of sub-agents: what it denies is denied, what it allows has no effect. */
function deniedIn(fields: Fields): string[] {
  const value = fields.raw("permissions") ?? null;
  if (value === null) return [];
  const deny: unknown = isShape(value) ? value["deny"] : undefined;
  const rules = Array.isArray(deny) ? deny.filter((rule) => typeof rule === "string") : [];
  fields.report("note", "permissions", "is not a known field; only its deny rules take effect");
  return rules;
}

/** A file cannot turn off the questions to the user. */
function modeOf(fields: Fields): AgentFile["permissionMode"] {
  if (/^(?:subagent|primary|all)$/i.test(fields.text("permissionMode") ?? "")) {
    fields.report("note", "mode", "says where another program offers it; here it is a sub-agent");
    return undefined;
  }
  // The word that users read for it.
  if (/^manual$/i.test(fields.text("permissionMode") ?? "")) return "default";
  const mode = fields.choice("permissionMode", MODES);
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
