/**
 * The interactive program for a terminal that cannot move its cursor (`TERM=dumb`): it prints the same transcript as
 * plain lines, and the user answers questions with a typed line.
 */

import type { AskUser, CodingAgent, Listeners, PersonAnswer, PersonQuestion } from "@runahead/harness";
import { elicitBy } from "../../shared/elicit.ts";
import { pagesOf } from "../../shared/open-page.ts";
import { EXIT } from "../../shared/exit.ts";
import { strip } from "../../shared/safe-text.ts";
import { outputColumns } from "../../shared/terminal-output.ts";
import { callWords, homePath, oneLine } from "../../shared/words.ts";
import type { World } from "../../shared/world.ts";
import { Chat } from "../chat.ts";
import type { Front } from "../front.ts";
import { Leaving } from "../leaving.ts";
import type { Choosing } from "../panels/chooser.ts";
import type { Asking } from "../panels/text-field.ts";
import type { Conversation } from "../transcript/conversation.ts";
import { usedWords } from "../transcript/summary.ts";
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

function backgroundWords(tasks: CodingAgent["agent"]["background"]): string[] {
  if (tasks.length === 0) return ["Nothing is running in the background."];
  return tasks.map(({ id, kind, description }) => oneLine(`${id} · ${kind}: ${description}`));
}

export class PlainApp implements Front {
  readonly #world: World;
  readonly #chat: Chat;
  readonly #typed: TypedLines;
  readonly #leaving = new Leaving();
  #jobs = 0;
  /** The next Ctrl+C exits, unless something is typed before. */
  #isWarned = false;
  #isEnded = false;

  constructor(world: World, input: NodeJS.ReadableStream = process.stdin) {
    this.#world = world;
    this.#chat = new Chat({
      world,
      screen: { terminal: { columns: this.#width, rows: 24, kittyProtocolActive: false, write: () => {} } },
      panels: {
        choose: (choosing) => this.choose(choosing),
        askText: (asking) => this.#askText(asking),
        show: async ({ title, lines }) => this.#print([title, ...lines]),
      },
      typing: { openFile: async () => NO_EDITOR, setVim: () => {} },
      onChange: () => this.#flush(),
      onJob: (job) => this.#add(job),
      lend: (job) => job(),
      onTerminalBack: () => {},
      imagesIn: () => [],
      onReturned: () => this.#chat.note("Interrupted."),
      onOpened: () => {},
      put: (text) => this.#chat.note("The prompt was:", text),
      showAgents: ({ agent }) => this.#chat.note(...backgroundWords(agent.background)),
      leave: (code) => this.leave(code),
      answersCommands: () => false,
    });
    // A command can run for a long time before its result is printed.
    this.#chat.hearing.onStarted = (call) => {
      if (call.toolName === "Bash") this.#print([`· ${callWords(call.description, call.input)} · running`]);
    };
    this.#typed = new TypedLines({
      input,
      onLine: (line) => this.submit(line),
      onEnd: () => this.leave(EXIT.done),
    });
  }

  readonly listeners: Listeners = {
    showsReplacedText: true,
    asksDeferred: true,
    onEvent: (event) => this.#chat.hear(event),
    onNotice: (message) => this.#chat.warn(message),
    askPerson: (question) => this.#askPerson(question),
    askUser: (questions, signal) => this.#askUser(questions, signal),
    elicit: elicitBy(
      (questions, signal) => this.#askUser(questions, signal),
      () => pagesOf(this.#world.env),
    ),
  };

  get left(): Promise<number> {
    return this.#leaving.left;
  }

  get pressed(): Promise<void> {
    return this.#leaving.pressed;
  }

  get isLeaving(): boolean {
    return this.#leaving.hasBegun;
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
    this.#chat.conversation = conversation;
    const { model, settings } = conversation.made;
    this.#chat.note(
      `runahead · ${oneLine(model.name)} · ${oneLine(homePath(settings.cwd, this.#world.home))}`,
      "Type a prompt and press Enter, or /help for commands. Ctrl+C interrupts, Ctrl+D exits.",
    );
    this.#chat.begin(conversation, () => Promise.resolve());
    this.#flush();
  }

  submit(typed: string): void {
    this.#isWarned = false;
    const text = typed.trim();
    if (text !== "" && !this.isLeaving) this.#chat.submit(text);
  }

  leave(code: number): void {
    this.#leaving.begin(code);
  }

  /** The first Ctrl+C interrupts what runs. If nothing runs, the second one exits. */
  press(code: number): void {
    if (this.isLeaving) return this.#leaving.hurry();
    if (code !== EXIT.interrupted || this.#isWarned) return this.leave(code);
    this.#isWarned = this.#jobs === 0;
    if (this.#isWarned) return this.#print(["Press Ctrl+C again to exit."]);
    this.#chat.interrupt();
    void this.#chat.own.stop();
  }

  async close(): Promise<void> {
    this.#typed.close();
    await this.#chat.close();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#flush();
    this.#print(this.#chat.card(this.#width));
    this.#typed.close();
  }

  restore(): void {}

  #add(job: Promise<unknown>): void {
    this.#jobs++;
    void job
      .catch((error: unknown) => this.#chat.failed(error))
      .finally(() => {
        this.#jobs--;
        if (this.#jobs === 0) this.#ready();
      });
  }

  /** Says that the next prompt can be typed, with what was used so far. */
  #ready(): void {
    this.#flush();
    const { conversation, counts } = this.#chat;
    if (this.isLeaving || conversation === undefined) return;
    const { gate, contextTokens } = conversation.made;
    counts.windowTokens = contextTokens;
    this.#print([`[${[gate.mode, ...usedWords(counts)].join(" · ")}]`]);
  }

  /** Prints what is finished and not printed yet. */
  #flush(): void {
    this.#print(this.#chat.transcript.frame(this.#width, Number.POSITIVE_INFINITY).above);
  }

  #print(lines: readonly string[]): void {
    for (const line of lines) this.#world.print(strip(line).trimEnd());
  }

  get #width(): number {
    return outputColumns() ?? COLUMNS;
  }

  async #askPerson(question: PersonQuestion): Promise<PersonAnswer> {
    if (this.isLeaving) return { type: "no" };
    const print = (): void => this.#print(["", ...permissionLines(question, this.#world.cwd, this.#width)]);
    const leaving = new AbortController();
    void this.left.then(() => leaving.abort());
    const signal = AbortSignal.any([question.signal, leaving.signal]);
    const answer = await this.#typed.ask(print, (line) => permissionAnswer(line, question), signal);
    return answer ?? (question.signal.aborted ? { type: "withdrawn" } : { type: "no" });
  }

  async #askUser(...[questions, signal]: Parameters<AskUser>): Promise<Awaited<ReturnType<AskUser>>> {
    const answers: UserAnswer[] = [];
    for (const question of questions) {
      const print = (): void => this.#print(["", ...userLines(question)]);
      const answer = await this.#typed.ask(print, (line) => userAnswer(line, question), signal);
      const isMissing = answer?.type === "skipped" && question.isRequired === true;
      if (answer === undefined || isMissing) return { type: "declined", words: "" };
      answers.push(answer);
    }
    return { type: "answered", answers };
  }
}
