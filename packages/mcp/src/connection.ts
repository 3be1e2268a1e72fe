/**
 * One server, from its start to its end: opened in the background, reopened with growing pauses when the connection is
 * lost (H02), and given up after too many failures. A failure is reported once, and so is the recovery.
 */

import { limitedSignal, messageOf } from "@runahead/base";
import { Hopeless, McpFailure, NOT_RUN, reasonOf } from "./failure.ts";
import { fingerprint } from "./fingerprint.ts";
import { toolNames } from "./names.ts";
import { NeedsLogin } from "./oauth.ts";
import type { Limits, OpenSpec } from "./open-spec.ts";
import type { FoundMcpServer } from "./mcp-server.ts";
import type { ListedPrompt, ListedTool, OpenServer } from "./server.ts";
import { type McpTool, mcpTool } from "./tool.ts";
import { chosenTools, isAsked, listedLoading, unknownNames } from "./tool-choice.ts";
import { type Difference, differenceOf } from "./tool-changes.ts";

export type ConnectionState =
  | { readonly type: "connecting" }
  | { readonly type: "ready" }
  /** It will be retried. */
  | {
      readonly type: "waiting";
      /** Why the last attempt failed, in words. */
      readonly why: string;
    }
  /** It will not be retried. */
  | {
      readonly type: "failed";
      /** Why the last attempt failed, in words. */
      readonly why: string;
    }
  /** The user must log in first. */
  | {
      readonly type: "needs-auth";
      /** What the user has to do, in words. */
      readonly why: string;
    }
  /** The user or the program turned it off. */
  | { readonly type: "disabled" }
  | { readonly type: "closed" };

type State =
  | { readonly type: "connecting"; readonly attempt: AbortController }
  | { readonly type: "ready"; readonly server: OpenServer; readonly since: number }
  | { readonly type: "waiting"; readonly why: string; readonly timer: NodeJS.Timeout }
  | { readonly type: "failed" | "needs-auth"; readonly why: string }
  | { readonly type: "disabled" }
  | { readonly type: "closed" };

/** States that end only when somebody asks for it. */
const OVER: ReadonlySet<State["type"]> = new Set<State["type"]>([
  "failed",
  "needs-auth",
  "disabled",
  "closed",
]);

export interface ConnectionPorts {
  readonly spec: Omit<OpenSpec, "signal" | "onLost" | "onToolsChanged">;
  /** Called when the list of tools changed. */
  readonly onTools: (tools: readonly McpTool[]) => void;
}

export class Connection {
  readonly entry: FoundMcpServer;
  readonly callMs: number;
  readonly #ports: ConnectionPorts;
  readonly #limits: Limits;
  readonly #waiters = new Set<() => void>();
  #state: State = { type: "closed" };
  #tools: readonly McpTool[] = [];
  /** The names of the tools whose calls need approval. They stay: a call can wait while the server is gone. */
  readonly #asked = new Set<string>();
  #prompts: readonly ListedPrompt[] = [];
  #listedBefore = false;
  #isReported = false;
  #failures = 0;
  /** The latest attempt, and the shutdown of servers that were lost. */
  readonly #work = new Set<Promise<void>>();
  #refreshing: "no" | "once" | "again" = "no";

  constructor(ports: ConnectionPorts) {
    this.#ports = ports;
    this.entry = ports.spec.entry;
    const { limits } = ports.spec;
    const { server } = this.entry;
    this.callMs = server.timeoutMs ?? limits.callMs;
    this.#limits = { ...limits, idleMs: Math.min(limits.idleMs, this.callMs) };
  }

  get name(): string {
    return this.entry.name;
  }

  get state(): ConnectionState {
    const state = this.#state;
    return "why" in state ? { type: state.type, why: state.why } : { type: state.type };
  }

  get tools(): readonly McpTool[] {
    return this.#tools;
  }

  /** The prompts of the last connection; empty while there is none. */
  get prompts(): readonly ListedPrompt[] {
    return this.#state.type === "ready" ? this.#prompts : [];
  }

  fingerprintOf(tool: string): string | undefined {
    return this.#tools.find(({ listed }) => listed.name === tool)?.fingerprint;
  }

