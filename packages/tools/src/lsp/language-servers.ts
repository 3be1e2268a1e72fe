/** The language servers of a session: one per server and folder, started when a file of their kind is written or asked about. */

import { realpathSync } from "node:fs";
import { relative } from "node:path";
import {
  type Check,
  aBoolean,
  aFunction,
  anArray,
  anObject,
  aString,
  checkOptions,
  limitedSignal,
  required,
  strings,
  unlessStopped,
} from "@runahead/base";
import type { AgentIdentity, AnyTool } from "@runahead/engine";
import type { MayShow } from "../search/shown-files.ts";
import { Ledger } from "../shell/background-ledger.ts";
import { type Connection, languageOf } from "./connection.ts";
import { DiagnosticNews } from "./diagnostic-news.ts";
import { MOST_BYTES, textOf } from "./file-content.ts";
import { findServers, isInside, rootOf } from "./find-servers.ts";
import { hasFiles } from "./has-files.ts";
import { lspTool } from "./lsp-tool.ts";
import type { FoundServer, LanguageServerSpec } from "./server-spec.ts";
import { type ServerState, Slot } from "./slot.ts";

/** How long an edit waits for diagnostics. */
const WAIT_MS = 1_000;
const MOST_SLOTS = 8;

/** Options of `createLanguageServers`. */
export interface LanguageServersOptions {
  /** The workspace. */
  readonly root: string;
  /** Folder where processes are recorded, so that `reapOrphans` ends those of a killed program. */
  readonly home: string;
  /** The environment of the servers. `PATH` decides which installed servers are found. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether programs and build scripts of the workspace can run. Default: false. */
  readonly isTrusted?: boolean;
  /** Further folders whose files servers can work on, such as worktrees. Default: none. */
  readonly folders?: readonly string[];
  /** Servers in addition to the installed ones. They win where both handle an extension. Default: none. */
  readonly servers?: readonly LanguageServerSpec[];
  /** Whether installed servers are used. Default: true. */
  readonly usesInstalled?: boolean;
  /** Names of installed servers that are not used. Default: none. */
  readonly turnedOff?: readonly string[];
  /** Called once with each problem that the user should see. Default: problems are not reported. */
  readonly onNotice?: (message: string) => void;
  /** Returns whether results can show a file, by its absolute path. Default: all files. */
  readonly mayShow?: MayShow;
}

/** A language server and how it is doing. */
export interface LanguageServerStatus {
  /** Its name. */
  readonly name: string;
  /** The program. */
  readonly program: string;
  /** The extensions that it handles. */
  readonly extensions: readonly string[];
  /** What it does in each folder where it was needed; empty if it was not needed yet. */
  readonly running: readonly {
    /** The absolute path of the folder. */
    readonly root: string;
    /** What the server does there. */
    readonly state: ServerState;
  }[];
  /** Whether it does not start because the workspace is not trusted. */
  readonly isWithheld: boolean;
}

/** A file that was written. */
export interface WrittenFile {
  /** Absolute path. */
  readonly path: string;
  /** Its whole content. */
  readonly text: string;
  /** The sub-agent that wrote it; undefined: the main agent. */
  readonly agent: AgentIdentity | undefined;
  /** Stops the wait. */
  readonly signal: AbortSignal;
}

/** The language servers of a session. Call `close` when it ends. */
export interface LanguageServers {
  /**
   * Sends a written file to its server and resolves with the new diagnostics as a text; undefined if there are none.
   * Waits for the server for at most a second and never rejects. Later diagnostics are returned by the next call, or by
   * `takeNews`.
   */
  written(file: WrittenFile): Promise<string | undefined>;
  /** Returns the diagnostics that arrived since, for files that the agent wrote; undefined if there are none. */
  takeNews(agent: AgentIdentity | undefined): string | undefined;
  /** Returns the LSP tool if there is a server for files of this workspace. */
  tools(): readonly AnyTool[];
  /** Returns all servers that were found. */
  list(): readonly LanguageServerStatus[];
  /** Ends all servers. Resolves when no process is left. */
  close(): Promise<void>;
}

