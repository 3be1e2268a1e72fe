/** One session of a client: an agent, its prompts, and the updates about them. */

import { randomUUID } from "node:crypto";
import type {
  ContentBlock,
  CreateElicitationRequest,
  CreateElicitationResponse,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import {
  type CodingAgent,
  type Listeners,
  type Mode,
  type PersonAnswer,
  type PersonQuestion,
  codingAgent,
} from "@runahead/harness";
import { agentOptions } from "../shared/agent-options.ts";
import type { RunFlags } from "../shared/flags.ts";
import { serversStarted } from "../shared/servers-started.ts";
import { unless } from "../shared/unless.ts";
import { allowedMode } from "../shared/offered-modes.ts";
import { plural } from "../shared/words.ts";
import type { World } from "../shared/world.ts";
import { askUserByPermission } from "./ask-by-permission.ts";
import { askUserBy } from "./ask-user.ts";
import { compactWish, compacted } from "../shared/compact-wish.ts";
import { availableCommands } from "./commands.ts";
import { elicited } from "./elicit.ts";
import { Hearing } from "./hearing.ts";
import { historyUpdates } from "./history.ts";
import { Models } from "./models.ts";
import { Modes } from "./modes.ts";
import { Outbox } from "./outbox.ts";
import { askClient } from "./permission.ts";
import { checkPrompt, preparedBlocks, textOf } from "./prompt.ts";
import { stopReasonOf } from "./stop-reason.ts";
import type { TerminalSession } from "./terminals.ts";

/** The part of the editor that a session uses. */
export interface Client {
  readonly hasNotices: boolean;
  update(sessionId: string, update: SessionUpdate): Promise<void>;
  /** Rejects when the signal is aborted. */
  ask(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
  /** The files of the editor, as far as it offers them. */
  files(sessionId: () => string): NonNullable<Listeners["editorFiles"]>;
  /** The terminals of the editor; undefined if it offers none. */
  terminals(session: TerminalSession): Listeners["terminals"];
  /** Whether the client shows forms, and whether it opens pages. */
  readonly showsForms: boolean;
  readonly opensPages: boolean;
  /** Shows a form or a page. Rejects when the signal is aborted. */
  elicit(request: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse>;
}

export class AcpSession {
  readonly cwd: string;
  readonly #client: Client;
  readonly #outbox: Outbox;
  readonly #hearing: Hearing;
  readonly #made: Promise<CodingAgent>;
  /** Notices from before the client knew the session. */
  readonly #early: string[] = [];
  /** One for each unanswered prompt. */
  readonly #prompts = new Set<AbortController>();
  #id = "";
  #modes: Modes | undefined;
  #models: Models | undefined;
  #unlisten: () => void = () => {};
  /** The commands that the client knows, as JSON. */
  #commands = "";
  #hasPrompted = false;
  /** Closes the open forms when the prompt is cancelled. A server asks without knowing for which call. */
  #forms = new AbortController();

  /** Opens a session. Throws if it cannot be created, and then leaves nothing running. */
  static async open(world: World, flags: RunFlags, client: Client): Promise<AcpSession> {
    const session = new AcpSession(world, flags, client);
    const made = await session.#made;
    session.#id = made.session?.id ?? randomUUID();
    session.#modes = new Modes(made);
    session.#models = new Models(made);
    session.#unlisten = made.mcp.onChange(() => {
      if (session.#commands !== "") void session.announce();
    });
    if (isHeldBack(made)) session.#early.push(UNTRUSTED);
    return session;
  }

  private constructor(world: World, flags: RunFlags, client: Client) {
    this.cwd = world.cwd;
    this.#client = client;
    this.#outbox = new Outbox((update) => client.update(this.#id, update));
    const { hasNotices } = client;
    this.#hearing = new Hearing({ cwd: world.cwd, hasNotices, send: (update) => this.#outbox.add(update) });
    const terminals = client.terminals({
      id: () => this.#id,
      onTerminal: (callId, terminalId) => this.#hearing.calls.showTerminal(callId, terminalId),
    });
    const listeners: Listeners = {
      ...(terminals === undefined ? {} : { terminals }),
      onEvent: (event) => {
        this.#sendMode();
        this.#hearing.hear(event);
      },
      onNotice: (message) => {
        world.complain(message);
        if (this.#hasPrompted) this.#hearing.notice(message);
        else this.#early.push(message);
      },
      asksDeferred: true,
      askPerson: (question) => this.#ask(question),
      editorFiles: client.files(() => this.#id),
      ...(client.showsForms || client.opensPages
        ? {
            elicit: (params, signal, server) =>
              elicited({ params, server, sessionId: this.#id }, client, this.#until(signal)),
          }
        : {}),
      askUser: client.showsForms
        ? askUserBy(
            (request, signal) => client.elicit(request, this.#until(signal)),
            () => this.#id,
          )
        : askUserByPermission((request, signal) =>
            this.#client.ask({ sessionId: this.#id, ...request }, this.#until(signal)),
          ),
    };
    this.#made = codingAgent(agentOptions(world, flags, listeners));
  }

  get id(): string {
    return this.#id;
  }

  get isBusy(): boolean {
    return this.#prompts.size > 0;
  }

  get modes(): SessionModeState {
    return this.#known.state;
  }

  /** Resolves when the whole history has been sent. */
  async sendHistory(): Promise<void> {
    const { agent } = await this.#made;
    for (const update of historyUpdates(agent.messages, this.cwd)) {
      this.#outbox.add(update);
      await this.#outbox.drained();
    }
    await this.#sendPlan();
    const count = openQuestions(await this.#made);
    if (count === 0) return;
    this.#hearing.notice(
      `${plural(count, "call")} ${count === 1 ? "waits" : "wait"} for an answer. Send an empty message to be asked again.`,
      "info",
    );
    await this.#outbox.drained();
  }

  /** The history has the calls that changed the task list, but not the list. */
  async #sendPlan(): Promise<void> {
    const tasks = await (await this.#made).tasks();
    if (tasks.length > 0) this.#hearing.plan(tasks);
    await this.#outbox.drained();
  }

  /** Resolves after all updates have been sent. A prompt that arrives while another runs is added to its next request. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const isEmpty = blocks.every((block) => block.type === "text" && block.text.trim() === "");
    if (!isEmpty) checkPrompt(blocks);
    const mine = new AbortController();
    const cancel = (): void => void this.cancel();
    signal.addEventListener("abort", cancel);
    this.#prompts.add(mine);
    try {
      const made = await this.#made;
      this.#begin();
      await serversStarted(made.mcp, mine.signal);
      if (mine.signal.aborted) return { stopReason: "cancelled" };
      void this.announce();
      if (isEmpty && openQuestions(made) === 0) checkPrompt(blocks);
      // An empty prompt continues a turn that waits for an answer.
      if (isEmpty) {
        const continued = await made.agent.resume();
        return { stopReason: mine.signal.aborted ? "cancelled" : stopReasonOf(continued) };
      }
      const wish = compactWish(textOf(blocks));
      if (wish !== undefined) return await this.#compact(made, wish, mine.signal);
      const { prompt, ...options } = await preparedBlocks(made, blocks, {
        signal: mine.signal,
        onNotice: (message) => this.#hearing.notice(message),
      });
      if (mine.signal.aborted) return { stopReason: "cancelled" };
      const result = await made.agent.send(prompt, options);
      return { stopReason: mine.signal.aborted ? "cancelled" : stopReasonOf(result) };
    } catch (error) {
      if (mine.signal.aborted) return { stopReason: "cancelled" };
      throw error;
    } finally {
      this.#prompts.delete(mine);
      signal.removeEventListener("abort", cancel);
      await this.#outbox.drained();
    }
  }

  /** Sends the slash commands if they changed. The client knows the session only after its request was answered. */
  async announce(): Promise<void> {
    const commands = await this.#made.then(availableCommands).catch(() => []);
    const text = JSON.stringify(commands);
    if (text === this.#commands || commands.length === 0) return;
    this.#commands = text;
    this.#outbox.add({ sessionUpdate: "available_commands_update", availableCommands: commands });
  }

  /** Cancels every prompt received so far. Later prompts are not affected. */
  async cancel(): Promise<void> {
    for (const prompt of this.#prompts) prompt.abort();
    this.#closeForms();
    const { agent } = await this.#made;
    agent.takeBack();
    await agent.interrupt();
  }

  get configOptions(): SessionConfigOption[] {
    return this.#models?.options ?? [];
  }

  /** Throws a `RequestError` if the option or its value is not known. */
  async setOption(configId: string, value: unknown): Promise<SessionConfigOption[]> {
    return (await this.#models?.choose(configId, value)) ?? [];
  }

  setMode(mode: string): void {
    this.#known.choose(mode);
    this.#sendMode();
  }

  async close(): Promise<void> {
    for (const prompt of this.#prompts) prompt.abort();
    this.#closeForms();
    this.#unlisten();
    await (await this.#made).close();
    this.#hearing.calls.close();
  }

  async #compact(made: CodingAgent, wish: string, signal: AbortSignal): Promise<PromptResponse> {
    const words = await compacted(made, wish);
    if (words !== "") this.#hearing.notice(words, "info");
    return { stopReason: signal.aborted ? "cancelled" : "end_turn" };
  }

  get #known(): Modes {
    if (this.#modes === undefined) throw new Error("The session is not open yet.");
    return this.#modes;
  }

  /** Sends the early notices. The client knows the session only after its request was answered. */
  #begin(): void {
    this.#hasPrompted = true;
    for (const message of this.#early.splice(0)) this.#hearing.notice(message);
    this.#sendMode();
  }

  #sendMode(): void {
    const mode = this.#modes?.news();
    if (mode !== undefined) this.#outbox.add({ sessionUpdate: "current_mode_update", currentModeId: mode });
  }

  #until(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#forms.signal]);
  }

  #closeForms(): void {
    this.#forms.abort();
    this.#forms = new AbortController();
  }

  async #ask(question: PersonQuestion): Promise<PersonAnswer> {
    // The client must know a call before it is asked about it, and events arrive a moment after the question.
    await new Promise((resolve) => setImmediate(resolve));
    await unless(question.signal, this.#outbox.drained());
    const { gate } = await this.#made;
    const setMode = (mode: Mode): void => gate.setMode(allowedMode(gate, mode));
    const onFailure = (why: string): void =>
      this.#hearing.notice(`The editor could not ask about a call, so the call was not run: ${why}`);
    const place = { cwd: this.#hearing.calls.cwd, setMode, onFailure };
    return askClient(question, place, (request, signal) =>
      this.#client.ask({ sessionId: this.#id, ...request }, signal),
    );
  }
}

function openQuestions({ session }: CodingAgent): number {
  return session?.questions.length ?? 0;
}

const UNTRUSTED =
  "This folder is not trusted: its allow rules, hooks and MCP servers are ignored. " +
  "To enable them, run `runahead trust` in this folder.";

/** Whether the folder contains something that is ignored because it is not trusted. */
function isHeldBack({ settings, mcp }: CodingAgent): boolean {
  if (settings.isTrusted) return false;
  const isUntrusted = ({ trusted }: { readonly trusted: boolean }): boolean => !trusted;
  return (
    settings.sources.some(isUntrusted) ||
    settings.hooks.some(isUntrusted) ||
    mcp.servers().some(({ state }) => state.type === "untrusted")
  );
}
