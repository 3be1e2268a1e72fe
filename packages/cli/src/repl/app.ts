/** The interactive screen: the transcript at the top, and below it the input line or a dialog. */

import { type Terminal, isKeyRelease, matchesKey, truncateToWidth } from "@earendil-works/pi-tui";
import {
  type AgentEvent,
  type Listeners,
  type PersonAnswer,
  type PersonQuestion,
  type Prompt,
  PromptTakenBack,
  runaheadHome,
  startMessages,
} from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { LiveInfo } from "../shared/live/protocol.ts";
import { LiveSession } from "../shared/live/publish.ts";
import { createTimelineRecorder, htmlTimeline, summarise } from "@runahead/harness/timeline";
import type { World } from "../shared/world.ts";
import { elicitBy } from "../shared/elicit.ts";
import { askUser } from "./panels/ask-user.ts";
import { CLOCK, type Clock } from "./input/attention.ts";
import type { Choosing } from "./panels/chooser.ts";
import type { Conversation } from "./transcript/conversation.ts";
import { Counts } from "./screen/counts.ts";
import { Desk } from "./desk.ts";
import { deferred } from "../shared/deferred.ts";
import { wordsOf } from "../shared/failure.ts";
import type { Front } from "./front.ts";
import { Hearing } from "./transcript/hearing.ts";
import { loadHighlighter } from "./screen/highlight.ts";
import { keyList } from "./input/key-list.ts";
import { Keys } from "./input/keys.ts";
import { Outgoing } from "./input/outgoing.ts";
import { OwnCommands } from "./own-commands.ts";
import { Panels } from "./panels/panels.ts";
import { PLAN_TOOL } from "./panels/plan-dialog.ts";
import { showAgents } from "./panels/show-agents.ts";
import { typedText } from "./input/prompt.ts";
import { OFFERED_MODES } from "../shared/offered-modes.ts";
import { Attendant, type State } from "./attendant.ts";
import type { OwnOutput } from "./own-output.ts";
import { type ScreenWishes, screenWishes } from "./wishes.ts";
import { StatusLine, trustedValue } from "./status-line.ts";
import { strip } from "../shared/safe-text.ts";
import { type Picture, Screen } from "./screen/screen.ts";
import { cyan, dim, joined, red, setTheme, themeNamed, yellow } from "./screen/style.ts";
import { exitCard, footer } from "./transcript/summary.ts";
import { backgroundLines, jobLines } from "./transcript/nested.ts";
import { taskLines } from "./transcript/tasks.ts";
import { Transcript } from "./transcript/transcript.ts";
import { Typing } from "./input/typing.ts";
import { Viewer } from "./screen/viewer.ts";
import { Work } from "./transcript/work.ts";
import { duration, homePath, oneLine, plural } from "../shared/words.ts";

