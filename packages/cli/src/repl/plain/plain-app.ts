/**
 * The interactive program for a terminal that cannot move its cursor (`TERM=dumb`): it prints the same transcript as
 * plain lines, and the user answers questions with a typed line.
 */

import {
  type AgentEvent,
  type AskUser,
  type CodingAgent,
  type Listeners,
  type PersonAnswer,
  type PersonQuestion,
  PromptTakenBack,
} from "@runahead/harness";
import { createTimelineRecorder, summarise } from "@runahead/harness/timeline";
import { deferred } from "../../shared/deferred.ts";
import { elicitBy } from "../../shared/elicit.ts";
import { EXIT } from "../../shared/exit.ts";
import { wordsOf } from "../../shared/failure.ts";
import { strip } from "../../shared/safe-text.ts";
import { outputColumns } from "../../shared/terminal-output.ts";
import { callWords, homePath, oneLine } from "../../shared/words.ts";
import type { World } from "../../shared/world.ts";
import { Desk } from "../desk.ts";
import type { Front } from "../front.ts";
import { Outgoing } from "../input/outgoing.ts";
import { OwnCommands } from "../own-commands.ts";
import type { Choosing } from "../panels/chooser.ts";
import type { Asking } from "../panels/text-field.ts";
import { Counts } from "../screen/counts.ts";
import type { Conversation } from "../transcript/conversation.ts";
import { Hearing } from "../transcript/hearing.ts";
import { exitCard, usedWords } from "../transcript/summary.ts";
import { Transcript } from "../transcript/transcript.ts";
import {
  type UserAnswer,
  choiceAnswer,
  choiceLines,
  permissionAnswer,
  permissionLines,
  userAnswer,
  userLines,
} from "./questions.ts";
import { TypedLines } from "./typed-lines.ts";

const COLUMNS = 80;
const NO_EDITOR = "An editor needs a terminal that can move the cursor. Open the file in another window.";
const COMMAND = /^\/[\w:.-]*(\s|$)/;

function backgroundWords(tasks: CodingAgent["agent"]["background"]): string[] {
  if (tasks.length === 0) return ["Nothing is running in the background."];
  return tasks.map(({ id, kind, description }) => oneLine(`${id} · ${kind}: ${description}`));
}

export class PlainApp implements Front {
  readonly #world: World;
  readonly #transcript = new Transcript();
  readonly #hearing: Hearing;
  readonly #counts: Counts;
  readonly #recorder = createTimelineRecorder({ title: "runahead", hasContent: true });
  readonly #left = deferred<number>();
  readonly #pressed = deferred<void>();
  readonly #outgoing: Outgoing;
  readonly #own: OwnCommands;
  readonly #desk: Desk;
  readonly #typed: TypedLines;
  #conversation: Conversation | undefined;
  #jobs = 0;
  #isLeaving = false;
  #isEnded = false;

