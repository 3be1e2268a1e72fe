/**
 * /tasks: the sub-agents as a tree, and background commands. Enter opens one to watch it or to read what it did; other
 * keys stop it, send it a message, or move it to the background.
 */

import { Input, matchesKey, truncateToWidth } from "@earendil-works/pi-tui";
import type { Panel } from "../screen/panel.ts";
import { helpRows, titleRows } from "../screen/rows.ts";
import { cyan, dim, yellow } from "../screen/style.ts";
import { wordWrap } from "../screen/wrap.ts";
import type { AgentRow } from "./agent-rows.ts";

export interface AgentsPorts {
  readonly rows: () => readonly AgentRow[];
  /** What a sub-agent wrote and called so far. */
  readonly linesOf: (id: string) => readonly string[];
  /** Stops it. Rejects if that fails. */
  readonly stop: (row: AgentRow) => Promise<void>;
  /** Sends it a message; one that has ended continues. Rejects if that fails. */
  readonly send: (id: string, text: string) => Promise<void>;
  /** Returns false if no call waits for it. */
  readonly toBackground: (id: string) => boolean;
  readonly close: () => void;
  readonly onChange: () => void;
}

/** The lines of a sub-agent: what it does, and its state. */
const AGENT_LINES = 2;

export class AgentsPanel implements Panel {
  readonly #ports: AgentsPorts;
  /** The id of the selected row, which can move while others start. */
  #selected: string | undefined;
  /** The sub-agent that is open. */
  #open: string | undefined;
  #message: Input | undefined;
  /** How many lines are below those that are shown; 0 follows what is new. */
  #fromEnd = 0;
  #room = 1;
  #note = "";
  /** The sub-agent or command that the note says is being stopped. */
  #stopping: string | undefined;

  constructor(ports: AgentsPorts) {
    this.#ports = ports;
    const rows = ports.rows();
    this.#selected = (rows.find(({ isAtWork }) => isAtWork) ?? rows[0])?.id;
  }

  get takesText(): boolean {
    return this.#message !== undefined;
  }

