/** Sends prompts to the agent and runs commands, one after the other, in the order they were typed. */

import { setTimeout as pause } from "node:timers/promises";
import type { Block, Prompt, PromptFile } from "@runahead/harness";
import type { World } from "../../shared/world.ts";
import { Checkpoints, hasNoCheckpoints } from "../../shared/checkpoints.ts";
import type { Conversation } from "../transcript/conversation.ts";
import { deferred } from "../../shared/deferred.ts";
import { type OwnOutput, withOwnOutputs } from "../own-output.ts";
import { InTurn } from "./in-turn.ts";
import { filledPrompt, withResources } from "../../shared/mcp-text.ts";
import { hasMentions, withMentions } from "../../shared/mentions.ts";

interface Ports {
  readonly world: World;
  readonly onNotice: (message: string) => void;
  /** The pasted images that a text has marks for. */
  readonly imagesIn: (text: string) => readonly Block[];
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
  /** What the user ran since the last prompt. */
  #outputs: OwnOutput[] = [];

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Starts sending what was typed so far. */
  begin(conversation: Conversation): void {
    const { world, onNotice } = this.#ports;
    const { settings } = conversation.made;
    const checkpoints = new Checkpoints(world, settings.root, onNotice);
    checkpoints.isOff = hasNoCheckpoints(settings);
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

  /** Resolves when the prompt is answered or returned (I07). `typed` says what was typed, if the prompt is of a file. */
  async send(
    text: string,
    typed?: { readonly said: string; readonly file: PromptFile | undefined },
  ): Promise<void> {
    const { signal } = this.#preparing;
    const { prompt, snapshot } = await this.do((begun) => this.#prepare(text, begun, signal));
    if (signal.aborted) return this.#ports.onReturned(text);
    const { conversation } = await this.#begun.promise;
    if (typed?.file !== undefined) await beginFile(conversation, typed.file, signal);
    if (signal.aborted) return this.#ports.onReturned(text);
    await conversation.made.agent.send(withOwnOutputs(prompt, this.#outputs.splice(0)), {
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(typed === undefined ? {} : { said: typed.said }),
    });
  }

  /** The output of a command of the user goes out with the next prompt. */
  attach(output: OwnOutput): void {
    this.#outputs.push(output);
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
    const prompt = withBlocks(await withResources(withFiles, asking), this.#ports.imagesIn(text));
    return { prompt, snapshot: signal.aborted ? undefined : await checkpoints.take(signal) };
  }
}

function withBlocks(prompt: Prompt, blocks: readonly Block[]): Prompt {
  if (blocks.length === 0) return prompt;
  return [...(typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt), ...blocks];
}

const IDLE_MS = 50;

/** The rules and the model of a file are for its own prompt only, so an earlier prompt ends first. */
async function beginFile({ made }: Conversation, file: PromptFile, signal: AbortSignal): Promise<void> {
  const needsOwnRun =
    file.allowedTools.length > 0 || file.disallowedTools.length > 0 || file.model !== undefined;
  if (!needsOwnRun || file.isForked) return;
  while (made.agent.isBusy && !signal.aborted) await pause(IDLE_MS);
  if (!signal.aborted) await made.prompts.begin(file);
}