const TICK_MS = 100;
/** How long the question about background work counts as asked. */
const ASKED_MS = 10_000;
const CELL_SIZE = /^\u001b\[6;\d+;\d+t$/; // oxlint-disable-line no-control-regex -- an answer of the terminal
const ANSWER_COMMAND = "I ran a command. Respond to its output.";
const COMMAND = /^\/[\w:.-]*(\s|$)/;

export class App implements Front {
  readonly #world: World;
  readonly #screen: Screen;
  readonly #typing: Typing;
  readonly #panels: Panels;
  readonly #transcript = new Transcript();
  readonly #hearing: Hearing;
  readonly #counts: Counts;
  readonly #recorder = createTimelineRecorder({ title: "runahead", hasContent: true });
  readonly #left = deferred<number>();
  readonly #pressed = deferred<void>();
  #conversation: Conversation | undefined;
  /** What `runahead web` shows. */
  readonly #live: LiveSession;
  readonly #status: StatusLine;
  readonly #attendant: Attendant;
  readonly #work: Work;
  readonly #outgoing: Outgoing;
  readonly #own: OwnCommands;
  readonly #desk: Desk;
  readonly #keys: Keys;
  #wishes: ScreenWishes | undefined;
  #hint = "";
  #tick: NodeJS.Timeout | undefined;
  #isLeaving = false;
  #askedToLeaveMs = Number.NEGATIVE_INFINITY;

  constructor(world: World, terminal: Terminal, clock: Clock = CLOCK) {
    this.#world = world;
    this.#hearing = new Hearing(this.#transcript, world.cwd);
    this.#counts = new Counts(this.#hearing.view);
    this.#screen = new Screen(terminal, (width, rows) => this.#frame(width, rows));
    this.#panels = new Panels(() => this.#screen.requestRender(), {
      clock,
      hasDraft: () => !this.#typing.isEmpty,
      comment: (text) => this.#work.add(this.#outgoing.send(text)),
      folder: world.cwd,
    });
    this.#status = new StatusLine({
      world,
      counts: this.#counts,
      onChange: () => this.#screen.requestRender(),
    });
    this.#attendant = new Attendant({ world, clock, send: (bytes) => this.#screen.send(bytes) });
    this.#work = new Work(
      () => this.#screen.requestRender(),
      (error) => this.#failed(error),
    );
    this.#live = new LiveSession({
      home: runaheadHome(world),
      info: () => this.#liveInfo(),
      timeline: async () =>
        htmlTimeline((await this.#conversation?.made.timeline()) ?? this.#recorder.timeline()),
    });
    const onNotice = (message: string): void => this.#warn(message);
    const onReturned = (text: string): void => {
      this.#note(yellow("Interrupted."));
      this.#typing.put(text);
    };
    this.#outgoing = new Outgoing({
      world,
      onNotice,
      onReturned,
      imagesIn: (text) => this.#typing.images.in(text),
    });
    this.#own = new OwnCommands({
      world,
      screen: this.#screen,
      add: (command) => this.#transcript.add(command),
      note: (...lines) => this.#note(...lines),
      onEnd: (output) => this.#ranOwn(output),
      // Keys that were meant for the program can still arrive.
      onReturned: () => this.#panels.attention.typed(),
    });
    this.#typing = new Typing({
      world,
      screen: this.#screen,
      commands: () => this.#desk.commands,
      onSubmit: (text) => this.submit(text),
      onNotice,
    });
    this.#desk = new Desk({
      world,
      screen: this.#screen,
      panels: this.#panels,
      hearing: this.#hearing,
      counts: this.#counts,
      recorder: this.#recorder,
      onNotice,
      put: (text) => this.#typing.put(text),
      resume: ({ agent }) => this.#work.add(agent.resume()),
      onOpened: (messages) => this.#live.begin(messages),
      typing: this.#typing,
      showAgents: (made) =>
        showAgents({ made, panels: this.#panels, screen: this.#screen, logs: this.#hearing.agentLogs }),
      leave: (code) => this.#askToLeave(code),
    });
    this.#keys = new Keys({
      panels: this.#panels,
      typing: this.#typing,
      hint: (text) => (this.#hint = text),
      interrupt: () => this.#interrupt(),
      leave: () => this.#askToLeave(EXIT.done),
      takeBack: () => this.#takeBack(),
      cycleMode: () => this.#cycleMode(),
      openOutput: () => this.#openOutput(),
      editOutside: () => this.#editOutside(),
      suspend: () => this.#screen.stopProcess(),
      toBackground: () => this.#toBackground(),
      bindings: () => this.#typing.bindings,
      showKeys: () => this.#showKeys(),
      chooseModel: () => this.#command("/model"),
      onChange: () => this.#screen.requestRender(),
      clock,
    });
    this.#screen.addInputListener((data) => this.#input(data));
  }

  readonly listeners: Listeners = {
    showsReplacedText: true,
    asksDeferred: true,
    onEvent: (event) => this.#hear(event),
    onNotice: (message) => this.#warn(message),
    askPerson: (question) => this.#ask(question),
    askUser: (questions, signal) => askUser(this.#panels, questions, signal),
    elicit: elicitBy((questions, signal) => askUser(this.#panels, questions, signal)),
    onHookStatus: (text) => {
      this.#hint = text ?? "";
      this.#screen.requestRender();
    },
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
    this.#screen.start();
    return this.#panels.chooseUnasked(choosing);
  }

  begin(conversation: Conversation): void {
    this.#conversation = conversation;
    this.#status.update(conversation.made);
    this.#wishes = screenWishes(conversation.made, this.#world);
    this.#attendant.configure(
      trustedValue(conversation.made, "preferredNotifChannel"),
      this.#wishes.hasProgressBar,
    );
    this.#work.verbs = this.#wishes.verbs;
    this.#typing.completeFiles(this.#wishes);
    const { model, settings, session } = conversation.made;
    const lost = session?.recovered.length ?? 0;
    const folder = homePath(settings.cwd, this.#world.home);
    this.#note(
      `${cyan("runahead")} · ${oneLine(model.name)} · ${oneLine(folder)}`,
      dim("Type a prompt, or /help for commands and keys."),
    );
    for (const message of startMessages(settings)) this.#note(cyan(oneLine(message)));
    this.#typing.setVim(isVim(settings));
    const wantedTheme = themeNamed(settings.other.get("theme")?.find(({ trusted }) => trusted)?.value);
    if (wantedTheme !== undefined) setTheme(wantedTheme);
    this.#desk.recall(conversation);
    if (lost > 0)
      this.#note(yellow(`${plural(lost, "call")} did not finish before this session was interrupted.`));
    void this.#outgoing.do(() => Promise.all([this.#typing.load(), this.#desk.readFiles(conversation)]));
    this.#outgoing.begin(conversation);
    void this.#live.open();
    this.#screen.start();
  }

  /** Background work ends with the session, so the first attempt only says what would be stopped. */
  #askToLeave(code: number): void {
    const ids = this.#conversation?.made.agent.background.map(({ id }) => id) ?? [];
    const isAsked = performance.now() - this.#askedToLeaveMs < ASKED_MS;
    if (ids.length === 0 || isAsked) return this.leave(code);
    this.#askedToLeaveMs = performance.now();
    this.#hint = `Still running in the background: ${ids.join(", ")}. Exiting stops it. Exit again to confirm.`;
    this.#screen.requestRender();
  }

  leave(code: number): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#panels.giveUp();
    this.#hint = "Exiting …";
    this.#screen.requestRender();
    this.#left.resolve(code);
  }

  /** Ends the program on a signal, the second time immediately. Ctrl+C belongs to the program that has the terminal. */
  press(code: number): void {
    if (this.#screen.isLent && code === EXIT.interrupted) return;
    if (this.#isLeaving) this.#pressed.resolve();
    else this.leave(code);
  }

  async close(): Promise<void> {
    this.#status.close();
    await Promise.all([this.#own.stop(), this.#typing.close(), this.#outgoing.close(), this.#live.close()]);
  }

  end(): void {
    clearTimeout(this.#tick);
    this.#attendant.end();
    const { resumeId } = this.#conversation ?? {};
    this.#screen.end(exitCard(summarise(this.#recorder.timeline()), this.#counts, resumeId));
  }

  restore(): void {
    this.#attendant.end();
    this.#screen.restore();
  }

  submit(typed: string): void {
    const text = typed.trim();
    if (text === "" || this.#isLeaving) return;
    this.#typing.remember(text);
    const [, marks, command = ""] = /^(!!?)\s*([\s\S]+)$/.exec(text) ?? [];
    if (marks !== undefined) this.#own.run(command, marks === "!!");
    else if (/^#[^#\s]|^# \S/.test(text) && !text.includes("\n"))
      this.#command(`/remember ${text.slice(1).trim()}`);
    else if (COMMAND.test(text)) this.#command(text);
    else this.#work.add(this.#outgoing.send(text));
    void loadHighlighter();
    void this.#loadPrice();
  }

  /** The model reads the output with the next prompt, or answers at once if the settings say so. */
  #ranOwn(output: OwnOutput): void {
    this.#outgoing.attach(output);
    if (this.#wishes?.answersCommands === true && !this.#isLeaving)
      this.#work.add(this.#outgoing.send(ANSWER_COMMAND));
  }

  /** Not needed before the first prompt, so that the program starts faster. */
  async #loadPrice(): Promise<void> {
    const { priceOf } = await import("@runahead/harness/internal");
    const model = this.#conversation?.made.model;
    this.#counts.price = model === undefined ? undefined : priceOf(model);
  }

  #command(text: string): void {
    this.#note(dim(strip(text)));
    const done = this.#outgoing.do((begun) => this.#desk.run(text, begun));
    this.#work.add(
      done.then((end) => {
        if (end.type === "prompt") return this.#outgoing.send(end.text, { said: text, file: end.file });
        if (end.lines.length > 0) this.#note(...end.lines);
        return undefined;
      }),
    );
  }

  #failed(error: unknown): void {
    if (!this.#isLeaving && !(error instanceof PromptTakenBack)) this.#note(red(strip(wordsOf(error))));
  }

  #note(...lines: readonly string[]): void {
    this.#hearing.note(...lines);
    this.#screen.requestRender();
  }

  #warn(message: string): void {
    this.#note(yellow(strip(message)));
  }

  #hear(event: AgentEvent): void {
    this.#recorder.hear(event);
    this.#live.hear(event);
    this.#hearing.hear(event);
    if (event.type === "ended" && this.#wishes?.showsDuration === true)
      this.#note(dim(`Answered in ${duration(this.#work.elapsedMs)}.`));
    if (event.type === "ended") this.#work.restart();
    if (event.type === "ended") this.#counts.settled();
    if (event.type === "turn-ended" && this.#conversation !== undefined)
      this.#status.update(this.#conversation.made);
    this.#screen.requestRender();
  }

  #ask(question: PersonQuestion): Promise<PersonAnswer> {
    if (this.#isLeaving) return Promise.resolve({ type: "no" });
    const here = (one: PersonQuestion): Promise<PersonAnswer> =>
      one.toolName === PLAN_TOOL ? this.#askPlan(one) : this.#panels.ask(one);
    return this.#live.ask(question, here);
  }

  async #askPlan(question: PersonQuestion): Promise<PersonAnswer> {
    const { answer, mode } = await this.#panels.askPlan(question, (plan) => this.#typing.editText(plan));
    const { gate, settings } = this.#conversation?.made ?? {};
    // With a settings file that cannot be read, only modes that ask are available.
    if (mode !== undefined) gate?.setMode(settings?.isIncomplete === true ? "default" : mode);
    return answer;
  }

  #liveInfo(): LiveInfo {
    const { cwd } = this.#world;
    const { session, model, gate } = this.#conversation?.made ?? {};
    const pid = process.pid;
    return { id: session?.id ?? "", cwd, model: model?.name ?? "", mode: gate?.mode ?? "", pid };
  }

  #input(data: string): { consume: boolean } {
    if (CELL_SIZE.test(data)) return { consume: false };
    if (!isKeyRelease(data)) this.#key(data);
    this.#attendant.pressed();
    this.#screen.requestRender();
    return { consume: true };
  }

  #key(data: string): void {
    if (!this.#isLeaving) this.#keys.press(data);
    else if (matchesKey(data, "ctrl+c")) this.#pressed.resolve();
  }

  #interrupt(): void {
    if (this.#own.isRunning) return void this.#own.stop();
    this.#outgoing.interrupt();
    this.#work.interrupted();
    const agent = this.#conversation?.made.agent;
    // Also when the agent is idle: a prompt that was just sent has not started yet (I07).
    setImmediate(() => void agent?.interrupt());
  }

  #openOutput(): void {
    const calls = this.#hearing.latestCalls;
    if (calls.length === 0) this.#hint = "No output yet.";
    else void this.#panels.open<void>((done) => new Viewer(calls, () => done(undefined)));
  }

  #showKeys(): void {
    const list = keyList(this.#typing.bindings);
    const columns = Math.max(...list.map(([key]) => key.length));
    const lines = list.map(([key, help]) => `${key.padEnd(columns)}  ${help}`);
    void this.#panels.show({ title: "Keys", lines, closers: ["?"] });
  }

  #editOutside(): void {
    void this.#typing.editOutside().then((why) => {
      this.#hint = why ?? "";
      // Keys that were meant for the editor can still arrive.
      this.#panels.attention.typed();
      this.#screen.requestRender();
    });
  }

  /** Lets running commands or sub-agents go on in the background. Returns false if no call waits for one. */
  #toBackground(): boolean {
    const moved = this.#conversation?.made.moveToBackground() ?? [];
    const refused = moved.find((one) => one.type === "refused");
    if (refused !== undefined) this.#hint = `Not moved to the background: ${refused.reason}.`;
    else if (moved.length > 0) this.#hint = "Moved to the background; the model is notified when it ends.";
    return moved.length > 0;
  }

  /** Moves queued prompts back into the input line. */
  #takeBack(): boolean {
    const prompts = this.#conversation?.made.agent.takeBack() ?? [];
    if (prompts.length === 0) return false;
    this.#typing.put(prompts.map(typedText).join("\n"));
    return true;
  }

  #cycleMode(): void {
    const gate = this.#conversation?.made.gate;
    if (gate === undefined) return;
    const at = OFFERED_MODES.findIndex(({ id }) => id === gate.mode);
    gate.setMode(OFFERED_MODES[(at + 1) % OFFERED_MODES.length]?.id ?? "default");
  }

  #frame(width: number, rows: number): Picture {
    this.#keepTicking();
    this.#attendant.update(this.#state);
    const below = this.#below(width, rows);
    if (this.#panels.isFull) return { full: below };
    const { above, live } = this.#transcript.frame(width, rows - below.length);
    return { above, live: [...live, ...below] };
  }

  get #state(): State {
    if (this.#panels.isAsking) return "needs you";
    return this.#work.isUnderWay ? "working" : "ready";
  }

  #below(width: number, rows: number): string[] {
    const last = this.#lastLine(width);
    const notice = this.#panels.notice === "" ? [] : [yellow(this.#panels.notice)];
    const panel = this.#panels.render(width, rows - last.length - notice.length);
    if (panel !== undefined) return [...panel, ...notice, ...last];
    const hint = this.#hint === "" ? [] : [yellow(strip(this.#hint))];
    const line = [
      ...notice,
      ...this.#typing.render(width, this.#conversation?.made.gate.mode).map(joined),
      ...hint,
      ...last,
    ];
    const question = this.#panels.renderWaiting(width, rows - line.length);
    return question.length > 0 ? [...question, ...line] : ["", ...this.#underWay(width), ...line];
  }

  #underWay(width: number): string[] {
    const { waiting = [], unsent = [] } = this.#conversation?.made.agent ?? {};
    const shown = (what: string) => (prompt: Prompt) =>
      dim(`${what}: ${oneLine(typedText(prompt))} (↑ to edit)`);
    const queued = [...unsent.map(shown("not sent")), ...waiting.map(shown("queued"))];
    const tasks = taskLines(this.#hearing.tasks, width);
    const { background: running = [] } = this.#conversation?.made.agent ?? {};
    const background = [...backgroundLines(this.#hearing.view, performance.now()), ...jobLines(running)];
    return [
      ...tasks,
      ...background.map((line) => dim(truncateToWidth(strip(line), width, "…"))),
      ...this.#work.lines({ isThinking: this.#hearing.isThinking, isBusy: this.#isBusy }),
      ...queued,
    ];
  }

  /** Also if nobody sent a prompt: the end of background work wakes the agent. */
  get #isBusy(): boolean {
    return this.#conversation?.made.agent.isBusy === true;
  }

  #lastLine(width: number): string[] {
    if (this.#conversation === undefined) return [];
    const { model, gate, contextTokens } = this.#conversation.made;
    this.#counts.windowTokens = contextTokens;
    const facts = { mode: gate.mode, model: model.name, counts: this.#counts };
    return [...this.#status.lines, footer(facts, width)];
  }

  /** Redraws running times while something is running. */
  #keepTicking(): void {
    const isIdle =
      !this.#work.isUnderWay &&
      !this.#isBusy &&
      !this.#own.isRunning &&
      this.#hearing.view.backgroundAgents.size === 0;
    if (this.#tick !== undefined || isIdle) return;
    this.#tick = setTimeout(() => {
      this.#tick = undefined;
      this.#screen.requestRender();
    }, TICK_MS);
  }
}

function isVim({ other }: Conversation["made"]["settings"]): boolean {
  return other.get("editorMode")?.find(({ trusted }) => trusted)?.value === "vim";
}
