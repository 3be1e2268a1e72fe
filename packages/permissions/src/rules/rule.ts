/** One rule, `Tool` or `Tool(specifier)`, compiled once. */

import { didYouMean } from "@runahead/base";
import { type BashPattern, compileBash } from "./bash-pattern.ts";
import { type DomainPattern, compileDomain } from "./domain.ts";
import { readingsOf } from "./escaped.ts";
import { type FilePattern, type FileRoots, compileFile } from "./file-pattern.ts";
import { pipelineOf } from "./pipeline.ts";
import {
  CALLED_NAMES,
  canonicalTool,
  EDITORS,
  HARMLESS,
  isKnownTool,
  isParameter,
  READERS,
} from "./tools.ts";
import { matchesWildcard, type Wildcard, wildcard } from "./wildcard.ts";

const ACTIONS = ["allow", "ask", "deny"] as const;

/** What a rule says about a call. */
export type Action = (typeof ACTIONS)[number];

export function isAction(text: string): text is Action {
  return ACTIONS.some((action) => action === text);
}

interface RuleBase {
  readonly action: Action;
  /** The rule as written. */
  readonly text: string;
  /** The settings that contain the rule. */
  readonly source: string;
}

export type Rule = RuleBase &
  (
    | { readonly type: "tool"; readonly name: Wildcard; readonly literal: string | undefined }
    | {
        readonly type: "command";
        readonly pattern: BashPattern;
        /** The commands of a deny or ask rule that names several; they must appear in this order. */
        readonly pipeline?: readonly BashPattern[];
      }
    | { readonly type: "file"; readonly mode: "read" | "write"; readonly pattern: FilePattern }
    | { readonly type: "domain"; readonly pattern: DomainPattern }
    | { readonly type: "agent"; readonly name: Wildcard }
    | { readonly type: "skill"; readonly name: Wildcard }
    | {
        readonly type: "parameter";
        readonly tool: string;
        readonly parameter: string;
        readonly value: Wildcard;
      }
  );

export interface RuleContext extends FileRoots {
  readonly action: Action;
  readonly source: string;
  readonly ignoresCase: boolean;
  warn(text: string): void;
}

interface Parts extends RuleBase {
  readonly name: string;
  readonly inside: string;
}

/**
 * Compiles the text of a rule. A deny can match both a parameter and a command: `Bash(timeout:*)`. Empty if the rule
 * is invalid.
 */
