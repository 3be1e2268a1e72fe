/** The skills and custom commands of one agent: which there are, and what each becomes when it is used. */

import { type AnyTool, ToolError } from "@runahead/engine";
import type { HookRunner, PermissionGate } from "@runahead/agent";
import { isShape } from "@runahead/base";
import { type PromptPiece, expanded, filled } from "../definitions/expand.ts";
import type { PromptFile } from "../definitions/prompt-file.ts";
import { type MoreFolders, promptFiles } from "../definitions/prompt-files.ts";
import { UsageError } from "../compose/error.ts";
import type { LoadedSettings } from "../settings/loaded.ts";
import { valueOfKey } from "../settings/other-values.ts";
import type { Problem } from "../settings/setting.ts";
import type { Surroundings } from "../surroundings.ts";
import { projectFolders } from "../settings/place.ts";
import { NestedFolders } from "./nested-folders.ts";
import { runCommand } from "./run-command.ts";

/** What a library needs of its agent. */
export interface LibraryParts {
  /** Where the agent works. */
  readonly world: Surroundings;
  /** The settings at the start. */
  readonly settings: LoadedSettings;
  /** Folders of plugins. */
  readonly more: MoreFolders;
  /** Returns the files that the agent worked with; the list only grows. Default: none. */
  readonly touchedFiles?: () => readonly string[];
  /** The only folders whose files are used. Default: all. */
  readonly onlyIn?: readonly string[];
  /** Judges the commands of files, and gets their rules. */
  readonly gate: PermissionGate;
  /** Returns the hooks that guard the commands of files. */
  readonly hooks: () => HookRunner | undefined;
  /** The tool that runs commands of a file; undefined if the agent has none. */
  readonly bash: () => AnyTool | undefined;
  /** The id of the session, for `${CLAUDE_SESSION_ID}`. */
  readonly sessionId: string;
  /** Chooses the model and its effort until it is called with undefined for both. */
  readonly useModel: (name: string | undefined, effort?: string) => Promise<void>;
  /** Whether the settings let hooks of files run. */
  readonly hasHooks: boolean;
  /** Receives problems that do not stop the work. */
  readonly onNotice: (message: string) => void;
  /** Whether there are no files at all. */
  readonly isEmpty: boolean;
}

interface Typed {
  readonly line: string;
  readonly words: string;
  readonly signal: AbortSignal;
}

/** A skill or command that is about to be used. */
export interface ExpandedPrompt {
  /** The file that it comes from. */
  readonly file: PromptFile;
  /** The text for the model. */
  readonly text: string;
}

/** How long the list of files is used before it is read again, in milliseconds. */
const FRESH_MS = 1500;

/**
 * Finds skills and commands, and expands them.
 *
 * @example
 * ```ts
 * const { agent, prompts, close } = await codingAgent({ cwd: "/repo" });
 * const expanded = await prompts.expand("/review src", new AbortController().signal);
 * if (expanded !== undefined) {
 *   await prompts.begin(expanded.file);
 *   await agent.send(expanded.text);
 * }
 * await close();
 * ```
 */
