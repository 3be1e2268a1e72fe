/** Turns events of the agent into entries of the transcript. */

import {
  type AgentEvent,
  type AgentTask,
  type AgentView,
  type CallChange,
  type CallView,
  type Message,
  type Prompt,
  type QueryResult,
  type ViewStep,
  initialView,
  reduce,
} from "@runahead/harness";
import { AgentLog } from "./agent-log.ts";
import { AgentLogs } from "./agent-logs.ts";
import { CallEntry } from "./call-entry.ts";
import { CallGroup, isFoldable } from "./call-group.ts";
import { NoteEntry, TextEntry, cut } from "./entry.ts";
import { attachedNames, typedText } from "../input/prompt.ts";
import { endingWords } from "../../shared/ending.ts";
import { tasksIn } from "../../shared/outputs.ts";
import { recalled } from "./recalled.ts";
import { strip } from "../../shared/safe-text.ts";
import { bold, cyan, dim, red, yellow } from "../screen/style.ts";
import type { Transcript } from "./transcript.ts";
import { amount, duration, oneLine } from "../../shared/words.ts";

/** Ctrl+O can show this many of the last calls. */
const MOST_KEPT = 50;
/** The transcript repeats at most this much of a prompt. */
const PROMPT_CHARS = 2_000;
const PROMPT_LINES = 20;

export class Hearing {
  readonly #transcript: Transcript;
  #view = initialView();
  /** The entries of calls that have not ended. */
  readonly #calls = new Map<CallView, CallEntry>();
  /** The entries of all calls, because background agents go on after their call. */
  readonly #entries = new WeakMap<CallView, CallEntry>();
  #text: TextEntry | undefined;
  /** The last calls, latest last. */
  readonly #latest: CallEntry[] = [];
  /** The calls of the current turn. */
  readonly #ofTurn: CallEntry[] = [];
  #tasks: readonly AgentTask[] = [];
  /** Prompts that are shown by their first line. */
  readonly #folded = new Set<string>();
  /** The reads and searches in a row that another one would join. */
  #group: CallGroup | undefined;
  readonly #folder: string;
  /** Called when the tool of a call starts. */
  onStarted: ((call: CallView) => void) | undefined;
  /** What each sub-agent did. */
  readonly agentLogs = new AgentLogs();

  /** Paths below the folder are shown relative to it. */
  constructor(transcript: Transcript, folder = "") {
    this.#transcript = transcript;
    this.#folder = folder;
  }

  get view(): AgentView {
    return this.#view;
  }

  get isThinking(): boolean {
    return this.#view.isThinking;
  }

  note(...lines: readonly string[]): void {
    this.#endGroup();
    this.#transcript.add(new NoteEntry(lines));
  }

  get latestCalls(): readonly CallEntry[] {
    return this.#latest;
  }

  /** The agent's task list. */
  get tasks(): readonly AgentTask[] {
    return this.#tasks;
  }