export function compileRule(text: string, context: RuleContext): Rule[] {
  const { action, source } = context;
  const written = text.trim();
  const [, rawName = "", specifier] = /^([^()]*)(?:\((.*))?$/s.exec(withStarInside(written, action)) ?? [];
  const name = canonicalTool(rawName.trim());
  const isClosed = specifier === undefined || specifier.endsWith(")");
  const base = { action, source, text: written };
  // A deny without its closing bracket still counts as one.
  if (name === "" || (!isClosed && action === "allow"))
    return refuse(base, "it is not a valid rule. Write Tool or Tool(specifier)", context);
  if (name.includes("*") && action === "allow" && !/^mcp__[^*]+?__/.test(name))
    return refuse(
      base,
      "an allow rule can use a wildcard in the tool name only after mcp__server__",
      context,
    );
  if (action !== "allow" && !name.includes("*") && !isKnownTool(name))
    context.warn(
      `${source}: ${action} rule ${written}: no tool has this name.${didYouMean(name, CALLED_NAMES)}`,
    );
  const inside = (isClosed ? specifier?.slice(0, -1) : specifier)?.trim() ?? "";
  if (inside === "" || inside === "*")
    return [{ ...base, type: "tool", name: wildcard(name), literal: name.includes("*") ? undefined : name }];
  return compileSpecifier({ ...base, name, inside }, context);
}

/** `Bash(git checkout .)*`: a star after the bracket of a restriction is meant inside. */
function withStarInside(text: string, action: Action): string {
  return action === "allow" ? text : text.replace(/^([^()]+\(.*[^\s*])\)\s*\*$/s, "$1*)");
}

function compileSpecifier(parts: Parts, context: RuleContext): Rule[] {
  const { name, inside, ...base } = parts;
  const parameter = byParameter(parts, context);
  if (name === "Bash") return [...parameter, ...byCommand(parts)];
  if (parameter.length > 0) return parameter;
  if (name === "Skill") return bySkill(parts);
  if (name === "Read" || name === "Edit") return byFile(parts, context);
  if (READERS.has(name) || EDITORS.has(name)) return byOtherFileTool(parts, context);
  if (name === "WebFetch") return byDomain(parts, context);
  if (name === "Agent")
    return namesIn(inside).map((one) => ({ ...base, type: "agent", name: wildcard(one) }));
  if (base.action === "allow") {
    if (HARMLESS.has(name)) return refuse(base, "this tool needs no approval", context);
    const why = isKnownTool(name) ? "this tool does not support a specifier" : "no tool has this name";
    return refuse(base, why, context);
  }
  // A restriction that is not understood must not allow more than the user intended.
  if (isKnownTool(name))
    context.warn(
      `${base.source}: ${base.action} rule ${base.text} applies to every call of ${name}: this tool does not support a specifier.`,
    );
  return [{ ...base, type: "tool", name: wildcard(name), literal: name.includes("*") ? undefined : name }];
}

/** An allow rule names one command; the commands of a pipeline each need a rule. */
function byCommand({ name: _name, inside, ...base }: Parts): Rule[] {
  const texts = prefixesIn(inside).flatMap((one) => readingsOf(one, base.action, base.source));
  return texts.map((text): Rule => {
    const pipeline = base.action === "allow" ? undefined : pipelineOf(text);
    const pattern = compileBash(text);
    return { ...base, type: "command", pattern, ...(pipeline === undefined ? {} : { pipeline }) };
  });
}

/** `Bash(git diff:*, git log:*)` is several rules, because no command contains `:*, `. */
function prefixesIn(inside: string): string[] {
  const parts = inside.split(/,\s+/);
  return parts.every((part) => /^[^\s*].*(?::| )\*$/.test(part)) ? parts : [inside];
}

/** `Skill(name)`, `Skill(name *)` and `SlashCommand(/name:*)` are about a skill with any arguments. */
function bySkill({ name: _name, inside, ...base }: Parts): Rule[] {
  const skill = inside.replace(/^\//, "").replace(/(?::\*|\s+.*)$/s, "");
  // `plugin:*` also names all skills of a plugin.
  const names = inside.endsWith(":*") ? [skill, `${skill}:*`] : [skill];
  return names.map((one) => ({ ...base, type: "skill", name: wildcard(one) }));
}

/** Restrictions of other file tools apply to all tools that read or write the path; an allow has no effect. */
function byOtherFileTool(parts: Parts, context: RuleContext): Rule[] {
  const { name, inside: _inside, ...base } = parts;
  const rule = EDITORS.has(name) ? "Edit" : "Read";
  return base.action === "allow"
    ? refuse(base, `use ${rule}(path) for paths`, context)
    : byFile({ ...parts, name: rule }, context);
}

function namesIn(inside: string): string[] {
  return inside
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function byParameter({ name, inside, ...base }: Parts, context: RuleContext): Rule[] {
  const [, parameter, value] = /^([A-Za-z_][\w-]*):(.*)$/s.exec(inside) ?? [];
  if (parameter === undefined || value === undefined || !isParameter(name, parameter)) return [];
  if (name === "WebFetch" && parameter === "domain") return [];
  // `Skill(plugin:name)` is a name.
  if (name === "Skill" && parameter !== "args") return [];
  if (base.action === "allow") {
    if (name !== "Bash")
      context.warn(
        `${base.source}: allow rule ${base.text} is ignored: only deny and ask rules can match parameters.`,
      );
    return [];
  }
  return [{ ...base, type: "parameter", tool: name, parameter, value: wildcard(value.trim()) }];
}

function byFile({ name, inside, ...base }: Parts, context: RuleContext): Rule[] {
  if (inside.startsWith("!")) return refuse(base, "a path cannot be negated", context);
  const isGrant = base.action === "allow";
  const mode = name === "Read" ? "read" : "write";
  return pathReadings(inside, isGrant).map((path) => ({
    ...base,
    type: "file",
    mode,
    pattern: compileFile(path, { ...context, isGrant }),
  }));
}

/** Blanks beside stars, slashes and dots are slips in most cases, so a restriction also counts without them. */
function pathReadings(path: string, isGrant: boolean): string[] {
  return isGrant ? [path] : [...new Set([path, path.replaceAll(/ +(?=[*./])|(?<=[*./]) +/g, "")])];
}

function byDomain({ inside, name, ...base }: Parts, context: RuleContext): Rule[] {
  const pattern = compileDomain(inside, base.action === "allow");
  if (pattern !== undefined) return [{ ...base, type: "domain", pattern }];
  if (base.action === "allow") return refuse(base, "write WebFetch(domain:host)", context);
  // An invalid deny or ask rule must not allow more than the user intended.
  context.warn(
    `${base.source}: ${base.action} rule ${base.text} applies to every URL: it is not of the form WebFetch(domain:host).`,
  );
  return [{ ...base, type: "tool", name: wildcard(name), literal: name }];
}

function refuse({ source, action, text }: RuleBase, why: string, context: RuleContext): Rule[] {
  context.warn(`${source}: ${action} rule ${text} is ignored: ${why}.`);
  return [];
}

/**
 * Whether a rule without a specifier covers this tool. Rules for `Edit` and `Read` cover all tools that write and
 * read.
 */
export function coversTool(rule: Extract<Rule, { type: "tool" }>, tool: string): boolean {
  const { literal, action } = rule;
  if (literal === undefined) return matchesWildcard(rule.name, tool) && isOneServer(rule.text, tool, action);
  if (literal === tool) return true;
  if (literal === "Edit") return EDITORS.has(tool);
  if (literal === "Read") return READERS.has(tool) || (action === "deny" && EDITORS.has(tool));
  if (!literal.startsWith("mcp__")) return false;
  return tool.startsWith(`${literal}__`) && isOneServer(`${literal}__`, tool, action);
}

/** The name of a server can contain `__` too, so an allow must match exactly one server. */
function isOneServer(pattern: string, tool: string, action: Action): boolean {
  const literal = pattern.split("*")[0] as string;
  return action !== "allow" || !tool.slice(literal.length).includes("__");
}

export function coversParameter(
  rule: Extract<Rule, { type: "parameter" }>,
  tool: string,
  input: unknown,
): boolean {
  if (
    rule.tool !== tool ||
    typeof input !== "object" ||
    input === null ||
    !Object.hasOwn(input, rule.parameter)
  )
    return false;
  const value = (input as Record<string, unknown>)[rule.parameter];
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isScalar && matchesWildcard(rule.value, String(value));
}
