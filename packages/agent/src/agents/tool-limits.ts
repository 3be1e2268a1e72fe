/** Limits the tools of a sub-agent by its `tools` and `disallowedTools`, whose entries are names or permission rules. */

import type { AnyTool, CanUseTool, Verdict } from "@runahead/engine";
import { type PermissionVerdict, type Permissions, createPermissions } from "@runahead/permissions";
import { canonicalTool, equivalentTools } from "@runahead/permissions/internal";

/** The lists of a definition. */
interface Lists {
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
}

interface Entry {
  readonly text: string;
  /** The tools that it names; an older name can stand for several. */
  readonly names: readonly string[];
  /** The text in brackets; empty for the whole tool. */
  readonly inside: string;
}

type Named = Pick<AnyTool, "name" | "aliases">;

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
/** A rule for a path is written with `Read` or `Edit`, whatever the tool that it limits. */
const PATH_RULES: Readonly<Record<string, string>> = {
  Write: "Edit",
  NotebookEdit: "Edit",
  MultiEdit: "Edit",
  Glob: "Read",
  Grep: "Read",
};

/** Which tools a sub-agent has, and what it can do with them. */
export class ToolLimits {
  readonly #allowed: readonly Entry[] | undefined;
  readonly #denied: readonly Entry[];

  constructor({ tools, disallowedTools = [] }: Lists) {
    this.#allowed = tools?.map(entryOf);
    this.#denied = disallowedTools.map(entryOf);
  }

  /** Whether the sub-agent has the tool at all. */
  offers({ name, aliases = [] }: Named): boolean {
    const names = [name, ...aliases];
    if (this.#denied.some((entry) => entry.inside === "" && isNamed(entry, names))) return false;
    return this.#allowed === undefined || this.#allowed.some((entry) => isNamed(entry, names));
  }

  /** Whether the sub-agent can start this type of sub-agent. */
  canStart(type: string): boolean {
    const agent = (entry: Entry): boolean => entry.names.includes("Agent");
    if (this.#denied.filter(agent).some((entry) => listsAgent(entry, type))) return false;
    return (
      this.#allowed === undefined || this.#allowed.filter(agent).some((entry) => listsAgent(entry, type))
    );
  }

  /** Adds the limits to a judge. They only restrict: what the judge denies or asks about stays so. */
  judging(judge: CanUseTool): CanUseTool {
    if (![...(this.#allowed ?? []), ...this.#denied].some(({ inside }) => inside !== "")) return judge;
    return (tool, input, context) => {
      const limit = this.#limit(tool, input, context.context.cwd);
      if (limit?.behavior === "deny") return limit;
      const verdict = judge(tool, input, context);
      if (limit === undefined) return verdict;
      return verdict instanceof Promise
        ? verdict.then((later) => stricter(limit, later))
        : stricter(limit, verdict);
    };
  }

  #limit(tool: AnyTool, input: unknown, cwd: string): Verdict | undefined {
    // Which sub-agents can be started is checked by the Agent tool.
    if (tool.name === "Agent") return undefined;
    const names = [tool.name, ...(tool.aliases ?? [])];
    const limits = [this.#denial(names, input, cwd), this.#lack(names, input, cwd)];
    return limits.find((one) => one?.behavior === "deny") ?? limits.find((one) => one !== undefined);
  }

  /** A deny or ask of an entry of `disallowedTools`. */
  #denial(names: readonly string[], input: unknown, cwd: string): Verdict | undefined {
    const deny = this.#denied
      .filter((entry) => entry.inside !== "")
      .flatMap((entry) => rulesOf(entry, names));
    if (deny.length === 0) return undefined;
    const { behavior, by } = verdictOf({ mode: "bypassPermissions", deny }, { names, input, cwd });
    if (behavior === "allow" || (by.type !== "rule" && by.type !== "unclear")) return undefined;
    const list = deny.join(", ");
    return { behavior, reason: `This agent cannot use ${list} (disallowedTools of its definition).` };
  }

  /** A deny, because the call is outside of what the entries of `tools` allow. */
  #lack(names: readonly string[], input: unknown, cwd: string): Verdict | undefined {
    const entries = this.#allowed?.filter((entry) => isNamed(entry, names));
    if (entries === undefined || entries.some(({ inside }) => inside === "")) return undefined;
    const allow = entries.flatMap((entry) => rulesOf(entry, names));
    const { behavior, by } = verdictOf({ mode: "dontAsk", allow }, { names, input, cwd });
    if (behavior === "allow" && by.type === "rule") return undefined;
    const list = entries.map(({ text }) => text).join(", ");
    return { behavior: "deny", reason: `This agent can use only ${list} (tools of its definition).` };
  }
}

interface Call {
  readonly names: readonly string[];
  readonly input: unknown;
  readonly cwd: string;
}

function verdictOf(
  settings: { readonly mode: string; readonly allow?: readonly string[]; readonly deny?: readonly string[] },
  { names, input, cwd }: Call,
): PermissionVerdict {
  const permissions: Permissions = createPermissions({ settings: { ...settings, rulesFrom: "user" }, cwd });
  return permissions.decide(names[0] ?? "", input, cwd);
}

/** The entry as permission rules for the tool that is called. */
function rulesOf({ names, inside }: Entry, called: readonly string[]): string[] {
  return names
    .filter((name) => called.some((one) => matches(name, one)))
    .map((name) => `${PATH_RULES[name] ?? name}(${inside})`);
}

function entryOf(text: string): Entry {
  const [, name = "", inside = ""] = /^([^()]*)(?:\((.*)\)?)?$/s.exec(text.trim()) ?? [];
  const specifier = inside.replace(/\)$/, "").trim();
  return {
    text: text.trim(),
    names: equivalentTools(canonicalTool(name.trim())),
    inside: specifier === "*" ? "" : specifier,
  };
}

function isNamed({ names }: Entry, called: readonly string[]): boolean {
  return names.some((name) => called.some((one) => matches(name, one)));
}

/** `mcp__server` and `mcp__server__*` name all tools of a server; `*` names every tool. */
function matches(name: string, called: string): boolean {
  if (name === called || name === "*") return true;
  if (!name.startsWith("mcp__")) return false;
  const parts = name.split("*").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  const isServer = !name.includes("*") && !name.slice("mcp__".length).includes("__");
  return new RegExp(`^${parts.join(".*")}${isServer ? "__.*" : ""}$`, "s").test(called);
}

function listsAgent({ inside }: Entry, type: string): boolean {
  if (inside === "") return true;
  return inside
    .split(",")
    .map((name) => name.trim())
    .includes(type);
}

function stricter(limit: Verdict, verdict: Verdict): Verdict {
  return STRICTNESS[limit.behavior] > (STRICTNESS[verdict?.behavior] ?? Infinity) ? limit : verdict;
}
