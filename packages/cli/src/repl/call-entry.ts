/** A call on the screen, from the moment its name is known: what it does, its state, its time, its output. */

import type { AgentEvent } from "@runahead/agent";
import { truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Entry } from "./entry.ts";
import { type Settled, lastLines, linesOf, resultLines } from "./result-lines.ts";
import { bold, cyan, dim, green, red, yellow } from "./style.ts";
import { callWords, duration } from "./words.ts";

export type CallState =
  | { readonly type: "arriving" | "queued" | "asks" }
  | { readonly type: "running"; readonly startedMs: number }
  | {
      readonly type: "settled";
      readonly how: "done" | "failed" | "denied" | "stopped";
      readonly ranMs: number;
      readonly lines: readonly string[];
    };

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN_MS = 100;
const TAIL_LINES = 3;
const KEPT_CHARS = 20_000;
const HOW = { succeeded: "done", failed: "failed", denied: "denied", aborted: "stopped" } as const;
const MARKS = { done: green("✓"), failed: red("✗"), denied: yellow("⊘"), stopped: yellow("■") } as const;

type Progress =
  | { readonly type: "output"; readonly content: string }
  | { readonly type: "status"; readonly message: string }
  | { readonly type: "agent"; readonly agentType: string; readonly event: AgentEvent };

export class CallEntry implements Entry {
  readonly kind = "call";
  readonly callId: string;
  readonly toolName: string;
  readonly #now: () => number;
  #state: CallState = { type: "arriving" };
  #preview: () => unknown;
  #printed = "";
  #status = "";
  /** Of a sub-agent: its calls that are under way, by their ids. */
  readonly #nested = new Map<string, string>();

  constructor(
    { callId, toolName, preview }: Extract<AgentEvent, { type: "call-arriving" }>,
    now = (): number => performance.now(),
  ) {
    this.callId = callId;
    this.toolName = toolName;
    this.#preview = preview;
    this.#now = now;
  }

  get state(): CallState {
    return this.#state;
  }

  get isFinished(): boolean {
    return this.#state.type === "settled";
  }

  arrives(preview: () => unknown): void {
    this.#preview = preview;
  }

  /** Its input is whole, and it waits. */
  queue(): void {
    if (this.#state.type === "arriving" || this.#state.type === "asks") this.#state = { type: "queued" };
  }

  ask(): void {
    if (!this.isFinished) this.#state = { type: "asks" };
  }

  start(): void {
    if (!this.isFinished) this.#state = { type: "running", startedMs: this.#now() };
  }

  settle(settled: Settled): void {
    const { startedMs } = this.#state.type === "running" ? this.#state : { startedMs: this.#now() };
    const ranMs = this.#now() - startedMs;
    this.#state = { type: "settled", how: HOW[settled.outcome.type], ranMs, lines: resultLines(settled) };
  }

  /** Its response does not count any more. */
  discard(): void {
    if (!this.isFinished)
      this.#state = { type: "settled", how: "stopped", ranMs: 0, lines: [dim("not run")] };
  }

  progress(data: unknown): void {
    const progress = (data ?? {}) as Progress;
    if (progress.type === "output" && typeof progress.content === "string")
      this.#printed = (this.#printed + progress.content).slice(-KEPT_CHARS);
    if (progress.type === "status" && typeof progress.message === "string") this.#status = progress.message;
    if (progress.type === "agent") this.#hear(progress.event);
  }

  render(width: number): string[] {
    const title = truncateToWidth(`${this.#mark()} ${bold(this.#words())}${this.#after()}`, width, "…");
    const inner = Math.max(1, width - 4);
    const below = this.#below().flatMap((line, at) => {
      const parts = this.isFinished ? wrapTextWithAnsi(line, inner) : [truncateToWidth(line, inner, "…")];
      return parts.map((part, row) => `${at === 0 && row === 0 ? dim("  └ ") : "    "}${part}`);
    });
    return [title, ...below];
  }

  #words(): string {
    return callWords(this.toolName, this.#preview());
  }

  #mark(): string {
    if (this.#state.type === "settled") return MARKS[this.#state.how];
    if (this.#state.type === "asks") return yellow("?");
    if (this.#state.type !== "running") return dim("·");
    return cyan(SPINNER[Math.floor(this.#now() / SPIN_MS) % SPINNER.length] ?? "");
  }

  #after(): string {
    const state = this.#state;
    if (state.type === "running") return dim(` · running ${duration(this.#now() - state.startedMs)}`);
    if (state.type !== "settled") return dim(` · ${state.type}`);
    return dim(` · ${state.how}${state.ranMs > 0 ? ` ${duration(state.ranMs)}` : ""}`);
  }

  #below(): readonly string[] {
    if (this.#state.type === "settled") return this.#state.lines;
    if (this.#state.type !== "running") return [];
    const nested = [...this.#nested.values()].slice(-TAIL_LINES).map(dim);
    if (nested.length > 0) return nested;
    if (this.#printed === "") return this.#status === "" ? [] : [dim(linesOf(this.#status)[0] ?? "")];
    return lastLines(linesOf(this.#printed), TAIL_LINES).slice(-TAIL_LINES).map(dim);
  }

  #hear(event: AgentEvent): void {
    if (event.type === "call-arriving")
      this.#nested.set(event.callId, `${callWords(event.toolName, event.preview())} · arriving`);
    if (event.type === "call-started") this.#rename(event.callId, event.toolName);
    if (event.type === "call-settled") this.#nested.delete(event.callId);
    if (event.type === "message-started") this.#nested.clear();
  }

  #rename(callId: string, toolName: string): void {
    const words = this.#nested.get(callId)?.replace(/ · arriving$/, "") ?? toolName;
    this.#nested.set(callId, `${words} · running`);
  }
}
