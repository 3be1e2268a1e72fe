/** The program on the screen: what was said and done above, below it what one types, or what one is asked. */

import { Editor, type Terminal, isKeyRelease, matchesKey } from "@earendil-works/pi-tui";
import type { AgentEvent, PersonAnswer, PersonQuestion, Prompt } from "@runahead/agent";
import { EXIT } from "../exit.ts";
import type { Listeners } from "../run/assemble.ts";
import type { World } from "../world.ts";
import { type CommandPorts, runCommand } from "./commands.ts";
import type { Conversation } from "./conversation.ts";
import { Counts } from "./counts.ts";
import { deferred } from "./deferred.ts";
import { Dialog } from "./dialog.ts";
import { Hearing } from "./hearing.ts";
import type { Frame } from "./live-region.ts";
import { OwnCommand } from "./own-command.ts";
import { strip } from "./safe-text.ts";
import { Screen } from "./screen.ts";
import { EDITOR, cyan, dim, red, yellow } from "./style.ts";
import { exitCard, footer } from "./summary.ts";
import { Transcript } from "./transcript.ts";
import { duration, oneLine, plural } from "./words.ts";

const TICK_MS = 100;
const TWICE_MS = 2_000;
/** What is longer was pasted; the editor would lay it out for seconds. */
const MOST_TYPED_CHARS = 10_000;
const MODES = ["default", "acceptEdits", "plan"];
const CELL_SIZE = /^\u001b\[6;\d+;\d+t$/; // oxlint-disable-line no-control-regex -- an answer of the terminal

interface OpenQuestion {
  readonly dialog: Dialog;
  readonly answer: (answer: PersonAnswer) => void;
}

export class App {
  readonly #world: World;
  readonly #screen: Screen;
  readonly #editor: Editor;
  readonly #transcript = new Transcript();
  readonly #hearing = new Hearing(this.#transcript);
  readonly #counts = new Counts();
  readonly #left = deferred<number>();
  readonly #pressed = deferred<void>();
  #conversation: Conversation | undefined;
  #question: OpenQuestion | undefined;
  #own: OwnCommand | undefined;
  /** What is under way, and since when. */
  #working = 0;
  #workingSinceMs = 0;
  /** Commands exchange the agent: what is typed meanwhile goes to the new one. */
  #ready: Promise<unknown> = Promise.resolve();
  #hint = "";
  #interruptedMs = Number.NEGATIVE_INFINITY;
  #tick: NodeJS.Timeout | undefined;
  #isLeaving = false;

  constructor(world: World, terminal: Terminal) {
    this.#world = world;
    this.#screen = new Screen(terminal, (width, rows) => this.#frame(width, rows));
    this.#editor = new Editor(this.#screen, EDITOR);
    this.#editor.focused = true;
    this.#editor.onSubmit = (text) => this.submit(text);
    this.#screen.addInputListener((data) => this.#input(data));
  }

  readonly listeners: Listeners = {
    onEvent: (event) => this.#hear(event),
    onNotice: (message) => this.#note(yellow(strip(message))),
    askPerson: (question) => this.#ask(question),
  };

  /** Resolves with the exit code when the person, or the system, wants it to end. */
  get left(): Promise<number> {
    return this.#left.promise;
  }

  /** Resolves when it is to end at once, whatever is still being ended. */
  get pressed(): Promise<void> {
    return this.#pressed.promise;
  }

  begin(conversation: Conversation): void {
    this.#conversation = conversation;
    const { model, settings, agent, session } = conversation.made;
    const lost = session?.recovered.length ?? 0;
    this.#note(`${cyan("runahead")} · ${model.name} · ${settings.cwd}`, dim("/help shows what there is."));
    if (agent.messages.length > 0) this.#note(dim(`Going on after ${agent.messages.length} messages.`));
    if (lost > 0) this.#note(yellow(`${plural(lost, "call")} had not ended when it was cut off.`));
    this.#screen.start();
  }

  /** A question that is open is answered with no (D02). */
  leave(code: number): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#question?.answer({ type: "no" });
    this.#hint = "Leaving …";
    this.#screen.requestRender();
    this.#left.resolve(code);
  }

  /** Somebody wants it to end who may have said so before. */
  press(code: number): void {
    if (this.#isLeaving) this.#pressed.resolve();
    else this.leave(code);
  }

  async stopOwn(): Promise<void> {
    await this.#own?.stop();
  }

  end(): void {
    clearTimeout(this.#tick);
    this.#screen.end(exitCard(this.#counts, this.#conversation?.resumeId));
  }

  restore(): void {
    this.#screen.restore();
  }

  submit(typed: string): void {
    const text = typed.trim();
    if (text === "" || this.#isLeaving) return;
    if (text.length < MOST_TYPED_CHARS) this.#editor.addToHistory(text);
    if (text.startsWith("!") && text.length > 1) this.#runOwn(text.slice(1).trim());
    else if (/^\/[a-z]*(\s|$)/.test(text)) this.#command(text);
    else this.#work(this.#ready.then(() => this.#conversation?.made.agent.send(text)));
  }

  #command(text: string): void {
    this.#note(dim(text));
    const done = this.#ready.then(() => runCommand(text, this.#ports()));
    // Whoever comes later waits for this one; what goes wrong is told below.
    this.#ready = done.catch(() => {});
    this.#work(done.then((lines) => (lines.length > 0 ? this.#note(...lines) : undefined)));
  }

  #ports(): CommandPorts {
    const conversation = this.#theConversation;
    return {
      made: () => conversation.made,
      counts: this.#counts,
      exchange: (wish) =>
        wish.type === "clear" ? conversation.clear() : conversation.changeModel(wish.name),
      leave: () => this.leave(EXIT.done),
    };
  }

  get #theConversation(): Conversation {
    if (this.#conversation === undefined) throw new Error("A key before the beginning.");
    return this.#conversation;
  }

  #work(job: Promise<unknown>): void {
    if (this.#working++ === 0) this.#workingSinceMs = performance.now();
    void job
      .catch((error: unknown) => {
        if (!this.#isLeaving && !isTakenBack(error)) this.#note(red(strip(wordsOf(error))));
      })
      .finally(() => {
        this.#working--;
        this.#screen.requestRender();
      });
    this.#screen.requestRender();
  }

  #runOwn(command: string): void {
    if (this.#own !== undefined && !this.#own.isFinished)
      return this.#note("A command of yours is still running: Esc ends it.");
    const { cwd, env } = this.#world;
    this.#own = new OwnCommand(command, { cwd, env, onChange: () => this.#screen.requestRender() });
    this.#transcript.add(this.#own);
    this.#screen.requestRender();
  }

  #note(...lines: readonly string[]): void {
    this.#hearing.note(...lines);
    this.#screen.requestRender();
  }

  #hear(event: AgentEvent): void {
    this.#counts.hear(event);
    this.#hearing.hear(event);
    this.#screen.requestRender();
  }

  /** One at a time; the engine has the others wait. */
  #ask(question: PersonQuestion): Promise<PersonAnswer> {
    if (this.#isLeaving || question.signal.aborted) return Promise.resolve({ type: "no" });
    return new Promise((resolve) => {
      const answer = (given: PersonAnswer): void => {
        question.signal.removeEventListener("abort", withdraw);
        if (this.#question === open) this.#question = undefined;
        this.#hearing.asks(question.callId, false);
        this.#screen.requestRender();
        resolve(given);
      };
      const withdraw = (): void => answer({ type: "no" });
      const open: OpenQuestion = { dialog: new Dialog(question, answer), answer };
      this.#question = open;
      this.#hearing.asks(question.callId, true);
      question.signal.addEventListener("abort", withdraw, { once: true });
      this.#screen.requestRender();
    });
  }

  #input(data: string): { consume: boolean } {
    if (CELL_SIZE.test(data)) return { consume: false };
    if (!isKeyRelease(data)) this.#key(data);
    this.#screen.requestRender();
    return { consume: true };
  }

  #key(data: string): void {
    if (this.#isLeaving) {
      if (matchesKey(data, "ctrl+c")) this.#pressed.resolve();
      return;
    }
    this.#hint = "";
    if (matchesKey(data, "shift+tab")) return this.#cycleMode();
    const dialog = this.#question?.dialog;
    if (dialog?.isTooEarly(data) === false) return dialog.handleInput(data);
    if (matchesKey(data, "ctrl+c")) return this.#ctrlC();
    if (matchesKey(data, "escape") && !this.#editor.isShowingAutocomplete()) return this.#interrupt();
    if (this.#editor.getText() === "") {
      if (matchesKey(data, "ctrl+d")) return this.leave(EXIT.done);
      if (matchesKey(data, "up") && this.#takeBack()) return;
    }
    this.#editor.handleInput(data);
  }

  #ctrlC(): void {
    const now = performance.now();
    if (now - this.#interruptedMs < TWICE_MS) return this.leave(EXIT.done);
    this.#interruptedMs = now;
    this.#hint = "Ctrl+C again leaves.";
    if (this.#editor.getText() === "") this.#interrupt();
    else this.#editor.setText("");
  }

  #interrupt(): void {
    if (this.#own?.isFinished === false) return void this.#own.stop();
    const { agent } = this.#theConversation.made;
    // Not only while it is busy: a prompt that was sent just now has not begun yet (I07).
    setImmediate(() => void agent.interrupt());
  }

  /** What waits for the turn's end comes back into the editor. */
  #takeBack(): boolean {
    const prompts = this.#theConversation.made.agent.takeBack();
    if (prompts.length === 0) return false;
    // As if it were pasted, so that what is long stays a mark.
    this.#editor.handleInput(`\u001b[200~${prompts.map(textOf).join("\n")}\u001b[201~`);
    return true;
  }

  #cycleMode(): void {
    const { gate } = this.#theConversation.made;
    gate.setMode(MODES[(MODES.indexOf(gate.mode) + 1) % MODES.length] ?? "default");
  }

  #frame(width: number, rows: number): Frame {
    const below = this.#below(width, rows);
    const { above, live } = this.#transcript.frame(width, rows - below.length);
    this.#keepTicking();
    return { above, live: [...live, ...below] };
  }

  #below(width: number, rows: number): string[] {
    const { model, gate, agent } = this.#theConversation.made;
    const last = footer({ mode: gate.mode, model: model.name, counts: this.#counts });
    if (this.#question !== undefined) return [...this.#question.dialog.render(width, rows), last];
    const queued = agent.waiting.map((prompt) => dim(`queued: ${oneLine(textOf(prompt))} (↑ takes it back)`));
    const hint = this.#hint === "" ? [] : [yellow(this.#hint)];
    return ["", ...this.#activity(), ...queued, ...this.#editor.render(width), ...hint, last];
  }

  #activity(): string[] {
    if (this.#working === 0) return [];
    const word = this.#hearing.isThinking ? "Thinking" : "Working";
    return [dim(`${word} ${duration(performance.now() - this.#workingSinceMs)} · Esc interrupts`)];
  }

  /** Times move on while something is under way. */
  #keepTicking(): void {
    if (this.#tick !== undefined || (this.#working === 0 && this.#own?.isFinished !== false)) return;
    this.#tick = setTimeout(() => {
      this.#tick = undefined;
      this.#screen.requestRender();
    }, TICK_MS);
  }
}

function textOf(prompt: Prompt): string {
  return typeof prompt === "string" ? prompt : prompt.map(({ type }) => `[${type}]`).join(" ");
}

function isTakenBack(error: unknown): boolean {
  return error instanceof Error && error.message === "The message was taken back.";
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
