/** The demo where nobody looks at a screen: a line for each thing that happens. */

import { type AgentEvent, type Listeners, codingAgent } from "@runahead/harness";
import { agentOptions } from "../shared/agent-options.ts";
import type { RunFlags } from "../shared/flags.ts";
import { writeTimeline, textTimeline, oneLine } from "@runahead/harness/timeline";
import type { World } from "../shared/world.ts";

const COLUMNS = 120;
const LINE_CHARS = 110;
const HEARD_MS = 50;

/** Comes back when it has ended. */
export async function playPlainly(
  world: World,
  { prompt, flags }: { readonly prompt: string; readonly flags: RunFlags },
  attend: (listeners: Listeners, leave: () => void) => Listeners,
): Promise<void> {
  const lines = new Lines(world.print);
  const own: Listeners = {
    onEvent: (event) => lines.hear(event, ""),
    onNotice: (message) => world.complain(message),
    // The demo answers; without it nobody would.
    askPerson: (question) => {
      // What happened before it is heard a moment later.
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

/** Text is printed when it is interrupted, or ends. */
class Lines {
  readonly #print: (text: string) => void;
  readonly #said = new Map<string, string>();

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  hear(event: AgentEvent, indent: string): void {
    if (event.type === "text")
      return void this.#said.set(indent, (this.#said.get(indent) ?? "") + event.text);
    if (event.type === "call-progress") return this.#progress(event.data, indent);
    const line = lineOf(event);
    if (line === undefined) return;
    this.#flush(indent);
    if (line !== "") this.#print(`${indent}${line}`);
  }

  ask(description: string): void {
    this.#print(`? May it: ${oneLine(description, LINE_CHARS)}`);
  }

  #progress(data: unknown, indent: string): void {
    const { type, event } = (data ?? {}) as { type?: unknown; event?: AgentEvent };
    if (type === "agent" && event !== undefined && indent.length < 8) this.hear(event, `${indent}    `);
  }

  #flush(indent: string): void {
    const text = (this.#said.get(indent) ?? "").trim();
    this.#said.delete(indent);
    if (text !== "") this.#print(`${indent}${text}`);
  }
}

/** Empty where only what was said is to be printed. */
function lineOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "call-arrived":
      return `→ ${event.toolName} ${oneLine(event.description.replace(`${event.toolName} `, ""), LINE_CHARS)}`;
    case "call-settled":
      return `${event.outcome.type === "succeeded" ? "✓" : "✗"} ${event.toolName}`;
    case "turn-ended":
      return "";
    default:
      return undefined;
  }
}
