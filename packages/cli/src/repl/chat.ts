/**
 * The conversation of an interactive program, without its front end: what is typed becomes a prompt, a command or a shell
 * command, and events become entries of the transcript. The screen and the plain lines both use it.
 */

import { type AgentEvent, type Block, type Message, PromptTakenBack } from "@runahead/harness";
import { createTimelineRecorder, summarise } from "@runahead/harness/timeline";
import { compactWish } from "../shared/compact-wish.ts";
import { wordsOf } from "../shared/failure.ts";
import { strip } from "../shared/safe-text.ts";
import type { World } from "../shared/world.ts";
import { Desk, type DeskParts } from "./desk.ts";
import type { CommandEnd } from "./commands/ports.ts";
import { type Begun, Outgoing } from "./input/outgoing.ts";
import { OwnCommands } from "./own-commands.ts";
import type { OwnOutput } from "./own-output.ts";
import { Counts } from "./screen/counts.ts";
import type { Screen } from "./screen/screen.ts";
import { red, yellow } from "./screen/style.ts";
import type { Conversation } from "./transcript/conversation.ts";
import { Hearing } from "./transcript/hearing.ts";
import { exitCard } from "./transcript/summary.ts";
import { Transcript } from "./transcript/transcript.ts";

/** What a front end does for the conversation. */
export interface ChatPorts
  extends Pick<DeskParts, "screen" | "panels" | "typing" | "showAgents" | "leave" | "put"> {
  readonly world: World;
  /** Something changed that is shown. */
  readonly onChange: () => void;
  /** Notes that a prompt or a command is being worked on. */
  readonly onJob: (job: Promise<unknown>) => void;
  /** Gives the terminal to another program. */
  readonly lend: Screen["lend"];
  /** A program that had the terminal has ended. */
  readonly onTerminalBack: () => void;
  /** The pasted images that a text has marks for. */
  readonly imagesIn: (text: string) => readonly Block[];
  /** The prompt was interrupted before it was sent. */
  readonly onReturned: (text: string) => void;
  /** Another conversation was opened. */
  readonly onOpened: (messages: readonly Message[]) => void;
  /** Whether the model answers after a command that was typed with `!`. */
  readonly answersCommands: () => boolean;
}

const SHELL = /^(!!?)\s*([\s\S]+)$/;
const INSTRUCTION = /^#[^#\s]|^#\s*$|^# \S/;
const ANSWER_COMMAND = "I ran a command. Respond to its output.";
const COMMAND = /^\/[\w:.-]*(\s|$)/;

export class Chat {
  readonly #ports: ChatPorts;
  readonly transcript = new Transcript();
  readonly recorder = createTimelineRecorder({ title: "runahead", hasContent: true });
  readonly hearing: Hearing;
  readonly counts: Counts;
  readonly outgoing: Outgoing;
  readonly own: OwnCommands;
  readonly desk: Desk;
  conversation: Conversation | undefined;
  /** What the command that runs does; undefined for a prompt. */
  doing: string | undefined;
  /** Since that command began. */
  #isInterrupted = false;

  constructor(ports: ChatPorts) {
    this.#ports = ports;
    const { world, imagesIn, onReturned, onChange, lend, onTerminalBack } = ports;
    const onNotice = (message: string): void => this.warn(message);
    this.hearing = new Hearing(this.transcript, world.cwd);
    this.counts = new Counts(this.hearing.view);
    this.outgoing = new Outgoing({ world, onNotice, imagesIn, onReturned });
    this.own = new OwnCommands({
      world,
      screen: { requestRender: onChange, lend },
      add: (command) => this.transcript.add(command),
      note: (...lines) => this.note(...lines),
      onEnd: (output) => this.#ranOwn(output),
      onReturned: onTerminalBack,
    });
    const { hearing, counts, recorder } = this;
    this.desk = new Desk({
      ...ports,
      hearing,
      counts,
      recorder,
      onNotice,
      resume: ({ agent }) => ports.onJob(agent.resume()),
    });
  }

  /** Starts to send what was typed so far. `load` is done before the first prompt. */
  begin(conversation: Conversation, load: () => Promise<unknown>): void {
    this.desk.recall(conversation);
    void this.outgoing.do(() => Promise.all([load(), this.desk.readFiles(conversation)]));
    this.outgoing.begin(conversation);
  }

  /** `text` is not empty. */
  submit(text: string): void {
    const [, marks, command = ""] = SHELL.exec(text) ?? [];
    if (marks !== undefined) this.own.run(command, marks === "!!");
    else if (INSTRUCTION.test(text) && !text.includes("\n")) this.run(`/remember ${text.slice(1).trim()}`);
    else if (COMMAND.test(text)) this.run(text);
    else this.send(text);
  }

  /** Sends a prompt, whatever it begins with. */
  send(text: string): void {
    this.#ports.onJob(this.outgoing.send(text));
  }

  /** Queues a message at once, without a snapshot of the files, so that the model reads it with the result of the call. */
  comment(text: string): void {
    const { agent } = this.conversation?.made ?? {};
    if (agent !== undefined) this.#ports.onJob(agent.send(text));
  }

  /** Runs a slash command. */
  run(line: string): void {
    this.#ports.onJob(this.#run(line));
  }

  async #run(line: string): Promise<void> {
    const end = await this.outgoing.do((begun) => this.#runNamed(line, begun));
    if (end.type === "prompt" && end.isOwn === true) this.hearing.fold(end.text);
    if (end.type === "prompt") return this.outgoing.send(end.text, { said: line, file: end.file });
    if (end.lines.length > 0) this.note(...end.lines);
  }

  async #runNamed(line: string, begun: Begun): Promise<CommandEnd> {
    if (compactWish(line) === undefined) return this.desk.run(line, begun);
    this.doing = "Compacting the conversation";
    this.#isInterrupted = false;
    this.#ports.onChange();
    try {
      const end = await this.desk.run(line, begun);
      if (this.#isInterrupted) this.note(yellow("Interrupted. The conversation was not compacted."));
      return end;
    } finally {
      this.doing = undefined;
    }
  }

  /** The model reads the output with the next prompt, or answers at once if the settings say so. */
  #ranOwn(output: OwnOutput): void {
    this.outgoing.attach(output);
    if (this.#ports.answersCommands()) this.send(ANSWER_COMMAND);
  }

  hear(event: AgentEvent): void {
    this.recorder.hear(event);
    this.hearing.hear(event);
    this.#ports.onChange();
  }

  note(...lines: readonly string[]): void {
    this.hearing.note(...lines);
    this.#ports.onChange();
  }

  warn(message: string): void {
    this.note(yellow(strip(message)));
  }

  /** A prompt or a command failed. */
  failed(error: unknown): void {
    if (!(error instanceof PromptTakenBack)) this.note(red(strip(wordsOf(error))));
  }

  /** Stops the prompt, also one that was just sent and has not started yet (I07). */
  interrupt(): void {
    this.#isInterrupted = true;
    this.outgoing.interrupt();
    const agent = this.conversation?.made.agent;
    setImmediate(() => void agent?.interrupt());
  }

  /** Resolves when nothing runs any more. */
  async close(): Promise<void> {
    await Promise.all([this.own.stop(), this.outgoing.close()]);
  }

  /** What to print at the end. */
  card(width: number): string[] {
    const resumeId = this.conversation?.resumeId;
    return exitCard(summarise(this.recorder.timeline()), this.counts, { resumeId, width });
  }
}
