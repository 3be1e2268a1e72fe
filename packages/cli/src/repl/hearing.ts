/** What is heard of the agent becomes entries of the transcript. */

import type { AgentEvent, Prompt, QueryResult } from "@runahead/agent";
import { CallEntry } from "./call-entry.ts";
import { NoteEntry, TextEntry, cut } from "./entry.ts";
import { strip } from "./safe-text.ts";
import { bold, cyan, dim, red, yellow } from "./style.ts";
import type { Transcript } from "./transcript.ts";
import { amount, duration } from "./words.ts";

/** Of what a person has said, so much is repeated. */
const PROMPT_CHARS = 2_000;
const PROMPT_LINES = 20;

export class Hearing {
  readonly #transcript: Transcript;
  readonly #calls = new Map<string, CallEntry>();
  #text: TextEntry | undefined;
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

  /** A question about a call is put, and, later, is not open any more. */
  asks(callId: string, isOpen: boolean): void {
    const call = this.#calls.get(callId);
    if (isOpen) call?.ask();
    else call?.queue();
  }

  hear(event: AgentEvent): void {
    if (event.type !== "call-progress") this.#isThinking = event.type === "thinking";
    switch (event.type) {
      case "text":
        return this.#say(event.text);
      case "thinking":
        return this.#whole();
      case "call-arriving":
        return this.#arriving(event);
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
    this.note(red(`Ended: ${reason}${detail === "" ? "" : `: ${strip(detail)}`}`));
  }

  /** Finished paragraphs leave for the scrollback while the next one is still coming in. */
  #say(text: string): void {
    this.#whole();
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

  #arriving(event: Extract<AgentEvent, { type: "call-arriving" }>): void {
    this.#endText();
    const known = this.#calls.get(event.callId);
    if (known !== undefined) return known.arrives(event.preview);
    this.#whole();
    const call = new CallEntry(event);
    this.#calls.set(event.callId, call);
    this.#transcript.add(call);
  }

  /** Blocks come one after the other: when the next begins, the calls before it are whole. */
  #whole(): void {
    for (const call of this.#calls.values()) if (call.state.type === "arriving") call.queue();
  }

  #settled(event: Extract<AgentEvent, { type: "call-settled" }>): void {
    this.#calls.get(event.callId)?.settle(event);
    this.#calls.delete(event.callId);
  }

  #discard(): void {
    this.#transcript.drop((entry) => entry === this.#text);
    this.#text = undefined;
    for (const call of this.#calls.values()) call.discard();
    this.#calls.clear();
  }
}

function promptLines(prompt: Prompt): string[] {
  const text =
    typeof prompt === "string"
      ? prompt
      : prompt.map((block) => (block.type === "text" ? String(block["text"]) : `[${block.type}]`)).join("\n");
  const lines = text.slice(0, PROMPT_CHARS).split("\n");
  const shown = lines.slice(0, PROMPT_LINES).map((line) => bold(strip(line)));
  const isWhole = text.length <= PROMPT_CHARS && lines.length <= PROMPT_LINES;
  const all = isWhole ? shown : [...shown, dim(`… ${amount(text.length)} characters`)];
  return all.map((line, at) => `${at === 0 ? cyan("› ") : "  "}${line}`);
}
