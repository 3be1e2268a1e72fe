/** MessageDisplay: hooks that get the text of a response line by line, and can replace what is shown. */

import { randomUUID } from "node:crypto";
import type { AgentEvent, HookRunner } from "@runahead/agent";
import { stringOf } from "@runahead/base";

interface Ports {
  readonly hooks: Pick<HookRunner, "has" | "happen">;
  /** Whether the text is shown only after the hooks ran, which can replace it. */
  readonly isReplaced: boolean;
  readonly pass: (event: AgentEvent) => void;
}

/** Passes all events on, in their order. */
export class MessageDisplay {
  readonly #ports: Ports;
  readonly #waiting: AgentEvent[] = [];
  #isRunning = false;
  #turnId = randomUUID();
  #message: { readonly id: string; index: number; text: string } | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  hear(event: AgentEvent): void {
    const { hooks, isReplaced, pass } = this.#ports;
    if (!hooks.has("MessageDisplay") && !this.#isRunning) return pass(event);
    if (!isReplaced) pass(event);
    this.#waiting.push(event);
    if (!this.#isRunning) void this.#run();
  }

  /** While a hook runs, lines collect, so that a fast response does not start a hook for each of them. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      if (event.type === "text") {
        this.#take(event.text);
        if (this.#waiting[0]?.type !== "text") await this.#flush(false);
        continue;
      }
      if (endsText(event)) await this.#flush(true);
      if (event.type === "ended") this.#turnId = randomUUID();
      if (this.#ports.isReplaced) this.#ports.pass(event);
    }
    this.#isRunning = false;
  }

  #take(text: string): void {
    this.#message ??= { id: randomUUID(), index: 0, text: "" };
    this.#message.text += text;
  }

  /** Whole lines, and at the end of the message the rest. */
  async #flush(final: boolean): Promise<void> {
    const message = this.#message;
    if (message === undefined) return;
    const end = final ? message.text.length : message.text.lastIndexOf("\n") + 1;
    if (end === 0 && !final) return;
    const delta = message.text.slice(0, end);
    message.text = message.text.slice(end);
    if (final) this.#message = undefined;
    const facts = { turn_id: this.#turnId, message_id: message.id, index: message.index++, final, delta };
    const shown = await this.#shown(facts);
    if (this.#ports.isReplaced && shown !== "") this.#ports.pass({ type: "text", text: shown });
  }

  /** A hook that fails changes nothing. */
  async #shown(facts: { readonly delta: string }): Promise<string> {
    try {
      const { specific = [] } = await this.#ports.hooks.happen("MessageDisplay", { ...facts });
      const last = specific.findLast(({ displayContent }) => typeof displayContent === "string");
      return stringOf(last?.["displayContent"], facts.delta);
    } catch {
      return facts.delta;
    }
  }
}

/** Calls come after the text of a response. */
function endsText({ type }: AgentEvent): boolean {
  return type.startsWith("call-") || ["message-started", "turn-ended", "retry", "ended"].includes(type);
}
