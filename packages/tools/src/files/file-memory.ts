/** Remembers which agent of a session read which files, and which agent changed them. */

import { isShape, wrong } from "@runahead/base";
import type { AgentIdentity, CallContext } from "@runahead/engine";
import { AgentFiles, type SavedFile } from "./agent-files.ts";
import { ChangeLog, type EndedCommand } from "./change-log.ts";
import type { EditorFiles } from "./editor-files.ts";

/** What the agents of a session have read, as plain data that can be written as JSON. See `FileMemory.save`. */
export interface SavedFileMemory {
  /** The version of the format. */
  readonly version: 1;
  /** The main agent and the sub-agents that have read files. */
  readonly agents: readonly {
    /** The sub-agent; left out for the main agent. */
    readonly agent?: AgentIdentity;
    /** The files that it read, the latest last. */
    readonly files: readonly SavedFile[];
  }[];
}

/** What the tools that write share. */
export interface Writing {
  readonly memory: FileMemory;
  /** Called with the path of a temporary file before it is created. */
  readonly onTemporary: (path: string) => void;
  /** Resolves with what a language server says about a written file. */
  readonly diagnose: Diagnose;
  readonly editor: EditorFiles;
}

/** Sends a written file to its language server. Resolves with new diagnostics as a text. */
export type Diagnose = (path: string, text: string, context: CallContext) => Promise<string | undefined>;

/** The same for the agent that makes a call. */
export interface OwnWriting {
  readonly files: AgentFiles;
  readonly onTemporary: (path: string) => void;
  readonly diagnose: Diagnose;
  readonly editor: EditorFiles;
}

function checkAgent(agent: AgentIdentity | undefined, where: string): void {
  if (agent !== undefined && typeof agent?.id !== "string")
    throw wrong(`${where}: the agent`, "an object with the id of a sub-agent", agent);
}

/** Above this number the oldest sub-agents are forgotten. */
const MOST_AGENTS = 1_000;

/** Returns the files of one agent; undefined: the main agent. For the tools, so it is not a method. */
export let filesOf: (memory: FileMemory, agent: AgentIdentity | undefined) => AgentFiles;

/**
 * Remembers which files each agent of a session read and in which state, so that Edit and Write refuse files that were
 * not read, or that another agent changed since. Use one per session: the tools select the part of the agent that makes
 * the call (`context.agent` of the executor). Keeps the latest 10,000 files of each agent.
 */
export class FileMemory {
  readonly #log = new ChangeLog();
  readonly #main = new AgentFiles(undefined, this.#log);
  readonly #agents = new Map<string, { readonly agent: AgentIdentity; readonly files: AgentFiles }>();

  static {
    filesOf = (memory, agent) => memory.#of(agent);
  }

  #of(agent: AgentIdentity | undefined): AgentFiles {
    if (agent === undefined) return this.#main;
    const known = this.#agents.get(agent.id);
    if (known !== undefined) return known.files;
    const files = new AgentFiles(agent, this.#log);
    this.#agents.set(agent.id, { agent, files });
    if (this.#agents.size > MOST_AGENTS) this.#agents.delete(this.#agents.keys().next().value as string);
    return files;
  }

  /**
   * Returns all files that an agent read or wrote, in the order of their first use.
   *
   * @param agent Default: the main agent.
   */
  touchedFiles(agent?: AgentIdentity): readonly string[] {
    checkAgent(agent, "touchedFiles");
    return this.#of(agent).touchedFiles();
  }

  /**
   * Resolves with the files that changed or were deleted since the agent saw them, each version once, with who changed
   * them if it was another agent. A file that was rewritten with the same content has not changed.
   *
   * @param agent Default: the main agent.
   */
  async takeChangedFiles(agent?: AgentIdentity): Promise<readonly string[]> {
    checkAgent(agent, "takeChangedFiles");
    return this.#of(agent).takeChangedFiles();
  }

  /**
   * Records a shell command that has ended. If another agent has read a file that changed while the command ran, its
   * Edit and Write are refused. Pass it to `shellTools` as `onCommand`.
   */
  noteCommand(command: EndedCommand): void {
    if (!isShape(command)) throw wrong("noteCommand: the command", "a command that has ended", command);
    this.#log.addCommand(command);
  }

  /**
   * Returns what all agents have read, as plain data with the hash of each file, for `restore` in a later process.
   *
   * @example
   * ```ts
   * const memory = createFileMemory();
   * const stored = JSON.stringify(memory.save());
   * const resumed = createFileMemory();
   * resumed.restore(JSON.parse(stored));
   * ```
   */
  save(): SavedFileMemory {
    const all = [{ files: this.#main.save() }, ...[...this.#agents.values()].map(savedAgent)];
    return { version: 1, agents: all.filter(({ files }) => files.length > 0) };
  }

  /**
   * Restores what `save` returned. A file that changed since is reported by `takeChangedFiles`, and Write refuses it.
   * Data of an unknown form is ignored, so that the files must be read again.
   *
   * @returns whether the data was used.
   */
  restore(saved: unknown): boolean {
    if (!isSaved(saved)) return false;
    for (const { agent, files } of saved.agents) this.#of(agent).restore(files);
    return true;
  }
}

function savedAgent({ agent, files }: { readonly agent: AgentIdentity; readonly files: AgentFiles }) {
  return { agent: { id: agent.id, type: agent.type }, files: files.save() };
}

function isSaved(value: unknown): value is SavedFileMemory {
  if (!isShape(value) || value["version"] !== 1) return false;
  const { agents } = value;
  return Array.isArray(agents) && agents.every(isSavedAgent);
}

function isSavedAgent(value: unknown): boolean {
  if (!isShape(value)) return false;
  const { agent, files } = value;
  return (agent === undefined || isAgent(agent)) && Array.isArray(files) && files.every(isSavedFile);
}

function isAgent(value: unknown): boolean {
  return isShape(value) && typeof value["id"] === "string" && typeof value["type"] === "string";
}

function isSavedFile(value: unknown): boolean {
  if (!isShape(value)) return false;
  const { path, size, mtimeMs, hash, hasUnseen } = value;
  return (
    typeof path === "string" &&
    typeof size === "number" &&
    typeof mtimeMs === "number" &&
    (hash === undefined || typeof hash === "string") &&
    (hasUnseen === undefined || hasUnseen === true)
  );
}

/**
 * Creates the file memory of a session.
 *
 * @example
 * ```ts
 * const memory = createFileMemory();
 * const all = fileTools(memory);
 * ```
 */
export function createFileMemory(): FileMemory {
  return new FileMemory();
}