  /** Shows a resumed conversation. */
  recall(messages: readonly Message[]): void {
    for (const part of recalled(messages, this.#folder)) {
      if (part.type === "prompt") this.note(...promptLines(part.prompt));
      else if (part.type === "lines") this.note(...part.lines);
      else if (part.text.trim() !== "") {
        this.#open(part.text);
        this.#endText();
      }
    }
  }

  /** The task list of a resumed conversation, unless the agent has changed it since. */
  recallTasks(tasks: readonly AgentTask[]): void {
    if (this.#tasks.length === 0) this.#tasks = tasks;
  }

  /** The program wrote this prompt, so that its first line is enough. */
  fold(text: string): void {
    this.#folded.add(text);
  }

  /** Starts with an empty view, for another conversation. */
  forget(): void {
    this.#view = initialView();
    this.#tasks = [];
    this.agentLogs.forget();
  }

  /** `atMs` is when it happened; default: now. */
  hear(event: AgentEvent, atMs = performance.now()): void {
    const step = reduce(this.#view, event, atMs);
    if (step === undefined) return;
    // Sub-agents are drawn below the call that started them.
    if (step.agent !== this.#view) return this.#log(step);
    if (step.event.type === "retry") this.#discardText();
    for (const change of step.calls) this.#call(change);
    this.#show(step.event);
  }

  /** Keeps what a sub-agent does with the entry of the main agent's call. */
  #log(step: ViewStep): void {
    this.agentLogs.hear(step);
    let { call } = step.agent;
    for (let above = call; above !== undefined; above = above.parent ?? above.agent.call) call = above;
    const entry = call === undefined ? undefined : this.#entries.get(call);
    if (entry === undefined) return;
    entry.log ??= new AgentLog();
    entry.log.hear(step);
  }

  #show(event: ViewStep["event"]): void {
    switch (event.type) {
      case "text":
        return this.#say(event.text);
      case "turn-ended":
        for (const entry of this.#ofTurn.splice(0)) entry.turnEnded(this.#view.turn?.responseEndMs);
        return this.#endText();
      case "retry": {
        const { attempt, waitMs, error } = event;
        return this.note(
          yellow(
            `${strip(error.message).replace(/\.$/, "")}. Retrying in ${duration(waitMs)} (attempt ${attempt}).`,
          ),
        );
      }
      case "notice":
        return this.note(yellow(strip(event.message)));
      case "task-ended":
        return this.note(dim(oneLine(strip(taskLine(event)))));
      case "permission-judged":
        return this.note(dim(judgedLine(event)));
      case "prompt-attached":
        return this.note(
          ...promptLines(event.prompt, this.#folded.delete(typedText(event.prompt)) ? 1 : PROMPT_LINES),
        );
      case "compacted": {
        const { how, beforeTokens, afterTokens } = event;
        const tokens = `${amount(beforeTokens)} → ${amount(afterTokens)} tokens`;
        return this.note(dim(`The conversation was ${how}: ${tokens}.`));
      }
      case "ended":
        return this.#ended(event.result);
      default:
    }
  }

  #ended({ reason, detail }: QueryResult): void {
    this.#endText();
    this.#endGroup();
    if (reason === "completed") return;
    const words = endingWords({ reason, detail: strip(detail) });
    this.note(reason.startsWith("aborted") || reason === "hook_stopped" ? yellow(words) : red(words));
  }

  /** Finished paragraphs move to the scrollback while the next one is still streaming. */
  #say(text: string): void {
    // Models send line breaks between calls.
    if (this.#text === undefined && text.trim() === "") return;
    if (this.#text === undefined) this.#open(text);
    else this.#text.add(text);
    const parts = cut(this.#text?.text ?? "");
    if (parts === undefined) return;
    this.#transcript.drop((entry) => entry === this.#text);
    this.#open(parts.done, this.#text?.isContinued);
    this.#endText();
    if (parts.rest !== "") this.#open(parts.rest);
  }

  #open(text: string, isContinued = false): void {
    this.#endGroup();
    this.#text = new TextEntry(text, isContinued);
    this.#transcript.add(this.#text);
  }

  #endText(): void {
    if (this.#text === undefined) return;
    if (this.#text.text.trim() === "") this.#transcript.drop((entry) => entry === this.#text);
    this.#text.isFinished = true;
    this.#text = undefined;
  }

  #call({ what, call }: CallChange): void {
    if (call.parent !== undefined) return what === "ended" ? this.#nestedEnded(call) : undefined;
    if (what === "began") this.#begin(call);
    if (what === "state" && call.state === "running") this.onStarted?.(call);
    if (what !== "ended") return;
    this.#calls.get(call)?.end();
    this.#calls.delete(call);
    this.#tasks = tasksIn(call.end?.output) ?? this.#tasks;
  }

  /** Calls of a script are drawn below the script while they run, and stay in its log. */
  #nestedEnded(call: CallView): void {
    this.#tasks = tasksIn(call.end?.output) ?? this.#tasks;
    let root: CallView = call;
    while (root.parent !== undefined) root = root.parent;
    const entry = this.#entries.get(root);
    if (entry === undefined) return;
    entry.log ??= new AgentLog();
    entry.log.ended(call);
  }

  #begin(call: CallView): void {
    this.#endText();
    const entry = new CallEntry(call, { folder: this.#folder });
    this.#calls.set(call, entry);
    this.#entries.set(call, entry);
    this.#latest.push(entry);
    this.#ofTurn.push(entry);
    if (this.#latest.length > MOST_KEPT) this.#latest.shift();
    this.#place(entry);
  }

  /** A read or a search joins those before it. */
  #place(entry: CallEntry): void {
    if (!isFoldable(entry.toolName)) {
      this.#endGroup();
      return this.#transcript.add(entry);
    }
    if (this.#group?.add(entry) === true) return;
    this.#group = new CallGroup(entry);
    this.#transcript.add(this.#group);
  }

  #endGroup(): void {
    this.#group?.close();
    this.#group = undefined;
  }

  #discardText(): void {
    this.#transcript.drop((entry) => entry === this.#text);
    this.#text = undefined;
  }
}

function judgedLine({
  toolName,
  decision,
  reason,
}: Extract<AgentEvent, { type: "permission-judged" }>): string {
  const verb = decision === "allow" ? "allowed" : "asks about";
  return oneLine(strip(`Auto mode ${verb} ${toolName}: ${reason}`));
}

function taskLine({ id, kind, description, state }: Extract<AgentEvent, { type: "task-ended" }>): string {
  return `Background ${kind} ${id} ended${state === "ended" ? "" : ` (${state})`}: ${description}`;
}

function promptLines(prompt: Prompt, most = PROMPT_LINES): string[] {
  const text = typedText(prompt);
  const lines = text.slice(0, PROMPT_CHARS).split("\n");
  const shown = lines.slice(0, most).map((line) => bold(strip(line)));
  const isWhole = text.length <= PROMPT_CHARS && lines.length <= most;
  const all = isWhole ? shown : [...shown, dim(`… ${amount(text.length)} characters`)];
  const attached = attachedNames(prompt).map((name) => dim(`with ${strip(name)}`));
  return [...all, ...attached].map((line, at) => `${at === 0 ? cyan("› ") : "  "}${line}`);
}
