/** Sends prompts to the agent and runs commands, one after the other, in the order they were typed. */

import type { Prompt } from "@runahead/harness";
import type { World } from "../../shared/world.ts";
import { Checkpoints } from "../../shared/checkpoints.ts";
import type { Conversation } from "../transcript/conversation.ts";
import { deferred } from "../../shared/deferred.ts";
import { InTurn } from "./in-turn.ts";
import { filledPrompt, withResources } from "../../shared/mcp-text.ts";
import { hasMentions, withMentions } from "./mentions.ts";

interface Ports {
  readonly world: World;
  readonly onNotice: (message: string) => void;
  /** The prompt was interrupted before it was sent. */
  readonly onReturned: (text: string) => void;
}

export interface Begun {
  readonly conversation: Conversation;
  readonly checkpoints: Checkpoints;
}

interface Ready {
  readonly prompt: Prompt;
  readonly snapshot: string | undefined;
}

export class Outgoing {
  readonly #ports: Ports;
  readonly #begun = deferred<Begun>();
  readonly #line = new InTurn(this.#begun.promise);
  /** Aborts prompts that are being prepared and not yet sent. */
  #preparing = new AbortController();
  readonly #leaving = new AbortController();
  #warmed: Promise<void> = Promise.resolve();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Starts sending what was typed so far. */
  begin(conversation: Conversation): void {
    const { world, onNotice } = this.#ports;
    const checkpoints = new Checkpoints(world, conversation.made.settings.root, onNotice);
    this.#begun.resolve({ conversation, checkpoints });
    this.#warmed = checkpoints.warmUp(this.#leaving.signal);
  }

  /** Resolves when nothing is running any more. */
  async close(): Promise<void> {
    this.interrupt();
    this.#leaving.abort();
    await this.#warmed;
  }

  /** Runs a command, which can replace the agent. */
  do<Value>(job: (begun: Begun) => Value | Promise<Value>): Promise<Value> {
    return this.#line.do(async () => job(await this.#begun.promise));
  }

  /** Resolves when the prompt is answered or returned (I07). `said` is the typed text, if the prompt comes from a file. */
  async send(text: string, said?: string): Promise<void> {
    const { signal } = this.#preparing;
    const { prompt, snapshot } = await this.do((begun) => this.#prepare(text, begun, signal));
    if (signal.aborted) return this.#ports.onReturned(text);
    const { conversation } = await this.#begun.promise;
    await conversation.made.agent.send(prompt, {
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(said === undefined ? {} : { said }),
    });
  }

  /** Prevents prompts that are not sent yet from being sent. */
  interrupt(): void {
    this.#preparing.abort();
    this.#preparing = new AbortController();
  }

  /** Attaches the named files and takes a snapshot of the workspace. */
  async #prepare(text: string, { conversation, checkpoints }: Begun, signal: AbortSignal): Promise<Ready> {
    const { world, onNotice } = this.#ports;
    const { cwd } = world;
    const { permissions } = conversation.made.gate;
    const decide = (path: string) => permissions.decide("Read", { file_path: path }, cwd);
    const asking = { made: conversation.made, signal, onNotice };
    const typed = await filledPrompt(text, asking);
    const withFiles = hasMentions(typed) ? await withMentions(typed, { cwd, decide, onNotice }) : typed;
    const prompt = await withResources(withFiles, asking);
    return { prompt, snapshot: signal.aborted ? undefined : await checkpoints.take(signal) };
  }
}
