/** A call on the screen, from the moment its name is known: what it does, its state, its time, its output. */

import type { AgentEvent } from "@runahead/harness";
import { truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { draftLines } from "../input/draft.ts";
import type { Entry } from "./entry.ts";
import { NestedAgent, isAgentProgress } from "./nested.ts";
import { type Settled, lastLines, linesOf, resultLines, wholeLines } from "./result-lines.ts";
import { bold, cyan, dim, green, red, yellow } from "../screen/style.ts";
import { arrivingWords, callWords, commandBehind, duration, oneLine } from "../../shared/words.ts";

type CallState =
  | { readonly type: "arriving" | "queued" | "asks" }
  | { readonly type: "running"; readonly startedMs: number }
  | {
      readonly type: "settled";
      readonly how: "done" | "failed" | "denied" | "stopped";
      /** Undefined where it never ran. */
      readonly ranMs: number | undefined;
      readonly lines: readonly string[];
      readonly whole: readonly string[];
    };

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN_MS = 100;
const TAIL_LINES = 3;
const KEPT_CHARS = 200_000;
const HOW = { succeeded: "done", failed: "failed", denied: "denied", aborted: "stopped" } as const;
const MARKS = { done: green("✓"), failed: red("✗"), denied: yellow("⊘"), stopped: yellow("■") } as const;

type Arriving = Extract<AgentEvent, { type: "call-arriving" }>;
type Arrived = Extract<AgentEvent, { type: "call-arrived" }>;
type Queued = Extract<AgentEvent, { type: "call-queued" }>;

export class CallEntry implements Entry {
  readonly kind = "call";
  readonly #toolName: string;
  readonly #now: () => number;
  #state: CallState = { type: "arriving" };
  #words: string;
  /** The command, where the words do not say it. */
  #command: string | undefined;
  #draft: readonly string[] = [];
  /** What has come in of the input and was not looked at yet: to read it takes as long as it is. */
  #preview: Arriving["preview"] | undefined;
  #printed = "";
  #status = "";
  #agent: NestedAgent | undefined;

  constructor(toolName: string, now = (): number => performance.now()) {
    this.#toolName = toolName;
    this.#words = oneLine(toolName);
    this.#now = now;
  }

  get isFinished(): boolean {
    return this.#state.type === "settled";
  }

  arrives(preview: Arriving["preview"]): void {
    this.#preview = preview;
  }

  /** Its input is whole. */
  arrived({ input, description }: Pick<Arrived, "input" | "description">): void {
    this.#preview = undefined;
    this.#words = callWords(description, input);
    this.#command = commandBehind(description, input);
    this.#draft = draftLines(this.#toolName, input);
    if (this.#state.type === "arriving") this.#state = { type: "queued" };
  }

  queue(state: Queued["state"]): void {
    if (!this.isFinished) this.#state = { type: state === "asking" ? "asks" : "queued" };
  }

  start(): void {
    if (!this.isFinished) this.#state = { type: "running", startedMs: this.#now() };
  }

  settle(settled: Settled): void {
    const ranMs = this.#state.type === "running" ? this.#now() - this.#state.startedMs : undefined;
    const how = HOW[settled.outcome.type];
    const sums = this.#agent === undefined || this.#agent.sums === "" ? [] : [dim(this.#agent.sums)];
    const lines = [...this.#commandLine(), ...sums, ...resultLines(settled)];
    this.#state = { type: "settled", how, ranMs, lines, whole: wholeLines(settled) };
    this.#printed = "";
    this.#draft = [];
  }

  /** Its response does not count any more. */
  discard(): void {
    if (this.isFinished) return;
    const lines = [dim("not run")];
    this.#state = { type: "settled", how: "stopped", ranMs: undefined, lines, whole: lines };
  }

  progress(data: unknown): void {
    if (isAgentProgress(data)) {
      this.#agent ??= new NestedAgent(this.#now);
      return this.#agent.hear(data.event);
    }
    const { type, content, message } = (data ?? {}) as Readonly<Record<string, unknown>>;
    if (type === "output" && typeof content === "string")
      this.#printed = (this.#printed + content).slice(-KEPT_CHARS);
    if (type === "status" && typeof message === "string") this.#status = message;
  }

  render(width: number): string[] {
    const title = truncateToWidth(this.title, width, "…");
    const below = this.#below().flatMap((line, at) => {
      const inner = Math.max(1, width - 4);
      const parts = this.isFinished ? wrapTextWithAnsi(line, inner) : [truncateToWidth(line, inner, "…")];
      return parts.map((part, row) => `${at === 0 && row === 0 ? dim("  └ ") : "    "}${part}`);
    });
    return [title, ...below];
  }

  get title(): string {
    this.#look();
    return `${this.#mark()} ${bold(this.#words)}${this.#after()}`;
  }

  /** All that it has given so far: what is folded away on the screen. */
  whole(): readonly string[] {
    if (this.#state.type === "settled") return this.#state.whole;
    return this.#printed === "" ? this.#below() : linesOf(this.#printed);
  }

  /** More has come of it than the screen shows. */
  get isFolded(): boolean {
    return this.whole().length > this.#below().length;
  }

  #look(): void {
    if (this.#preview === undefined) return;
    const input = this.#preview();
    this.#preview = undefined;
    this.#words = arrivingWords(this.#toolName, input);
    this.#draft = draftLines(this.#toolName, input);
  }

  #mark(): string {
    if (this.#state.type === "settled") return MARKS[this.#state.how];
    if (this.#state.type === "asks") return yellow("?");
    if (this.#state.type !== "running") return dim("·");
    return cyan(SPINNER[Math.floor(this.#now() / SPIN_MS) % SPINNER.length] ?? "");
  }

  #after(): string {
    const state = this.#state;
    if (state.type === "settled")
      return dim(` · ${state.how}${state.ranMs === undefined ? "" : ` ${duration(state.ranMs)}`}`);
    if (state.type !== "running") return dim(` · ${state.type}`);
    const sums = this.#agent?.sums ?? "";
    const time = `running ${duration(this.#now() - state.startedMs)}`;
    return dim(` · ${time}${sums === "" ? "" : ` · ${sums}`}`);
  }

  #below(): readonly string[] {
    if (this.#state.type === "settled") return this.#state.lines;
    return [...this.#commandLine(), ...this.#current()];
  }

  #commandLine(): string[] {
    return this.#command === undefined ? [] : [dim(this.#command)];
  }

  #current(): readonly string[] {
    // The question shows all of it.
    if (this.#state.type === "asks") return [];
    if (this.#state.type !== "running") return this.#draft;
    if (this.#agent !== undefined) return this.#agent.lines().map(dim);
    if (this.#printed !== "")
      return lastLines(linesOf(this.#printed), TAIL_LINES).slice(-TAIL_LINES).map(dim);
    return this.#status === "" ? this.#draft : [dim(linesOf(this.#status)[0] ?? "")];
  }
}
