/** Everything that the sub-agents of one call wrote and called, to read live or afterwards. */

import type { AgentView, CallView, TurnView, ViewStep } from "@runahead/harness";
import { callWords, duration } from "../../shared/words.ts";
import { strip } from "../../shared/safe-text.ts";
import { bold, dim } from "../screen/style.ts";
import { linesOf, resultLines } from "./result-lines.ts";

/** Above this number, the oldest lines are dropped. */
const MOST_LINES = 5_000;

export class AgentLog {
  readonly #lines: string[] = [];
  readonly #isFlat: boolean;
  /** How many characters of the text of a turn are in the log. */
  readonly #logged = new WeakMap<TurnView, number>();

  /** `isFlat`: it is the log of one sub-agent, so nothing is indented. */
  constructor({ isFlat = false }: { readonly isFlat?: boolean } = {}) {
    this.#isFlat = isFlat;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  hear({ agent, event, calls }: ViewStep): void {
    const indent = this.#isFlat ? "" : "  ".repeat(depthOf(agent) - 1);
    // The view of one sub-agent has its name as a title.
    if (event.type === "agent-started" && !this.#isFlat)
      this.#add(indent, [bold(strip(`${agent.id} ${agent.agentType}: ${event.description}`))]);
    for (const { what, call } of calls) {
      if (what !== "ended" || call.agent !== agent) continue;
      this.#addText(indent, agent.turn);
      this.ended(call, indent);
    }
    if (event.type === "turn-ended") this.#addText(indent, agent.turn);
  }

  /** A call has ended. Of a call that a script made, the script reads the result, so only errors are shown. */
  ended(call: CallView, indent = ""): void {
    const { toolName, description, input, startedMs, endedMs = 0, end, parent } = call;
    const inner = parent === undefined ? indent : `${indent}${"  ".repeat(levelOf(call) - 1)}`;
    const time = startedMs === undefined ? "" : ` ${duration(endedMs - startedMs)}`;
    this.#add(inner, [
      `${strip(callWords(description || toolName, input))}${dim(` · ${end?.how ?? ""}${time}`)}`,
    ]);
    if (end?.outcome === undefined || (parent !== undefined && end.how === "succeeded")) return;
    this.#add(`${inner}    `, resultLines({ toolName, outcome: end.outcome, output: end.output }));
  }

  /** The text of a turn that is not in the log yet. */
  newText(turn: TurnView): string {
    return turn.text.slice(this.#logged.get(turn) ?? 0);
  }

  /** What it wrote before a call comes before the call. */
  #addText(indent: string, turn: TurnView | undefined): void {
    const text = turn === undefined ? "" : this.newText(turn);
    if (turn === undefined || text === "") return;
    this.#add(indent, linesOf(text));
    this.#logged.set(turn, turn.text.length);
  }

  #add(indent: string, lines: readonly string[]): void {
    this.#lines.push(...lines.map((line) => `${indent}${line}`));
    if (this.#lines.length > MOST_LINES) this.#lines.splice(0, this.#lines.length - MOST_LINES);
  }
}

/** 1 for a call of a script that the model wrote. */
function levelOf({ parent }: CallView): number {
  return parent === undefined ? 0 : 1 + levelOf(parent);
}

/** 1 for a sub-agent of the main agent. */
function depthOf(agent: AgentView): number {
  let depth = 0;
  for (let above: AgentView | undefined = agent; above?.call !== undefined; above = above.call.agent) depth++;
  return Math.max(1, depth);
}