export class PromptLibrary {
  readonly #parts: LibraryParts;
  #read: {
    readonly at: number;
    readonly files: readonly PromptFile[];
    readonly problems: readonly Problem[];
  } = {
    at: Number.NEGATIVE_INFINITY,
    files: [],
    problems: [],
  };
  #nested: NestedFolders | undefined;
  #ends: (() => void)[] = [];
  /** The rules of each file at the start. A file that changed later could have been written by the agent itself. */
  #rulesAtStart: ReadonlyMap<string, string> | undefined;
  /** The hooks of each file at the start: they are programs. */
  #hooksAtStart: ReadonlyMap<string, string> | undefined;
  /** Skills that only the user can use, and that the user asked for. */
  readonly #asked = new Set<string>();

  constructor(parts: LibraryParts) {
    this.#parts = parts;
  }

  /** The files that were read last. */
  get known(): readonly PromptFile[] {
    return this.#read.files;
  }

  /** What has no effect in the files that were read last. */
  get problems(): readonly Problem[] {
    return this.#read.problems;
  }

  /** Reads the files again if they could have changed. */
  async files(): Promise<readonly PromptFile[]> {
    const { world, settings, more, onlyIn, isEmpty } = this.#parts;
    if (isEmpty) return [];
    if (await this.#hasNewFolders()) this.reload();
    if (performance.now() - this.#read.at < FRESH_MS) return this.#read.files;
    const skills = [...more.skills, ...(this.#nested?.folders ?? [])];
    const { isTrusted } = settings;
    const { files: found, problems } = await promptFiles({ ...world, isTrusted, more: { ...more, skills } });
    const files = found.filter(({ path }) => onlyIn?.some((root) => path.startsWith(`${root}/`)) !== false);
    const overrides = valueOfKey(settings, "skillOverrides");
    const shown = files.flatMap((file) =>
      overridden(
        file,
        isShape(overrides) && Object.hasOwn(overrides, file.name) ? overrides[file.name] : undefined,
      ),
    );
    this.#read = { at: performance.now(), files: shown, problems };
    this.#rulesAtStart ??= new Map(shown.map((file) => [file.path, file.allowedTools.join("\n")]));
    this.#hooksAtStart ??= new Map(shown.map((file) => [file.path, JSON.stringify(file.hooks)]));
    return shown;
  }

  /** Whether there are folders with skills near the files that the agent worked with since the last time. */
  async #hasNewFolders(): Promise<boolean> {
    const { world, settings, touchedFiles } = this.#parts;
    if (!settings.isTrusted || touchedFiles === undefined) return false;
    this.#nested ??= new NestedFolders(settings.root, await projectFolders(world.cwd));
    return this.#nested.look(touchedFiles());
  }

  /** Reads the files at the next use, even if they were read a moment ago. */
  reload(): void {
    this.#read = { ...this.#read, at: Number.NEGATIVE_INFINITY };
  }

  /** Returns undefined if there is no such skill or command. The name can leave out the plugin if it is unique. */
  async find(name: string): Promise<PromptFile | undefined> {
    const files = await this.files();
    const plain = name.replace(/^\/?(?:(?:project|user):)?/, "");
    const whole = files.find((file) => file.name === plain) ?? files.find((file) => file.alias === plain);
    if (whole !== undefined) return whole;
    const parts = files.filter((file) => file.name.endsWith(`:${plain}`));
    return parts.length === 1 ? parts[0] : undefined;
  }

  /**
   * Expands what the user typed: `/name arguments`. Returns undefined if no file has that name. Its commands run, with
   * the permissions of the agent and of the file. Rejects if a UserPromptExpansion hook blocks it.
   */
  async expand(line: string, signal: AbortSignal): Promise<ExpandedPrompt | undefined> {
    const [, name = "", words = ""] = /^\/(\S+)\s*([^]*)$/.exec(line.trim()) ?? [];
    const file = name === "" ? undefined : await this.find(name);
    if (file === undefined || !file.isForUser) return undefined;
    const context = await this.#announce(file, { line, words, signal });
    const { text } = await this.#expanded(file, words, signal);
    return { file, text: [text, ...context].join("\n\n") };
  }

  /** UserPromptExpansion hooks can block the command, and add context. */
  async #announce(file: PromptFile, { line, words, signal }: Typed): Promise<readonly string[]> {
    const hooks = this.#parts.hooks();
    if (hooks?.has("UserPromptExpansion") !== true) return [];
    const facts = {
      expansion_type: "slash_command",
      command_name: file.name,
      command_args: words,
      command_source: file.path,
      prompt: line.trim(),
    };
    const { blocked, context, messages } = await hooks.happen("UserPromptExpansion", facts, { signal });
    for (const message of messages) this.#parts.onNotice(message);
    if (blocked !== undefined)
      throw new UsageError(
        `/${file.name} is not run: a UserPromptExpansion hook blocks it: ${blocked.reason}`,
      );
    return context;
  }

  async #expanded(file: PromptFile, words: string, signal: AbortSignal): Promise<ExpandedPrompt> {
    if (file.isForked) {
      this.#asked.add(file.name);
      const args = words === "" ? "" : ` and args ${JSON.stringify(words)}`;
      return { file, text: `Call the Skill tool with skill "${file.name}"${args}, then report its result.` };
    }
    return { file, text: await this.#text(file, words, signal) };
  }

  /** The text of a skill that the model asks for. Throws if it cannot be used. */
  async load(name: string, words: string, signal: AbortSignal): Promise<ExpandedPrompt> {
    const file = await this.find(name);
    const isAsked = file !== undefined && this.#asked.delete(file.name);
    if (file === undefined || (!file.isForModel && !isAsked))
      throw new ToolError(await this.#unknown(name, file));
    this.#checkNames(file, name);
    return { file, text: await this.#text(file, words, signal) };
  }

  /** A rule that denies one name of a skill denies it under its other names too. */
  #checkNames({ name, alias }: PromptFile, given: string): void {
    const { gate, world } = this.#parts;
    for (const skill of [name, ...(alias === undefined ? [] : [alias])]) {
      if (skill === given) continue;
      const { behavior, reason } = gate.decide(
        "Skill",
        { skill },
        { cwd: world.cwd, hookDecision: undefined },
      );
      if (behavior === "deny") throw new ToolError(`The skill ${name} is denied: ${reason}`);
    }
  }

  /** Applies the rules, the hooks, the model and the effort of a file until `end`. */
  async begin(file: PromptFile): Promise<void> {
    this.#ends.push(await this.apply(file));
  }

  /** The same, until the returned function is called. */
  async apply(file: PromptFile): Promise<() => void> {
    const { gate, useModel } = this.#parts;
    const ends: (() => void)[] = [];
    if (file.allowedTools.length > 0 || file.disallowedTools.length > 0) ends.push(this.#grant(file));
    ends.push(this.#addHooks(file));
    if (file.model !== undefined || file.effort !== undefined) {
      await useModel(file.model, file.effort);
      ends.push(() => void useModel(undefined));
      gate.judgeAgain();
    }
    return () => {
      for (const end of ends.splice(0)) end();
    };
  }

  #addHooks({ name, kind, path, folder, hooks }: PromptFile): () => void {
    const { settings, hasHooks, onNotice } = this.#parts;
    const runner = this.#parts.hooks();
    if (hooks === undefined || runner === undefined) return () => {};
    const why = hasHooks
      ? this.#hooksAtStart?.get(path) === JSON.stringify(hooks)
        ? undefined
        : this.#whyNot(path, "they")
      : "the settings turn hooks off";
    if (why !== undefined) onNotice(`${path}: hooks do not run: ${why}.`);
    if (why !== undefined) return () => {};
    const own = JSON.parse(
      JSON.stringify(hooks).replaceAll(/\$\{(?:CLAUDE|RUNAHEAD)_SKILL_DIR\}/g, () =>
        JSON.stringify(folder).slice(1, -1),
      ),
    ) as unknown;
    return runner.add({ source: `the ${kind} ${name}`, root: settings.root, trusted: true, hooks: own });
  }

  /** Why what a file grants has no effect. */
  #whyNot(path: string, what: "it" | "they"): string {
    const isNested = this.#nested?.folders.some((folder) => path.startsWith(`${folder.path}/`)) === true;
    if (isNested)
      return "the skill was found after the start, in a subfolder. Start Runahead in that folder to use it";
    return `${what} changed after the start. Check the file and restart Runahead`;
  }

  /** Ends what `begin` applied. Called when the prompt is answered. */
  end(): void {
    this.#asked.clear();
    for (const end of this.#ends.splice(0)) end();
  }

  #grant({ name, kind, path, allowedTools, disallowedTools }: PromptFile): () => void {
    const isSame = this.#rulesAtStart?.get(path) === allowedTools.join("\n");
    if (!isSame && allowedTools.length > 0)
      this.#parts.onNotice(`${path}: allowed-tools has no effect: ${this.#whyNot(path, "it")}.`);
    const allow = isSame && canGrant(this.#parts.settings) ? allowedTools : [];
    return this.#parts.gate.grant({ name: `the ${kind} ${name}`, allow, deny: disallowedTools });
  }

  /** The text of a skill that is part of a prompt: its commands do not run, and it has no arguments. */
  textOf(file: PromptFile): string {
    return filled(file.body, this.#variables(file));
  }

  #variables(file: PromptFile): Readonly<Record<string, string>> {
    const { sessionId, settings, more } = this.#parts;
    return {
      CLAUDE_SKILL_DIR: file.folder,
      RUNAHEAD_SKILL_DIR: file.folder,
      CLAUDE_PROJECT_DIR: settings.root,
      CLAUDE_SESSION_ID: sessionId,
      ...pluginVariables(file, more),
    };
  }

  async #text(file: PromptFile, words: string, signal: AbortSignal): Promise<string> {
    const pieces = expanded(file, { words, variables: this.#variables(file) });
    const hasCommands = pieces.some(({ type }) => type === "command");
    const release = hasCommands ? this.#grant(file) : () => {};
    try {
      const texts: string[] = [];
      for (const piece of pieces) texts.push(await this.#pieceText(piece, file, signal));
      return texts.join("");
    } finally {
      release();
    }
  }

  async #pieceText(piece: PromptPiece, file: PromptFile, signal: AbortSignal): Promise<string> {
    if (piece.type === "text") return piece.text;
    const { world, gate, hooks, bash, settings } = this.#parts;
    if (valueOfKey(settings, "disableSkillShellExecution") === true)
      return `[Not run: disableSkillShellExecution is set: ${piece.command}]`;
    const tool = bash();
    if (tool === undefined) return `[Not run: there is no Bash tool: ${piece.command}]`;
    const description = `${piece.command} (in ${file.kind} ${file.name})`;
    return runCommand(
      { command: piece.command, description },
      { tool, gate, hooks: hooks(), cwd: world.cwd, signal },
    );
  }

  async #unknown(name: string, file: PromptFile | undefined): Promise<string> {
    if (file !== undefined)
      return `Only the user can use the ${file.kind} ${file.name}. Ask them to type /${file.name}.`;
    const names = (await this.files()).filter(({ isForModel }) => isForModel).map((one) => one.name);
    return `Unknown skill "${name}". Available: ${names.length === 0 ? "none" : names.join(", ")}.`;
  }
}

/** While a settings file cannot be read, or if only managed rules can allow calls, a file grants nothing. */
function canGrant({ isIncomplete, entries }: LoadedSettings): boolean {
  const isManagedOnly = entries.some(
    ({ setting, status }) =>
      setting.type === "restriction" &&
      setting.name === "allowManagedPermissionRulesOnly" &&
      status.type === "in-force",
  );
  return !isIncomplete && !isManagedOnly;
}

/** `skillOverrides` of the settings: `off`, `user-invocable-only`, `name-only` or `on`. */
function overridden(file: PromptFile, override: unknown): PromptFile[] {
  switch (override) {
    case undefined:
    case "on":
    case true:
      return [file];
    case "user-invocable-only":
      return [{ ...file, isForModel: false }];
    case "name-only":
      return [{ ...file, description: "", whenToUse: "" }];
    default:
      // Off, or a restriction that is not known.
      return [];
  }
}

function pluginVariables(
  { path }: PromptFile,
  { skills, commands }: MoreFolders,
): Readonly<Record<string, string>> {
  const folder = [...skills, ...commands].find((one) => path.startsWith(`${one.path}/`) || path === one.path);
  return folder?.variables ?? {};
}
