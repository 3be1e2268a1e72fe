/** A call on the screen, from the moment its name is known: what it does, its state, its time, its output. */

import { resolve } from "node:path";
import type { CallView } from "@runahead/harness";
import { type Markdown, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { draftLines } from "../input/draft.ts";
import type { AgentLog } from "./agent-log.ts";
import type { Entry } from "./entry.ts";
import { nestedLines, stateWords, sumsOf, wordsOf } from "./nested.ts";
import { imageLines, lastLines, linesOf, planOf, planRows, resultLines, wholeLines } from "./result-lines.ts";
import { type Waits, waitsOf, whyWords } from "../../shared/why.ts";
import { fileLink } from "../screen/links.ts";
import { isImageLine, isImagePending } from "../screen/images.ts";
import { bold, cyan, dim, green, red, yellow } from "../screen/style.ts";
import { diffWrap, isDiffLine } from "../screen/wrap.ts";
import { commandOf, counted, duration, membersOf, oneLine, relativePaths } from "../../shared/words.ts";

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN_MS = 100;

/** The mark of something that runs. */
export function spinner(nowMs: number): string {
  return cyan(SPINNER[Math.floor(nowMs / SPIN_MS) % SPINNER.length] ?? "");
}

const TAIL_LINES = 3;
/** A line of output that fills more rows, such as one of a minified file, would fill the screen. */
const MOST_LINE_ROWS = 10;
/** Of a title, before what follows the state is left out. */
const LEAST_WORDS = 12;
/** A shorter wait for other calls is shown only by Ctrl+O. */
const LEAST_SHOWN_MS = 500;
/** In the colours of the theme at the time of the call. */
export const MARKS = {
  done: () => green("✓"),
  failed: () => red("✗"),
  denied: () => yellow("⊘"),
  stopped: () => yellow("■"),
} as const;
const HOW = {
  succeeded: "done",
  failed: "failed",
  denied: "denied",
  stopped: "stopped",
  "not-run": "stopped",
} as const;

/** What is kept of an ended call. Its input and output can be large and are dropped. */
interface Ended {
  readonly how: keyof typeof MARKS;
  readonly waits: Waits;
  readonly mark: string;
  readonly after: string;
  readonly lines: readonly string[];
  /** Below the lines. */
  readonly plan: Markdown | undefined;
  readonly whole: readonly string[];
}

/** The drawn part of the input. Parsing a long input is slow, so it is parsed once per piece. */
interface Looked {
  readonly preview: CallView["preview"] | undefined;
  readonly words: string;
  readonly draft: readonly string[];
  readonly file: { readonly shown: string; readonly path: string } | undefined;
}

export interface CallOptions {
  readonly now?: () => number;
  /** Paths below it are shown relative to it. */
  readonly folder?: string;
}

export class CallEntry implements Entry {
  readonly kind = "call";
  readonly toolName: string;
  readonly #now: () => number;
  readonly #folder: string;
  #call: CallView | undefined;
  #ended: Ended | undefined;
  #responseEndMs: number | undefined;
  /** A line was too long to be shown whole. */
  #isCut = false;
  #looked: Looked = { preview: undefined, words: "", draft: [], file: undefined };
  /** What its sub-agents did, if it has any. */
  log: AgentLog | undefined;

  constructor(call: CallView, { now = () => performance.now(), folder = "" }: CallOptions = {}) {
    this.#call = call;
    this.toolName = call.toolName;
    this.#now = now;
    this.#folder = folder;
  }

  /** It has ended, and its images can be drawn. */
  get isFinished(): boolean {
    return this.#ended !== undefined && !this.#ended.lines.some(isImagePending);
  }

  /** Whether its result has images that the terminal draws. */
  get hasImages(): boolean {
    return this.#ended?.lines.some(isImageLine) === true;
  }

  /** Marks the call as ended. */
  end(): void {
    if (this.#call === undefined) return;
    this.#look(this.#call);
    this.#ended = endedOf(this.#call, this.#folder);
    this.#looked = { ...this.#looked, preview: undefined, draft: [] };
    this.#call = undefined;
  }

  render(width: number): string[] {
    const title = this.#titleAt(width);
    const inner = Math.max(1, width - 4);
    const below = this.#below().flatMap((line, at) => {
      const parts = this.isFinished ? this.#rowsOf(line, inner) : [truncateToWidth(line, inner, "…")];
      return parts.map((part, row) => `${at === 0 && row === 0 ? dim("  └ ") : "    "}${part}`);
    });
    const plan = this.#ended?.plan === undefined ? [] : planRows(this.#ended.plan, inner);
    return [title, ...below, ...plan.map((row) => (row === "" ? row : `    ${row}`))];
  }

  get title(): string {
    return this.#titleAt(Number.POSITIVE_INFINITY);
  }

  /** How it ended; undefined until then. */
  get how(): Ended["how"] | undefined {
    return this.#ended?.how;
  }

  /** What it does, in one line. */
  get words(): string {
    if (this.#call !== undefined) this.#look(this.#call);
    return this.#looked.words;
  }

  /** Its state, with its time. */
  get state(): string {
    return this.#after();
  }

  get isRunning(): boolean {
    return this.#call?.state === "running";
  }

  /** When its tool ran. Undefined if it has not started. */
  get startedMs(): number | undefined {
    return this.#call?.startedMs ?? this.#ended?.waits.startedMs;
  }

  /** When it ended. Undefined until then. */
  get endedMs(): number | undefined {
    return this.#ended?.waits.endedMs;
  }

  /** Its turn has ended: when the response was complete. */
  turnEnded(responseEndMs: number | undefined): void {
    this.#responseEndMs = responseEndMs;
  }

  /** What it waited for, and what ran ahead; empty until it has ended. */
  get why(): string {
    if (this.#ended === undefined) return "";
    return relativePaths(whyWords(this.#ended.waits, this.#responseEndMs), this.#folder);
  }

  /** In a narrow terminal the words are cut, and what follows the state is left out; the state is never cut. */
  #titleAt(width: number): string {
    const least = Math.min(LEAST_WORDS, visibleWidth(this.words));
    const parts = this.#after().split(" · ");
    const stateOf = (count: number): string => ` · ${parts.slice(0, count).join(" · ")}`;
    let shown = parts.length;
    while (shown > 1 && width - 2 - visibleWidth(stateOf(shown)) < least) shown--;
    const state = stateOf(shown);
    const room = width - 2 - visibleWidth(state);
    const words =
      visibleWidth(this.words) > room ? truncateToWidth(this.words, Math.max(1, room), "…") : this.words;
    const title = `${this.#mark()} ${bold(this.#linked(words))}${dim(state)}`;
    return room < 1 ? truncateToWidth(title, width, "…") : title;
  }

  /** The whole output so far, including what the screen folds. */
  whole(): readonly string[] {
    if (this.log !== undefined) return [...this.log.lines, "", ...(this.#ended?.whole ?? this.#below())];
    if (this.#ended !== undefined) return this.#ended.whole;
    const printed = this.#call?.printed ?? "";
    return printed === "" ? this.#below() : linesOf(printed);
  }

  /** Whether there is more output than the screen shows. */
  get isFolded(): boolean {
    return this.#isCut || this.whole().length > this.#below().length;
  }

  #rowsOf(line: string, width: number): string[] {
    if (isDiffLine(line)) return diffWrap(line, width);
    const rows = wrapTextWithAnsi(line, width);
    if (rows.length <= MOST_LINE_ROWS) return rows;
    this.#isCut = true;
    const shown = rows.slice(0, MOST_LINE_ROWS - 1);
    const more = dim(`… ${counted(rows.length - shown.length, "more row")} (Ctrl+O to open)`);
    return [...shown, ...wrapTextWithAnsi(more, width)];
  }

  /** Links the path of a file that the call is about, unless it was cut. */
  #linked(words: string): string {
    const { file } = this.#looked;
    if (file === undefined || !words.includes(file.shown)) return words;
    return words.replace(file.shown, () => fileLink(file.shown, file.path));
  }

  #look(call: CallView): void {
    if (this.#looked.preview === call.preview) return;
    const { preview, toolName } = call;
    const words = relativePaths(wordsOf(call), toolName === "Bash" ? "" : this.#folder);
    this.#looked = { preview, words, draft: draftLines(toolName, preview()), file: this.#fileOf(call) };
  }

  #fileOf({ hasInput, input }: CallView): Looked["file"] {
    const { file_path: path } = membersOf(input);
    if (!hasInput || typeof path !== "string" || path === "") return undefined;
    return { shown: oneLine(relativePaths(path, this.#folder)), path: resolve(this.#folder, path) };
  }

  #mark(): string {
    if (this.#ended !== undefined) return this.#ended.mark;
    if (this.#call?.state === "asking") return yellow("?");
    if (this.#call?.state !== "running") return dim("·");
    return spinner(this.#now());
  }

  #after(): string {
    if (this.#call === undefined) return this.#ended?.after ?? "";
    return stateWords(this.#call, this.#now());
  }

  #below(): readonly string[] {
    if (this.#call === undefined) return this.#ended?.lines ?? [];
    return [...commandLine(this.#call), ...this.#current(this.#call)];
  }

  #current(call: CallView): readonly string[] {
    const { draft } = this.#looked;
    // The dialog shows the whole input.
    if (call.state === "asking") return [];
    if (call.state !== "running") return draft;
    if (call.agents.size > 0 || call.calls.size > 0) {
      const lines = nestedLines(call, this.#now());
      if (lines.length > 0) return lines.map(dim);
    }
    const { printed, status } = call;
    if (printed !== "") return lastLines(linesOf(printed), TAIL_LINES).slice(-TAIL_LINES).map(dim);
    return status === "" ? draft : [dim(linesOf(status)[0] ?? "")];
  }
}

/** The command, unless the title already shows it. */
function commandLine({ hasInput, description, input }: CallView): string[] {
  const command = hasInput ? commandOf(description, input) : undefined;
  return command === undefined ? [] : [dim(command)];
}

function endedOf(call: CallView, folder: string): Ended {
  const { toolName, startedMs, endedMs = 0, end } = call;
  const how = HOW[end?.how ?? "not-run"];
  const waits = waitsOf(call);
  const waited = waits.waitedMs < LEAST_SHOWN_MS ? "" : ` after waiting ${duration(waits.waitedMs)}`;
  const after = startedMs === undefined ? how : `${how} ${duration(endedMs - startedMs)}${waited}`;
  const mark = MARKS[how]();
  // Its response was discarded, or its agent has ended.
  if (end?.outcome === undefined) {
    const lines = [dim(end?.how === "stopped" ? "stopped" : "not run")];
    return { how, waits, mark, after: how, lines, plan: undefined, whole: lines };
  }
  const { outcome, output } = end;
  const sums = sumsOf(call);
  const settled = { toolName, outcome, output };
  const lines = [
    ...commandLine(call),
    ...(sums === "" ? [] : [dim(sums)]),
    ...resultLines(settled, folder),
    ...imageLines(settled),
  ];
  return { how, waits, mark, after, lines, plan: planOf(settled), whole: wholeLines(settled) };
}
