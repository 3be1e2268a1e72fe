/** One running language server: its documents and what it says about them. */

import { createHash } from "node:crypto";
import { isShape } from "@runahead/base";
import { type Diagnostic, diagnosticsIn, pathOf, uriOf } from "./protocol.ts";
import { NoAnswer, type RequestLimits, RpcLink, ServerError } from "./rpc.ts";
import type { ServerProcess } from "./server-process.ts";
import { CAPABILITIES, answerTo } from "./client.ts";
import type { FoundServer } from "./server-spec.ts";

/** Servers publish the problems of one change in several steps. */
const QUIET_MS = 150;
const PULL_MS = 30_000;
const SHUTDOWN_MS = 500;
const MOST_DOCUMENTS = 100;
const MOST_FILES = 2_000;
/** After this many requests in a row without an answer, the server counts as hung. */
const MOST_SILENCES = 3;
/** How often an answer from the time when the server was busy is asked for again, for one content of a file. */
const MOST_REPEATS = 3;
/** Stands for `experimental/serverStatus` among the tokens of progress. */
const LOADING = Symbol("loading");
const RETRIED = new Set([-32_801, -32_802]);

interface Document {
  readonly language: string;
  version: number;
  hash: string;
  pull: Promise<void> | undefined;
  /** Whether the last answer is from a time when the server was busy, so that it can be incomplete. */
  isEarly: boolean;
  repeats: number;
}

interface Published {
  /** The version of the document that it is about; undefined if the server does not say. */
  readonly version: number | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

type Heard = (path: string) => void;

export class Connection {
  readonly server: FoundServer;
  readonly process: ServerProcess;
  /** Resolves with the reason when it exits, breaks the protocol or hangs. */
  readonly ended: Promise<string>;
  readonly #link: RpcLink;
  readonly #root: string;
  readonly #documents = new Map<string, Document>();
  readonly #pushed = new Map<string, Published>();
  readonly #pulled = new Map<string, Published>();
  readonly #heard = new Set<Heard>();
  readonly #progress = new Set<unknown>();
  readonly #idle = new Set<() => void>();
  #capabilities: Readonly<Record<string, unknown>> = {};
  #silences = 0;
  #end: (why: string) => void = () => {};