  /** Whether the definition of a tool is always loaded, or never; undefined if nobody says so. */
  loadingOf({ listed }: McpTool): boolean | undefined {
    const { alwaysLoad } = this.entry;
    return alwaysLoad === false ? false : (listedLoading(listed) ?? alwaysLoad);
  }

  /** Whether every call of a tool needs approval, by the name that the model sees. */
  asks(toolName: string): boolean {
    return this.#asked.has(toolName);
  }

  start(): void {
    const attempt = new AbortController();
    this.#set({ type: "connecting", attempt });
    this.#track(this.#attempt(attempt));
  }

  /** Resolves when it is ready, has failed for the first time, or is closed. */
  async settled(): Promise<void> {
    while (this.#state.type === "connecting") await this.#change();
  }

  readonly open = async (signal: AbortSignal): Promise<OpenServer> => {
    const limit = limitedSignal(signal, this.#limits.connectMs);
    for (;;) {
      const state = this.#state;
      if (state.type === "ready") return state.server;
      if (OVER.has(state.type) || limit.aborted) throw this.#absent(state);
      await this.#change(limit);
    }
  };

  close(): Promise<void> {
    return this.#end({ type: "closed" });
  }

  /** Disconnects it until `restart`. Its tools are gone. */
  async disable(): Promise<void> {
    await this.#end({ type: "disabled" });
    this.#ports.onTools([]);
  }

  /** Connects again, whatever its state is. Resolves when it is ready or has failed. */
  async restart(): Promise<void> {
    await this.#end({ type: "disabled" });
    this.#failures = 0;
    this.#listedBefore = false;
    this.start();
    await this.settled();
  }

  async #end(next: { readonly type: "closed" | "disabled" }): Promise<void> {
    const state = this.#state;
    this.#set(next);
    this.#tools = [];
    if (state.type === "connecting") state.attempt.abort();
    if (state.type === "waiting") clearTimeout(state.timer);
    if (state.type === "ready") await state.server.close();
    await Promise.all(this.#work);
  }

  async #attempt(attempt: AbortController): Promise<void> {
    const { connectMs } = this.#limits;
    const timer = setTimeout(() => attempt.abort("limit"), connectMs);
    let server: OpenServer | undefined;
    try {
      const { openServer } = await import("./open.ts");
      const own: { server?: OpenServer; lost?: string } = {};
      server = await openServer({
        ...this.#ports.spec,
        limits: this.#limits,
        signal: attempt.signal,
        onToolsChanged: () => void this.#refresh(),
        onLost: (why, how) => {
          own.lost = why;
          this.#lost(own.server, why, how);
        },
      });
      own.server = server;
      // A server whose prompts cannot be listed is still useful.
      const [tools, prompts] = await Promise.all([
        server.tools(attempt.signal),
        server.prompts(attempt.signal).catch(() => []),
      ]);
      this.#prompts = prompts;
      if (own.lost !== undefined) throw new McpFailure(own.lost);
      this.#ready(server, tools, attempt.signal);
    } catch (error) {
      await server?.close();
      const said = reasonOf(error).replace(/^the attempt was cancelled(?:\. )?/, "");
      const late = `it did not answer within ${connectMs / 1000} s. ${said}`.trim();
      this.#failed(attempt.signal.reason === "limit" ? late : reasonOf(error), error);
    } finally {
      clearTimeout(timer);
    }
  }

  #ready(server: OpenServer, tools: readonly ListedTool[], signal: AbortSignal): void {
    if (signal.aborted || this.#state.type !== "connecting") throw new Error("the attempt was cancelled");
    this.#take(tools);
    this.#set({ type: "ready", server, since: performance.now() });
    if (this.#isReported) this.#notice("is connected again.");
    this.#isReported = false;
  }

  #lost(server: OpenServer | undefined, why: string, how?: "session-ended"): void {
    const state = this.#state;
    if (state.type !== "ready" || state.server !== server) return;
    // After a long time without failures, the count starts again.
    if (performance.now() - state.since > this.#limits.mostRetryMs) this.#failures = 0;
    this.#track(state.server.close());
    if (how === undefined) return this.#failed(why);
    // Servers end sessions at any time, for example when nobody used them: that is not a failure.
    this.start();
  }

  #failed(why: string, error?: unknown): void {
    const isHopeless = error instanceof Hopeless;
    if (this.#state.type === "closed" || this.#state.type === "disabled") return;
    this.#failures++;
    const { retryMs, mostRetryMs, mostRetries } = this.#limits;
    if (this.#failures > mostRetries || isHopeless) {
      this.#tools = [];
      this.#set({ type: error instanceof NeedsLogin ? "needs-auth" : "failed", why });
      this.#ports.onTools([]);
      return this.#notice(`is not available${this.#failures > 1 ? " and will not be retried" : ""}: ${why}`);
    }
    const pauseMs = Math.min(retryMs * 2 ** (this.#failures - 1), mostRetryMs);
    const timer = setTimeout(() => this.start(), pauseMs).unref();
    this.#set({ type: "waiting", why, timer });
    if (!this.#isReported) this.#notice(`is not available and will be retried: ${why}`);
    this.#isReported = true;
  }

  /** Runs one refresh at a time, and one more for all requests that arrived meanwhile. */
  async #refresh(): Promise<void> {
    if (this.#refreshing !== "no") return void (this.#refreshing = "again");
    const state = this.#state;
    if (state.type !== "ready") return;
    this.#refreshing = "once";
    try {
      const tools = await state.server.tools(AbortSignal.timeout(this.#limits.connectMs));
      if (this.#state === state) this.#take(tools);
    } catch (error) {
      if (this.#state === state)
        this.#notice(`reported that its tools changed, but could not list them: ${messageOf(error)}`);
    }
    const isAgain = (this.#refreshing as string) === "again";
    this.#refreshing = "no";
    if (isAgain) await this.#refresh();
  }

  #take(all: readonly ListedTool[]): void {
    const before = this.#tools;
    this.#tools = this.#toolsOf(this.#chosen(all));
    const difference = differenceOf(before, this.#tools);
    if (this.#listedBefore && difference !== undefined)
      this.#notice(`changed its tools: ${words(difference)}.`);
    if (!this.#listedBefore || difference !== undefined) this.#ports.onTools(this.#tools);
    this.#listedBefore = true;
  }

  #chosen(all: readonly ListedTool[]): readonly ListedTool[] {
    const { tools: choice = {} } = this.entry;
    const unknown = this.#listedBefore ? [] : unknownNames(all, choice);
    if (unknown.length > 0)
      this.#notice(`has no tool ${unknown.join(", ")}, which ${this.entry.path} names as one of its tools.`);
    return chosenTools(all, choice);
  }

  /** Keeps the object of a tool that has not changed. */
  #toolsOf(listed: readonly ListedTool[]): readonly McpTool[] {
    const { onNotice } = this.#ports.spec;
    const { tools: choice = {} } = this.entry;
    const names = toolNames(
      this.name,
      listed.map(({ name }) => name),
    );
    return listed.map((tool) => {
      const print = fingerprint(this.entry.server, tool);
      const { name, isOther } = names.get(tool.name) ?? { name: tool.name, isOther: false };
      if (isAsked(tool, choice)) this.#asked.add(name);
      const known = this.#tools.find((one) => one.fingerprint === print && one.tool.name === name);
      if (known !== undefined) return known;
      if (isOther)
        this.#notice(`has a tool ${tool.name} whose name cannot be used; it is offered as ${name}.`);
      return mcpTool(this, { name, listed: tool, fingerprint: print, onNotice });
    });
  }

  #absent(state: State): McpFailure {
    const why = "why" in state ? ` (${state.why})` : "";
    const how =
      state.type === "closed"
        ? "is closed"
        : `is ${state.type === "disabled" ? "turned off" : "not available"}`;
    return new McpFailure(`The MCP server ${this.name} ${how}${why}. ${NOT_RUN}`);
  }

  #notice(what: string): void {
    this.#ports.spec.onNotice(`The MCP server ${this.name} ${what}`);
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work.catch(() => {}).finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  #set(state: State): void {
    this.#state = state;
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const wake of waiters) wake();
  }

  #change(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        this.#waiters.delete(wake);
        resolve();
      };
      this.#waiters.add(wake);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }
}

function words({ added, removed, changed }: Difference): string {
  const parts = Object.entries({ added, removed, changed }).filter(([, names]) => names.length > 0);
  return parts.map(([what, names]) => `${what} ${names.join(", ")}`).join("; ");
}
