/** Plays the demo without a terminal: one line per event. */

import {
  type AgentEvent,
  type AgentView,
  type CallChange,
  type Listeners,
  type TurnView,
  codingAgent,
  initialView,
  reduce,
} from "@runahead/harness";
import { agentOptions } from "../shared/agent-options.ts";
import type { RunFlags } from "../shared/flags.ts";
import { writeTimeline, textTimeline, oneLine } from "@runahead/harness/timeline";
import type { World } from "../shared/world.ts";

const COLUMNS = 120;
const LINE_CHARS = 110;
const HEARD_MS = 50;

/** Resolves when the demo has ended. */
export async function playPlainly(
  world: World,
  { prompt, flags }: { readonly prompt: string; readonly flags: RunFlags },
  attend: (listeners: Listeners, leave: () => void) => Listeners,
): Promise<void> {
  const lines = new Lines(world.print);
  const own: Listeners = {
    onEvent: (event) => lines.hear(event),
    onNotice: (message) => world.complain(message),
    // The demo withdraws and answers the question, so this only prints it.
    askPerson: (question) => {
      // Events from before the question arrive a moment later and are printed first.
      setTimeout(() => lines.ask(question.description), HEARD_MS);
      return new Promise((resolve) => {
        question.signal.addEventListener("abort", () => resolve({ type: "withdrawn" }), { once: true });
      });
    },
  };
  world.print(`> ${prompt}`);
  const made = await codingAgent(
    agentOptions(
      world,
      flags,
      attend(own, () => {}),
    ),
  );
  try {
    await made.agent.send(prompt);
  } finally {
    await made.close();
  }
  const timeline = await made.timeline();
  world.print(`\n${textTimeline(timeline, COLUMNS)}\n`);
  if (flags.timeline !== undefined) await writeTimeline(flags.timeline, timeline);
}

/** Prints text when a call interrupts it or when it ends. */
class Lines {
  readonly #print: (text: string) => void;
  readonly #view = initialView();
  /** How much of a turn's text has been printed. */
  readonly #printed = new WeakMap<TurnView, number>();

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  hear(heard: AgentEvent): void {
    const step = reduce(this.#view, heard);
    if (step === undefined) return;
    const { agent, event } = step;
    for (const change of step.calls) this.#line(agent, lineOf(change));
    if (event.type === "turn-ended") this.#flush(agent);
  }

  ask(description: string): void {
    this.#print(`? Allow this call? ${oneLine(description, LINE_CHARS)}`);
  }

  #line(agent: AgentView, line: string | undefined): void {
    if (line === undefined) return;
    this.#flush(agent);
    this.#print(`${indentOf(agent)}${line}`);
  }

  #flush(agent: AgentView): void {
    const { turn } = agent;
    if (turn === undefined) return;
    const text = turn.text.slice(this.#printed.get(turn) ?? 0).trim();
    this.#printed.set(turn, turn.text.length);
    if (text !== "") this.#print(`${indentOf(agent)}${text}`);
  }
}

function indentOf({ call }: AgentView): string {
  return call === undefined ? "" : `    ${indentOf(call.agent)}`;
}

function lineOf({ what, call }: CallChange): string | undefined {
  const { toolName, description, end } = call;
  if (what === "input")
    return `→ ${toolName} ${oneLine(description.replace(`${toolName} `, ""), LINE_CHARS)}`;
  if (what !== "ended" || end?.outcome === undefined) return undefined;
  return `${end.how === "succeeded" ? "✓" : "✗"} ${toolName}`;
}