  constructor(world: World, input: NodeJS.ReadableStream = process.stdin) {
    this.#world = world;
    this.#hearing = new Hearing(this.#transcript, world.cwd);
    // A command can run for a long time before its result is printed.
    this.#hearing.onStarted = (call) => {
      if (call.toolName === "Bash") this.#print([`· ${callWords(call.description, call.input)} · running`]);
    };
    this.#counts = new Counts(this.#hearing.view);
    const onNotice = (message: string): void => this.#note(strip(message));
    this.#outgoing = new Outgoing({
      world,
      onNotice,
      imagesIn: () => [],
      onReturned: () => this.#note("Interrupted."),
    });
    this.#own = new OwnCommands({
      world,
      screen: { requestRender: () => this.#flush(), lend: (job) => job() },
      add: (command) => this.#transcript.add(command),
      note: (...lines) => this.#note(...lines),
      onEnd: (output) => this.#outgoing.attach(output),
      onReturned: () => {},
    });
    this.#desk = new Desk({
      world,
      screen: { terminal: { columns: this.#width, rows: 24, kittyProtocolActive: false, write: () => {} } },
      panels: {
        choose: (choosing) => this.choose(choosing),
        askText: (asking) => this.#askText(asking),
        show: async ({ title, lines }) => this.#print([title, ...lines]),
      },
      typing: {
        openFile: async () => NO_EDITOR,
        setVim: () => {},
      },
      hearing: this.#hearing,
      counts: this.#counts,
      recorder: this.#recorder,
      onNotice,
      put: (text) => this.#note("The prompt was:", text),
      resume: ({ agent }) => void agent.resume().catch((error: unknown) => this.#note(strip(wordsOf(error)))),
      onOpened: () => {},
      showAgents: ({ agent }) => this.#note(...backgroundWords(agent.background)),
      leave: (code) => this.leave(code),
    });
    this.#typed = new TypedLines({
      input,
      onLine: (line) => this.submit(line),
      onEnd: () => this.leave(EXIT.done),
    });
  }

  readonly listeners: Listeners = {
    showsReplacedText: true,
    asksDeferred: true,
    onEvent: (event) => this.#hear(event),
    onNotice: (message) => this.#note(strip(message)),
    askPerson: (question) => this.#askPerson(question),
    askUser: (questions, signal) => this.#askUser(questions, signal),
    elicit: elicitBy((questions, signal) => this.#askUser(questions, signal)),
  };

  get left(): Promise<number> {
    return this.#left.promise;
  }

  get pressed(): Promise<void> {
    return this.#pressed.promise;
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  async choose(choosing: Choosing): Promise<string | undefined> {
    const print = (): void => this.#print(choiceLines(choosing));
    const answer = await this.#typed.ask(print, (line) => {
      const value = choiceAnswer(line, choosing);
      return value === undefined ? undefined : { value };
    });
    return answer?.value ?? undefined;
  }

  async #askText({ title, lines = [], value }: Asking): Promise<string | undefined> {
    const hint = value === undefined ? "" : ` Now: ${value}`;
    const print = (): void => this.#print(["", title, ...lines, `Type it and press Enter.${hint}`]);
    return this.#typed.ask(print, (line) => (line.trim() === "" ? undefined : line.trim()));
  }

  begin(conversation: Conversation): void {
    this.#conversation = conversation;
    const { model, settings } = conversation.made;
    this.#note(
      `runahead · ${oneLine(model.name)} · ${oneLine(homePath(settings.cwd, this.#world.home))}`,
      "Type a prompt and press Enter, or /help for commands. Ctrl+C interrupts, Ctrl+D exits.",
    );
    this.#desk.recall(conversation);
    void this.#outgoing.do(() => this.#desk.readFiles(conversation));
    this.#outgoing.begin(conversation);
    this.#flush();
  }

  submit(typed: string): void {
    const text = typed.trim();
    if (text === "" || this.#isLeaving) return;
    const [, marks, command = ""] = /^(!!?)\s*([\s\S]+)$/.exec(text) ?? [];
    if (marks !== undefined) this.#own.run(command, marks === "!!");
    else this.#add(COMMAND.test(text) ? this.#command(text) : this.#outgoing.send(text));
  }

  leave(code: number): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#left.resolve(code);
  }

  /** The first Ctrl+C interrupts what runs. */
  press(code: number): void {
    if (this.#isLeaving) return this.#pressed.resolve();
    if (code !== EXIT.interrupted || this.#jobs === 0) return this.leave(code);
    this.#outgoing.interrupt();
    const agent = this.#conversation?.made.agent;
    setImmediate(() => void agent?.interrupt());
    void this.#own.stop();
  }

  async close(): Promise<void> {
    this.#typed.close();
    await Promise.all([this.#own.stop(), this.#outgoing.close()]);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#flush();
    const { resumeId } = this.#conversation ?? {};
    this.#print(exitCard(summarise(this.#recorder.timeline()), this.#counts, resumeId));
    this.#typed.close();
  }

  restore(): void {}

  async #command(text: string): Promise<void> {
    const end = await this.#outgoing.do((begun) => this.#desk.run(text, begun));
    if (end.type === "prompt") return this.#outgoing.send(end.text, { said: text, file: end.file });
    if (end.lines.length > 0) this.#note(...end.lines);
  }

  #add(job: Promise<unknown>): void {
    this.#jobs++;
    void job
      .catch((error: unknown) => {
        if (!(error instanceof PromptTakenBack)) this.#note(strip(wordsOf(error)));
      })
      .finally(() => {
        this.#jobs--;
        if (this.#jobs === 0) this.#ready();
      });
  }

  /** Says that the next prompt can be typed, with what was used so far. */
  #ready(): void {
    this.#flush();
    if (this.#isLeaving || this.#conversation === undefined) return;
    const { gate, contextTokens } = this.#conversation.made;
    this.#counts.windowTokens = contextTokens;
    this.#print([`[${[gate.mode, ...usedWords(this.#counts)].join(" · ")}]`]);
  }

  #hear(event: AgentEvent): void {
    this.#recorder.hear(event);
    this.#hearing.hear(event);
    this.#flush();
  }

  #note(...lines: readonly string[]): void {
    this.#hearing.note(...lines);
    this.#flush();
  }

  /** Prints what is finished and not printed yet. */
  #flush(): void {
    this.#print(this.#transcript.frame(this.#width, Number.POSITIVE_INFINITY).above);
  }

  #print(lines: readonly string[]): void {
    for (const line of lines) this.#world.print(strip(line).trimEnd());
  }

  get #width(): number {
    return outputColumns() ?? COLUMNS;
  }

  async #askPerson(question: PersonQuestion): Promise<PersonAnswer> {
    if (this.#isLeaving) return { type: "no" };
    const print = (): void => this.#print(["", ...permissionLines(question, this.#world.cwd, this.#width)]);
    const leaving = new AbortController();
    void this.#left.promise.then(() => leaving.abort());
    const signal = AbortSignal.any([question.signal, leaving.signal]);
    const answer = await this.#typed.ask(print, (line) => permissionAnswer(line, question), signal);
    return answer ?? (question.signal.aborted ? { type: "withdrawn" } : { type: "no" });
  }

  async #askUser(...[questions, signal]: Parameters<AskUser>): Promise<Awaited<ReturnType<AskUser>>> {
    const answers: UserAnswer[] = [];
    for (const question of questions) {
      const print = (): void => this.#print(["", ...userLines(question)]);
      const answer = await this.#typed.ask(print, (line) => userAnswer(line, question), signal);
      if (answer === undefined) return { type: "declined", words: "" };
      answers.push(answer);
    }
    const isSkipped = answers.every(({ type }) => type === "skipped");
    return isSkipped ? { type: "declined", words: "" } : { type: "answered", answers };
  }
}