  constructor(server: FoundServer, process: ServerProcess, root: string) {
    this.server = server;
    this.process = process;
    this.#root = root;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#link = new RpcLink({
      input: process.stdin,
      output: process.stdout,
      onNotification: (method, params) => this.#notified(method, params),
      onRequest: (method, params) => this.#asked(method, params),
      onBroken: (why) => this.#end(why),
    });
    void process.exited.then((how) => {
      this.#link.close(how);
      this.#end(how);
    });
  }

  /** Rejects if the server does not answer in time. */
  async initialize(): Promise<void> {
    const { startupMs, initializationOptions, settings } = this.server;
    const uri = uriOf(this.#root);
    const params = {
      processId: process.pid,
      clientInfo: { name: "runahead" },
      rootPath: this.#root,
      rootUri: uri,
      workspaceFolders: [{ uri, name: "workspace" }],
      capabilities: CAPABILITIES,
      ...(initializationOptions === undefined ? {} : { initializationOptions }),
    };
    const result = await this.#link.request("initialize", params, { limitMs: startupMs });
    const found = isShape(result) ? result["capabilities"] : undefined;
    if (!isShape(found)) throw new Error("it answered initialize without capabilities");
    this.#capabilities = found;
    this.#link.notify("initialized", {});
    if (settings !== undefined) this.#link.notify("workspace/didChangeConfiguration", { settings });
  }

  /** Whether it still loads the project, so that its answers can be incomplete. */
  get isBusy(): boolean {
    return this.#progress.size > 0;
  }

  /** Resolves when it has loaded the project, ends, or when the signal is aborted. */
  async idle(signal: AbortSignal): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      if (!this.isBusy) resolve();
      else this.#idle.add(resolve);
    });
    await Promise.race([idle, aborted(signal), this.ended]);
  }

  /** Whether it announced a feature, such as `hoverProvider`. */
  can(feature: string): boolean {
    const value = this.#capabilities[feature];
    return value === true || isShape(value);
  }

  /** Sends the content of a file if the server has another one. Returns the version of the document. */
  sync(path: string, text: string): number {
    const hash = createHash("sha256").update(text).digest("base64");
    const known = this.#documents.get(path);
    if (known === undefined) return this.#open(path, text, hash);
    if (known.hash === hash) return known.version;
    known.hash = hash;
    known.version++;
    known.repeats = 0;
    const textDocument = { uri: uriOf(path), version: known.version };
    this.#link.notify("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
    this.#saved(path, 2);
    this.#startPull(path, known);
    return known.version;
  }

  /** The files that the server has open. */
  get openFiles(): readonly string[] {
    return [...this.#documents.keys()];
  }

  /** Whether the server has the file open with this content. */
  has(path: string): boolean {
    return this.#documents.has(path);
  }

  /** The version of the document that the server has; 0 if it is not open. */
  versionOf(path: string): number {
    return this.#documents.get(path)?.version ?? 0;
  }

  closeFile(path: string): void {
    if (!this.#documents.delete(path)) return;
    this.#pushed.delete(path);
    this.#pulled.delete(path);
    this.#link.notify("textDocument/didClose", { textDocument: { uri: uriOf(path) } });
    this.#link.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: uriOf(path), type: 3 }] });
  }

  /** Resolves when the server has answered for this version of a file, or when the signal is aborted. */
  async settled(path: string, version: number, signal: AbortSignal): Promise<void> {
    const { pull } = this.#documents.get(path) ?? {};
    await Promise.race([pull ?? this.#published(path, version, signal), aborted(signal), this.ended]);
  }

  /** The problems of the content that the server has; undefined if it has not answered for it yet. */
  diagnosticsOf(path: string): readonly Diagnostic[] | undefined {
    const version = this.versionOf(path);
    const answers = [this.#pushed.get(path), this.#pulled.get(path)].filter(
      (one) => one !== undefined && (one.version ?? version) >= version,
    );
    return answers.length === 0 ? undefined : answers.flatMap((one) => one?.diagnostics ?? []);
  }

  /** All files that it reported something about. */
  get reportedFiles(): readonly string[] {
    return [...new Set([...this.#pushed.keys(), ...this.#pulled.keys()])];
  }

  async request(method: string, params: unknown, limits: RequestLimits): Promise<unknown> {
    try {
      const result = await this.#link.request(method, params, limits);
      this.#silences = 0;
      return result;
    } catch (error) {
      if (error instanceof ServerError) this.#silences = 0;
      if (error instanceof NoAnswer && ++this.#silences >= MOST_SILENCES) this.#end("it no longer answers");
      throw error;
    }
  }

  /** Ends the server and its processes. */
  async close(): Promise<void> {
    await this.#link.request("shutdown", undefined, { limitMs: SHUTDOWN_MS }).catch(() => {});
    this.#link.notify("exit", undefined);
    this.#link.close("it was stopped");
    await this.process.end();
  }

  #open(path: string, text: string, hash: string): number {
    const oldest = this.#documents.keys().next().value;
    if (this.#documents.size >= MOST_DOCUMENTS && oldest !== undefined) this.closeFile(oldest);
    const language = languageOf(path, this.server) ?? "plaintext";
    const made: Document = { language, version: 1, hash, pull: undefined, isEarly: false, repeats: 0 };
    this.#documents.set(path, made);
    this.#pushed.delete(path);
    const textDocument = { uri: uriOf(path), languageId: language, version: 1, text };
    this.#link.notify("textDocument/didOpen", { textDocument });
    this.#saved(path, 1);
    this.#startPull(path, made);
    return 1;
  }

  #saved(path: string, type: 1 | 2): void {
    const uri = uriOf(path);
    this.#link.notify("workspace/didChangeWatchedFiles", { changes: [{ uri, type }] });
    if (type === 2) this.#link.notify("textDocument/didSave", { textDocument: { uri } });
  }

  #startPull(path: string, document: Document): void {
    document.isEarly = false;
    if (this.can("diagnosticProvider")) document.pull = this.#pull(path, document.version, true);
  }

  async #pull(path: string, version: number, mayRetry: boolean): Promise<void> {
    const params = { textDocument: { uri: uriOf(path) } };
    const wasBusy = this.isBusy;
    try {
      const result = await this.request("textDocument/diagnostic", params, { limitMs: PULL_MS });
      if (isShape(result) && result["kind"] !== "unchanged")
        this.#store(this.#pulled, path, { version, diagnostics: diagnosticsIn(result["items"]) });
      const document = this.#documents.get(path);
      if (document !== undefined && (wasBusy || this.isBusy)) await this.#answeredEarly(path, document);
    } catch (error) {
      const isPassing = error instanceof ServerError && RETRIED.has(error.code);
      if (isPassing && mayRetry) return this.#pull(path, version, false);
    }
  }

  async #answeredEarly(path: string, document: Document): Promise<void> {
    document.isEarly = this.isBusy;
    if (!document.isEarly && document.repeats++ < MOST_REPEATS)
      await this.#pull(path, document.version, true);
  }

  /** Resolves when nothing more has been published for a moment. */
  #published(path: string, version: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let quiet: NodeJS.Timeout | undefined;
      const end = (): void => {
        clearTimeout(quiet);
        this.#heard.delete(heard);
        resolve();
      };
      const heard: Heard = (about) => {
        const published = this.#pushed.get(path);
        if (about !== path || published === undefined || (published.version ?? version) < version) return;
        clearTimeout(quiet);
        quiet = setTimeout(end, QUIET_MS);
      };
      this.#heard.add(heard);
      if (signal.aborted) end();
      signal.addEventListener("abort", end, { once: true });
      heard(path);
    });
  }

  #store(where: Map<string, Published>, path: string, published: Published): void {
    where.delete(path);
    where.set(path, published);
    const oldest = where.keys().next().value;
    if (where.size > MOST_FILES && oldest !== undefined) where.delete(oldest);
    for (const heard of this.#heard) heard(path);
  }

  #notified(method: string, params: unknown): void {
    if (!isShape(params)) return;
    if (method === "textDocument/publishDiagnostics") {
      const path = pathOf(params["uri"]);
      if (path === undefined) return;
      const version = typeof params["version"] === "number" ? params["version"] : undefined;
      this.#store(this.#pushed, path, { version, diagnostics: diagnosticsIn(params["diagnostics"]) });
    }
    if (method === "$/progress") this.#progressed(params);
    if (method === "experimental/serverStatus") this.#count(LOADING, params["quiescent"] === false);
  }

  #progressed({ token, value }: Readonly<Record<string, unknown>>): void {
    const kind = isShape(value) ? value["kind"] : undefined;
    if (kind === "begin" || kind === "end") this.#count(token, kind === "begin");
  }

  #count(token: unknown, isAtWork: boolean): void {
    if (isAtWork && this.#progress.size < MOST_FILES) this.#progress.add(token);
    if (isAtWork || !this.#progress.delete(token) || this.isBusy) return;
    for (const [path, document] of this.#documents)
      if (document.isEarly && document.repeats++ < MOST_REPEATS) this.#startPull(path, document);
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }

  #asked(method: string, params: unknown): unknown {
    if (method === "workspace/diagnostic/refresh")
      for (const [path, document] of this.#documents) this.#startPull(path, document);
    return answerTo(method, params, { root: this.#root, settings: this.server.settings });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Returns the language id of a file for this server; undefined if it does not handle such files. */
export function languageOf(path: string, { languages }: FoundServer): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const dot = name.lastIndexOf(".");
  return dot < 0 ? undefined : languages.get(name.slice(dot));
}