  handleInput(data: string): void {
    if (matchesKey(data, "ctrl+c")) return this.#ports.close();
    if (this.#message !== undefined) return this.#type(data);
    this.#say("");
    if (matchesKey(data, "escape") || matchesKey(data, "q")) return this.#back();
    const row = this.#row;
    if (matchesKey(data, "x")) this.#stop(row);
    else if (matchesKey(data, "m")) this.#write(row);
    else if (matchesKey(data, "b")) this.#toBackground(row);
    else if (this.#open === undefined) this.#choose(data);
    else this.#scroll(data);
  }

  render(width: number, rows: number): string[] {
    const all = this.#ports.rows();
    const open = all.find(({ id }) => id === this.#open);
    if (this.#stopping !== undefined && !all.some(({ id, isAtWork }) => isAtWork && id === this.#stopping))
      this.#say("");
    const lines = open === undefined ? this.#list(all, width, rows) : this.#opened(open, width, rows);
    return lines.slice(0, Math.max(1, rows));
  }

  get #row(): AgentRow | undefined {
    return this.#ports.rows().find(({ id }) => id === (this.#open ?? this.#selected));
  }

  #back(): void {
    if (this.#open === undefined) return this.#ports.close();
    this.#open = undefined;
  }

  #choose(data: string): void {
    const rows = this.#ports.rows();
    const at = rows.findIndex(({ id }) => id === this.#selected);
    if (matchesKey(data, "up")) this.#selected = rows[Math.max(0, at - 1)]?.id;
    else if (matchesKey(data, "down")) this.#selected = rows[Math.min(rows.length - 1, at + 1)]?.id;
    else if (matchesKey(data, "enter") && rows[at]?.kind === "agent") {
      this.#open = rows[at].id;
      this.#fromEnd = 0;
    }
  }

  #scroll(data: string): void {
    if (matchesKey(data, "up")) this.#fromEnd++;
    else if (matchesKey(data, "down")) this.#fromEnd--;
    else if (matchesKey(data, "pageUp")) this.#fromEnd += this.#room;
    else if (matchesKey(data, "pageDown") || matchesKey(data, "space")) this.#fromEnd -= this.#room;
    else if (matchesKey(data, "home")) this.#fromEnd = Number.MAX_SAFE_INTEGER;
    else if (matchesKey(data, "end")) this.#fromEnd = 0;
  }

  #stop(row: AgentRow | undefined): void {
    if (row === undefined) return;
    if (!row.isAtWork) return this.#say(`${row.id} has ended.`);
    this.#do(this.#ports.stop(row), `${row.id} is being stopped.`);
    this.#stopping = row.id;
  }

  #toBackground(row: AgentRow | undefined): void {
    if (row === undefined) return;
    this.#say(
      this.#ports.toBackground(row.id)
        ? `${row.id} goes on in the background. The model is notified when it ends.`
        : `No call of the main agent waits for ${row.id}.`,
    );
  }

  #write(row: AgentRow | undefined): void {
    if (row?.kind !== "agent") return;
    const { id } = row;
    const message = new Input();
    message.focused = true;
    message.onSubmit = (text) => {
      this.#message = undefined;
      if (text.trim() !== "") this.#do(this.#ports.send(id, text.trim()), `Sent to ${id}.`);
    };
    this.#message = message;
  }

  #type(data: string): void {
    if (matchesKey(data, "escape")) this.#message = undefined;
    else this.#message?.handleInput(data);
  }

  /** Shows a note in place of the one before. */
  #say(note: string): void {
    this.#note = note;
    this.#stopping = undefined;
  }

  #do(job: Promise<void>, words: string): void {
    this.#say(words);
    void job
      .catch((error: unknown) => this.#say(error instanceof Error ? error.message : String(error)))
      .finally(this.#ports.onChange);
  }

  #list(all: readonly AgentRow[], width: number, rows: number): string[] {
    const at = Math.max(
      0,
      all.findIndex(({ id }) => id === this.#selected),
    );
    // Two lines each, with the selected one always visible.
    const last = this.#last("↑ ↓ to move, Enter to open", width);
    const most = Math.max(1, Math.floor((rows - 1 - last.length) / AGENT_LINES));
    const first = Math.max(0, Math.min(at - most + 1, all.length - most));
    const shown = all.slice(first, first + most);
    const working = all.filter(({ isAtWork }) => isAtWork).length;
    return [
      ...titleRows(`${namesOf(all)} ─ ${working} at work, ${all.length - working} ended`, width),
      ...(all.length === 0
        ? wordWrap("No sub-agents and no background commands in this session.", width).map(dim)
        : []),
      ...shown.flatMap((row) => this.#rowLines(row, width)),
      ...(all.length === 0 ? helpRows("Esc to close", width) : last),
    ];
  }

  #rowLines({ id, depth, title, state, isAtWork }: AgentRow, width: number): string[] {
    const indent = "  ".repeat(depth);
    const mark = id === this.#selected ? "› " : "  ";
    const line = truncateToWidth(`${mark}${indent}${title}`, width, "…");
    return [
      id === this.#selected ? cyan(line) : isAtWork ? line : dim(line),
      dim(truncateToWidth(`    ${indent}${state}`, width, "…")),
    ];
  }

  #opened({ id, title, state, isAtWork }: AgentRow, width: number, rows: number): string[] {
    const all = this.#ports.linesOf(id).flatMap((line) => wordWrap(line, width));
    const last = this.#last("↑ ↓ PgUp PgDn to scroll, Esc to go back", width);
    this.#room = Math.max(1, rows - 1 - AGENT_LINES - last.length);
    this.#fromEnd = Math.max(0, Math.min(this.#fromEnd, all.length - this.#room));
    const end = all.length - this.#fromEnd;
    const shown = all.slice(Math.max(0, end - this.#room), end);
    const where = isAtWork && this.#fromEnd === 0 ? "live" : `${end} of ${all.length} lines`;
    return [
      ...titleRows(`Sub-agents ─ ${id} ─ ${where}`, width),
      truncateToWidth(title, width, "…"),
      dim(truncateToWidth(state, width, "…")),
      ...(shown.length === 0 ? [dim("Nothing yet.")] : shown),
      ...last,
    ];
  }

  #last(help: string, width: number): string[] {
    if (this.#message !== undefined)
      return [...this.#message.render(width), ...helpRows("Enter to send, Esc to cancel", width)];
    if (this.#note !== "") return wordWrap(this.#note, width).map(yellow);
    return helpRows(`${help}, m to send a message, x to stop, b for background`, width);
  }
}

function namesOf(rows: readonly AgentRow[]): string {
  const kinds = new Set(rows.map(({ kind }) => kind));
  if (!kinds.has("command")) return "Sub-agents";
  return kinds.has("agent") ? "Sub-agents and commands" : "Background commands";
}
