/** What is heard of the agent becomes entries of the transcript. */

import type { AgentEvent, Message, Prompt, QueryResult, AgentTask } from "@runahead/harness";
import { CallEntry } from "./call-entry.ts";
import { NoteEntry, TextEntry, cut } from "./entry.ts";
import { attachedNames, isPrompt, saidText, typedText } from "../input/prompt.ts";
import { strip } from "../../shared/safe-text.ts";
import { bold, cyan, dim, red, yellow } from "../screen/style.ts";
import { tasksIn } from "./tasks.ts";
import type { Transcript } from "./transcript.ts";
import { amount, duration, oneLine } from "../../shared/words.ts";

/** So many of the last calls can be opened. */
const MOST_KEPT = 50;
/** Of what a person has said, so much is repeated. */
const PROMPT_CHARS = 2_000;
const PROMPT_LINES = 20;

export class Hearing {
  readonly #transcript: Transcript;
  readonly #calls = new Map<string, CallEntry>();
  #text: TextEntry | undefined;
  /** The last calls, the latest last. */
  readonly #latest: CallEntry[] = [];
  #tasks: readonly AgentTask[] = [];
  /** What the model does while nothing of it is seen. */
  #isThinking = false;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  get isThinking(): boolean {
    return this.#isThinking;
  }

  note(...lines: readonly string[]): void {
    this.#transcript.add(new NoteEntry(lines));
  }

  get latestCalls(): readonly CallEntry[] {
    return this.#latest;
  }

  /** What the agent means to do. */
  get tasks(): readonly AgentTask[] {
    return this.#tasks;
  }

  /** The last prompt and the last answer of a conversation that is gone on with. */
  recall(messages: readonly Message[]): void {
    const prompt = messages.findLast(isPrompt);
    if (prompt === undefined) return;
    this.note(...promptLines(prompt.content));
    const after = messages.slice(messages.lastIndexOf(prompt));
    const text = after
      .flatMap(({ role, content }) => (role === "assistant" ? [saidText(content)] : []))
      .at(-1);
    if (text === undefined || text.trim() === "") return;
    this.#open(text);
    this.#endText();
  }

  /** Another conversation begins. */
  forget(): void {
    this.#tasks = [];
  }

  hear(event: AgentEvent): void {
    if (event.type !== "call-progress") this.#isThinking = event.type === "thinking";
    switch (event.type) {
      case "text":
        return this.#say(event.text);
      case "call-arriving":
        return this.#call(event).arrives(event.preview);
      case "call-arrived":
        return this.#call(event).arrived(event);
      case "call-queued":
        return this.#calls.get(event.callId)?.queue(event.state);
      case "call-started":
        return this.#calls.get(event.callId)?.start();
      case "call-progress":
        return this.#calls.get(event.callId)?.progress(event.data);
      case "call-settled":
        return this.#settled(event);
      case "turn-ended":
        return this.#endText();
      default:
        return this.#told(event);
    }
  }

  #told(event: AgentEvent): void {
    if (event.type === "retry") {
      this.#discard();
      const { attempt, waitMs, error } = event;
      this.note(yellow(`${strip(error.message)}: asked again in ${duration(waitMs)} (${attempt}).`));
    } else if (event.type === "notice") this.note(yellow(strip(event.message)));
    else if (event.type === "permission-judged") this.note(dim(judgedLine(event)));
    else if (event.type === "prompt-attached") this.note(...promptLines(event.prompt));
    else if (event.type === "compacted") {
      const { how, beforeTokens, afterTokens } = event;
      this.note(dim(`The conversation was ${how}: ${amount(beforeTokens)} → ${amount(afterTokens)} tokens.`));
    } else if (event.type === "ended") this.#ended(event.result);
  }

  #ended({ reason, detail }: QueryResult): void {
    this.#endText();
    for (const call of this.#calls.values()) call.discard();
    this.#calls.clear();
    if (reason === "completed") return;
    if (reason.startsWith("aborted")) return this.note(yellow("Interrupted."));
    if (reason === "hook_stopped") return this.note(yellow(`Stopped: ${strip(detail)}.`));
    this.note(red(`Ended: ${reason}${detail === "" ? "" : `: ${strip(detail)}`}`));
  }

  /** Finished paragraphs leave for the scrollback while the next one is still coming in. */
  #say(text: string): void {
    if (this.#text === undefined) this.#open(text);
    else this.#text.add(text);
    const parts = cut(this.#text?.text ?? "");
    if (parts === undefined) return;
    this.#transcript.drop((entry) => entry === this.#text);
    this.#open(parts.done);
    this.#endText();
    if (parts.rest !== "") this.#open(parts.rest);
  }

  #open(text: string): void {
    this.#text = new TextEntry(text);
    this.#transcript.add(this.#text);
  }

  #endText(): void {
    if (this.#text === undefined) return;
    if (this.#text.text.trim() === "") this.#transcript.drop((entry) => entry === this.#text);
    this.#text.isFinished = true;
    this.#text = undefined;
  }

  #call({ callId, toolName }: { readonly callId: string; readonly toolName: string }): CallEntry {
    const known = this.#calls.get(callId);
    if (known !== undefined) return known;
    this.#endText();
    const call = new CallEntry(toolName);
    this.#calls.set(callId, call);
    this.#latest.push(call);
    if (this.#latest.length > MOST_KEPT) this.#latest.shift();
    this.#transcript.add(call);
    return call;
  }

  #settled(event: Extract<AgentEvent, { type: "call-settled" }>): void {
    this.#calls.get(event.callId)?.settle(event);
    this.#calls.delete(event.callId);
    this.#tasks = tasksIn(event.output) ?? this.#tasks;
  }

  #discard(): void {
    this.#transcript.drop((entry) => entry === this.#text);
    this.#text = undefined;
    for (const call of this.#calls.values()) call.discard();
    this.#calls.clear();
  }
}

function judgedLine({
  toolName,
  decision,
  reason,
}: Extract<AgentEvent, { type: "permission-judged" }>): string {
  const verb = decision === "allow" ? "allows" : "asks about";
  return oneLine(strip(`Auto mode ${verb} ${toolName}: ${reason}`));
}

function promptLines(prompt: Prompt): string[] {
  const text = typedText(prompt);
  const lines = text.slice(0, PROMPT_CHARS).split("\n");
  const shown = lines.slice(0, PROMPT_LINES).map((line) => bold(strip(line)));
  const isWhole = text.length <= PROMPT_CHARS && lines.length <= PROMPT_LINES;
  const all = isWhole ? shown : [...shown, dim(`… ${amount(text.length)} characters`)];
  const attached = attachedNames(prompt).map((name) => dim(`with ${strip(name)}`));
  return [...all, ...attached].map((line, at) => `${at === 0 ? cyan("› ") : "  "}${line}`);
}