const OPTIONS: Readonly<Record<keyof LanguageServersOptions, Check>> = {
  root: required(aString),
  home: required(aString),
  env: required(anObject),
  isTrusted: aBoolean,
  folders: strings,
  servers: anArray,
  usesInstalled: aBoolean,
  turnedOff: strings,
  onNotice: aFunction,
  mayShow: aFunction,
};

/**
 * Finds the language servers that the user has installed or named. None is started before it is needed.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type.
 * @example
 * ```ts
 * const servers = createLanguageServers({ root: "/repo", home: "/home/ann/.runahead", env: process.env });
 * const tools = fileTools(createFileMemory(), { languageServers: servers });
 * ```
 */
export function createLanguageServers(options: LanguageServersOptions): LanguageServers {
  checkOptions(options, OPTIONS, "createLanguageServers");
  return new Servers(options);
}

/** What the LSP tool needs. */
export interface ServerAccess {
  readonly root: string;
  readonly mayShow: MayShow;
  /** Resolves with the server of a file; a text if there is none, with the reason. */
  connectionFor(path: string): Promise<Connection | string>;
  /** The servers that run, or else those of the workspace's files. */
  workspaceConnections(): Promise<readonly Connection[]>;
}

class Servers implements LanguageServers, ServerAccess {
  readonly root: string;
  readonly mayShow: MayShow;
  readonly #options: LanguageServersOptions;
  readonly #servers: readonly FoundServer[];
  readonly #slots = new Map<string, Slot>();
  readonly #news = new DiagnosticNews();
  /** Contents that no server has received yet. */
  readonly #unsent = new Map<string, string>();
  readonly #tool: AnyTool;
  readonly #ledger: Ledger;
  #hasFiles = false;
  #isClosed = false;

  constructor(options: LanguageServersOptions) {
    const { env, isTrusted = false, servers = [], usesInstalled = true, turnedOff = [], onNotice } = options;
    this.#options = options;
    this.root = realPath(options.root);
    this.mayShow = options.mayShow ?? (() => true);
    this.#ledger = new Ledger(options.home);
    const found = findServers({ root: this.root, isTrusted, env, servers, usesInstalled, turnedOff });
    this.#servers = found.servers;
    for (const problem of found.problems) onNotice?.(problem);
    this.#tool = lspTool(this);
    void this.#lookForFiles();
  }

  async written({ path, text, agent, signal }: WrittenFile): Promise<string | undefined> {
    const who = agent?.id ?? "";
    const slot = this.#slotFor(path);
    if (typeof slot === "string" || Buffer.byteLength(text) > MOST_BYTES) return this.takeNews(agent);
    this.#news.wrote(path, who);
    this.#unsent.set(path, text);
    const limit = limitedSignal(signal, WAIT_MS);
    await unlessStopped(this.#send(slot, path, limit), limit).catch(() => {});
    return this.takeNews(agent);
  }

  takeNews(agent: AgentIdentity | undefined): string | undefined {
    const texts = this.#news.filesOf(agent?.id ?? "").flatMap((path) => {
      const connection = this.#connectionOf(path);
      const diagnostics = connection?.diagnosticsOf(path);
      if (diagnostics === undefined) return [];
      return this.#news.take(path, this.#shown(path), diagnostics) ?? [];
    });
    void this.#refresh();
    return texts.length === 0 ? undefined : texts.join("\n\n");
  }

  tools(): readonly AnyTool[] {
    const usable = this.#servers.filter((server) => !this.#isWithheld(server));
    const isOffered = usable.some(({ isNamed }) => isNamed) || this.#hasFiles || this.#slots.size > 0;
    return isOffered && usable.length > 0 ? [this.#tool] : [];
  }

  list(): LanguageServerStatus[] {
    return this.#servers.map((server) => ({
      name: server.name,
      program: server.program,
      extensions: [...server.languages.keys()],
      running: [...this.#slots.values()]
        .filter((slot) => slot.server === server)
        .map(({ root, state }) => ({ root, state })),
      isWithheld: this.#isWithheld(server),
    }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#slots.values()].map((slot) => slot.close()));
    this.#ledger.close();
  }

  async connectionFor(path: string): Promise<Connection | string> {
    const slot = this.#slotFor(path);
    if (typeof slot === "string") return slot;
    const connection = await slot.use();
    if (connection !== undefined) return connection;
    const { state } = slot;
    const why = "why" in state ? `: ${state.why}` : "";
    return `The language server ${slot.server.name} is not available${why}.`;
  }

  async workspaceConnections(): Promise<readonly Connection[]> {
    const running = [...this.#slots.values()].flatMap(({ connection }) => connection ?? []);
    if (running.length > 0) return running;
    const usable = this.#servers.filter((server) => !this.#isWithheld(server));
    const wanted: FoundServer[] = [];
    for (const server of usable)
      if (wanted.length < 2 && (await hasFiles(this.root, new Set(server.languages.keys()))))
        wanted.push(server);
    const slots = wanted.flatMap((server) => this.#slot(server, this.root) ?? []);
    return (await Promise.all(slots.map((slot) => slot.use()))).filter((one) => one !== undefined);
  }

  async #lookForFiles(): Promise<void> {
    const usable = this.#servers.filter((server) => !this.#isWithheld(server));
    const extensions = new Set(usable.flatMap(({ languages }) => [...languages.keys()]));
    if (extensions.size > 0) this.#hasFiles = await hasFiles(this.root, extensions);
  }

  #isWithheld({ needsTrust }: FoundServer): boolean {
    return needsTrust && this.#options.isTrusted !== true;
  }

  /** Returns why there is no server for the file, if there is none. */
  #slotFor(path: string): Slot | string {
    if (this.#isClosed) return "The session has ended.";
    const handles = this.#servers.filter((server) => languageOf(path, server) !== undefined);
    const server = handles.find((one) => !this.#isWithheld(one));
    if (server === undefined) return this.#missing(path, handles[0]);
    const folders = [this.root, ...(this.#options.folders ?? []).map(realPath)];
    const folder = folders.find((one) => isInside(path, one));
    if (folder === undefined)
      return `${path} is outside of the workspace, so no language server works on it.`;
    return (
      this.#slot(server, rootOf(path, folder)) ??
      `${MOST_SLOTS} language servers are running, which is the limit of a session.`
    );
  }

  #missing(path: string, withheld: FoundServer | undefined): string {
    return withheld === undefined
      ? `There is no language server for ${path}. Available: ${this.#available()}.`
      : `The language server ${withheld.name} can run code of the workspace, so it starts only if the user trusts this folder.`;
  }

  #available(): string {
    const all = this.#servers.filter((server) => !this.#isWithheld(server));
    return all.length === 0
      ? "none"
      : all.map(({ name, languages }) => `${name} (${[...languages.keys()].join(" ")})`).join(", ");
  }

  #slot(server: FoundServer, root: string): Slot | undefined {
    const key = `${server.name}\0${root}`;
    const known = this.#slots.get(key);
    if (known !== undefined || this.#slots.size >= MOST_SLOTS) return known;
    const onNotice = this.#options.onNotice ?? (() => {});
    const made = new Slot({ server, root, ledger: this.#ledger, onNotice });
    this.#slots.set(key, made);
    return made;
  }

  #connectionOf(path: string): Connection | undefined {
    return [...this.#slots.values()].find(({ connection }) => connection?.has(path) === true)?.connection;
  }

  /** A server that starts slowly receives the last content, not all of them. */
  async #send(slot: Slot, path: string, limit: AbortSignal): Promise<void> {
    const connection = await slot.use();
    const text = this.#unsent.get(path);
    if (connection === undefined || text === undefined) return;
    this.#unsent.delete(path);
    await connection.settled(path, connection.sync(path, text), limit);
  }

  /** Commands, hooks and the user change files too. */
  async #refresh(): Promise<void> {
    for (const { connection } of this.#slots.values())
      for (const path of connection?.openFiles ?? []) {
        const text = await textOf(path);
        if (connection?.has(path) !== true || this.#unsent.has(path)) continue;
        if (text === undefined) connection.closeFile(path);
        else connection.sync(path, text);
      }
  }

  #shown(path: string): string {
    return isInside(path, this.root) ? relative(this.root, path) : path;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
