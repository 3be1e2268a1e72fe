/** The interactive screen: the transcript at the top, and below it the input line or a dialog. */

import { type Terminal, isKeyRelease, matchesKey } from "@earendil-works/pi-tui";
import {
  type AgentEvent,
  type AskUser,
  type Listeners,
  type Mode,
  type PersonAnswer,
  type PersonQuestion,
  runaheadHome,
  startMessages,
} from "@runahead/harness";
import { htmlTimeline } from "@runahead/harness/timeline";
import { allowedMode } from "../shared/offered-modes.ts";
import { elicitBy } from "../shared/elicit.ts";
import { pagesOf } from "../shared/open-page.ts";
import { EXIT } from "../shared/exit.ts";
import type { LiveInfo } from "../shared/live/protocol.ts";
import { LiveSession } from "../shared/live/publish.ts";
import { PLAN_TOOL } from "../shared/words.ts";
import { strip } from "../shared/safe-text.ts";
import { duration, homePath, oneLine, plural } from "../shared/words.ts";
import type { World } from "../shared/world.ts";
import { Actions } from "./actions.ts";
import { Attendant, type State } from "./attendant.ts";
import { Chat } from "./chat.ts";
import { Drawing } from "./drawing.ts";
import type { Front } from "./front.ts";
import { CLOCK, type Clock } from "./input/attention.ts";
import { Keys } from "./input/keys.ts";
import { Typing } from "./input/typing.ts";
import { Leaving } from "./leaving.ts";
import { changeText } from "./panels/approved-change.ts";
import { askUser } from "./panels/ask-user.ts";
import type { Choosing } from "./panels/chooser.ts";
import { Panels } from "./panels/panels.ts";
import { showAgents } from "./panels/show-agents.ts";
import { loadHighlighter } from "./screen/highlight.ts";
import { type Picture, Screen } from "./screen/screen.ts";
import { cyan, dim, setTheme, themeNamed, yellow } from "./screen/style.ts";
import { StatusLine, trustedValue } from "./status-line.ts";
import type { Conversation } from "./transcript/conversation.ts";
import { Work } from "./transcript/work.ts";
import { type ScreenWishes, screenWishes } from "./wishes.ts";

const TICK_MS = 100;
/** How long the question about background work counts as asked. */
const ASKED_MS = 10_000;
const CELL_SIZE = /^\u001b\[6;\d+;\d+t$/; // oxlint-disable-line no-control-regex -- an answer of the terminal

export class App implements Front {
  readonly #world: World;
  readonly #screen: Screen;
  readonly #chat: Chat;
  readonly #typing: Typing;
  readonly #panels: Panels;
  readonly #drawing: Drawing;
  readonly #keys: Keys;
  readonly #work: Work;
  readonly #status: StatusLine;
  readonly #attendant: Attendant;
  /** What `runahead web` shows. */
  readonly #live: LiveSession;
  readonly #leaving = new Leaving();
  /** What was said about MCP servers. */
  readonly #ofServers = new Set<string>();
  #wishes: ScreenWishes | undefined;
  #tick: NodeJS.Timeout | undefined;
  #askedToLeaveMs = Number.NEGATIVE_INFINITY;

  constructor(world: World, terminal: Terminal, clock: Clock = CLOCK) {
    this.#world = world;
    const onChange = (): void => this.#screen.requestRender();
    this.#screen = new Screen(terminal, (width, rows) => this.#frame(width, rows));
    this.#panels = new Panels(onChange, {
      clock,
      hasDraft: () => !this.#typing.isEmpty,
      comment: (text) => this.#chat.comment(text),
      folder: world.cwd,
    });
    this.#work = new Work(onChange, (error) => {
      if (!this.isLeaving) this.#chat.failed(error);
    });
    this.#typing = new Typing({
      world,
      screen: this.#screen,
      commands: () => this.#chat.desk.commands,
      readCommands: () => this.#chat.desk.readAgain(),
      onSubmit: (text) => this.submit(text),
      onNotice: (message) => this.#chat.warn(message),
    });
    this.#chat = this.#newChat(onChange);
    const { counts } = this.#chat;
    this.#status = new StatusLine({ world, counts, onChange });
    this.#attendant = new Attendant({ world, clock, send: (bytes) => this.#screen.send(bytes) });
    this.#live = this.#newLive();
    const parts = { chat: this.#chat, panels: this.#panels, typing: this.#typing, work: this.#work };
    this.#drawing = new Drawing({ ...parts, status: this.#status });
    this.#keys = this.#newKeys(new Actions({ ...parts, hint: (text) => this.#hint(text), onChange }), clock);
    this.#screen.addInputListener((data) => this.#input(data));
  }

  #newChat(onChange: () => void): Chat {
    const [screen, panels, typing] = [this.#screen, this.#panels, this.#typing];
    return new Chat({
      world: this.#world,
      screen,
      panels,
      typing,
      onChange,
      onJob: (job) => this.#work.add(job),
      lend: (job) => screen.lend(job),
      // Keys that were meant for the program can still arrive.
      onTerminalBack: () => panels.attention.typed(),
      imagesIn: (text) => typing.images.in(text),
      onReturned: (text) => {
        this.#chat.note(yellow("Interrupted."));
        typing.put(text);
      },
      onOpened: (messages) => this.#live.begin(messages),
      put: (text) => typing.put(text),
      showAgents: (made) => showAgents({ made, panels, screen, logs: this.#chat.hearing.agentLogs }),
      leave: (code) => this.#askToLeave(code),
      answersCommands: () => this.#wishes?.answersCommands === true && !this.isLeaving,
    });
  }

  #newLive(): LiveSession {
    return new LiveSession({
      home: runaheadHome(this.#world),
      info: () => this.#liveInfo(),
      timeline: async () =>
        htmlTimeline((await this.#chat.conversation?.made.timeline()) ?? this.#chat.recorder.timeline()),
      setMode: (mode) => this.#setMode(mode),
      changeOf: ({ toolName, input }) => changeText(toolName, input, this.#world.cwd),
    });
  }

  #newKeys(actions: Actions, clock: Clock): Keys {
    return new Keys({
      panels: this.#panels,
      typing: this.#typing,
      clock,
      hint: (text) => this.#hint(text),
      interrupt: () => actions.interrupt(),
      leave: () => this.#askToLeave(EXIT.done),
      takeBack: () => actions.takeBack(),
      cycleMode: () => actions.cycleMode(),
      openOutput: () => actions.openOutput(),
      editOutside: () => actions.editOutside(),
      suspend: () => void this.#screen.stopProcess(),
      toBackground: () => actions.toBackground(),
      bindings: () => this.#typing.bindings,
      showKeys: () => actions.showKeys(),
      chooseModel: () => {
        this.#chat.note(dim("/model"));
        this.#chat.run("/model");
      },
      onChange: () => this.#screen.requestRender(),
    });
  }

  /** Another model or session connects to the servers again, and their failures are the same. */
  #notice(notice: string): void {
    const isKnown = this.#ofServers.has(notice);
    if (notice.startsWith("The MCP server ")) this.#ofServers.add(notice);
    if (!isKnown) this.#chat.warn(notice);
  }

  readonly listeners: Listeners = {
    showsReplacedText: true,
    asksDeferred: true,
    onEvent: (event) => this.#hear(event),
    onNotice: (message) => this.#notice(message),
    askPerson: (question) => this.#ask(question),
    askUser: (questions, signal) => this.#askUser(questions, signal),
    elicit: elicitBy(
      (questions, signal) => this.#askUser(questions, signal),
      () => pagesOf(this.#world.env),
    ),
    onHookStatus: (text) => {
      this.#hint(text ?? "");
      this.#screen.requestRender();
    },
    onTerminalSequence: (sequence) => this.#screen.send(sequence),
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
    this.#screen.start();
    return this.#panels.chooseUnasked(choosing);
  }

  begin(conversation: Conversation): void {
    const chat = this.#chat;
    chat.conversation = conversation;
    this.#configure(conversation.made);
    const { model, settings, session, mainAgent } = conversation.made;
    const folder = homePath(settings.cwd, this.#world.home);
    chat.note(
      [cyan("runahead"), ...[mainAgent ?? [], model.name, folder].flat().map(oneLine)].join(" · "),
      dim("Type a prompt, or /help for commands and keys."),
    );
    for (const message of startMessages(settings)) chat.note(cyan(oneLine(message)));
    chat.begin(conversation, () => this.#typing.load());
    const lost = session?.recovered.length ?? 0;
    if (lost > 0)
      chat.note(yellow(`${plural(lost, "call")} did not finish before this session was interrupted.`));
    void this.#live.open();
    this.#screen.start();
  }

  #configure(made: Conversation["made"]): void {
    this.#status.update(made);
    const wishes = screenWishes(made, this.#world);
    this.#wishes = wishes;
    this.#attendant.configure(trustedValue(made, "preferredNotifChannel"), wishes.hasProgressBar);
    this.#work.verbs = wishes.verbs;
    this.#typing.completeFiles(wishes);
    this.#typing.setVim(trustedValue(made, "editorMode") === "vim");
    const theme = themeNamed(trustedValue(made, "theme"));
    if (theme !== undefined) setTheme(theme);
  }

  /** Background work ends with the session, so the first attempt only says what would be stopped. */
  #askToLeave(code: number): void {
    const ids = this.#chat.conversation?.made.agent.background.map(({ id }) => id) ?? [];
    const isAsked = performance.now() - this.#askedToLeaveMs < ASKED_MS;
    if (ids.length === 0 || isAsked) return this.leave(code);
    this.#askedToLeaveMs = performance.now();
    this.#hint(
      `Still running in the background: ${ids.join(", ")}. Exiting stops it. Exit again to confirm.`,
    );
    this.#screen.requestRender();
  }

  leave(code: number): void {
    if (!this.#leaving.begin(code)) return;
    this.#panels.giveUp();
    this.#hint("Exiting …");
    this.#screen.requestRender();
  }

  /** Ends the program on a signal, the second time immediately. Ctrl+C belongs to the program that has the terminal. */
  press(code: number): void {
    if (this.#screen.isLent && code === EXIT.interrupted) return;
    if (this.isLeaving) this.#leaving.hurry();
    else this.leave(code);
  }

  async close(): Promise<void> {
    this.#status.close();
    await Promise.all([this.#chat.close(), this.#typing.close(), this.#live.close()]);
  }

  end(): void {
    clearTimeout(this.#tick);
    this.#attendant.end();
    this.#screen.end(this.#chat.card(this.#screen.terminal.columns));
  }

  restore(): void {
    this.#attendant.end();
    this.#screen.restore();
  }

  submit(typed: string): void {
    const text = typed.trim();
    if (text === "" || this.isLeaving) return;
    this.#typing.remember(text);
    if (/^[/#]/.test(text)) this.#chat.note(dim(strip(text)));
    this.#chat.submit(text);
    void loadHighlighter();
    void this.#loadPrice();
  }

  /** Not needed before the first prompt, so that the program starts faster. */
  async #loadPrice(): Promise<void> {
    const { priceOf } = await import("@runahead/harness/internal");
    const model = this.#chat.conversation?.made.model;
    this.#chat.counts.price = model === undefined ? undefined : priceOf(model);
  }

  #hint(text: string): void {
    this.#drawing.hint = text;
  }

  #hear(event: AgentEvent): void {
    this.#live.hear(event);
    this.#chat.hear(event);
    if (event.type === "ended") {
      if (this.#wishes?.showsDuration === true)
        this.#chat.note(dim(`Answered in ${duration(this.#work.elapsedMs)}.`));
      this.#work.restart();
      this.#chat.counts.settled();
    }
    if (event.type === "turn-ended" && this.#chat.conversation !== undefined)
      this.#status.update(this.#chat.conversation.made);
  }

  #ask(question: PersonQuestion): Promise<PersonAnswer> {
    if (this.isLeaving) return Promise.resolve({ type: "no" });
    const here = (one: PersonQuestion): Promise<PersonAnswer> =>
      one.toolName === PLAN_TOOL ? this.#askPlan(one) : this.#panels.ask(one);
    return this.#live.ask(question, here);
  }

  /** Asks here and in viewers; the first answer counts. */
  #askUser(...[questions, signal]: Parameters<AskUser>): Promise<Awaited<ReturnType<AskUser>>> {
    return this.#live.askUser(questions, signal, (asked, here) => askUser(this.#panels, asked, here));
  }

  async #askPlan(question: PersonQuestion): Promise<PersonAnswer> {
    const { answer, mode } = await this.#panels.askPlan(question, (plan) => this.#typing.editText(plan));
    if (mode !== undefined) this.#setMode(mode);
    return answer;
  }

  #setMode(mode: Mode): void {
    const gate = this.#chat.conversation?.made.gate;
    gate?.setMode(allowedMode(gate, mode));
  }

  #liveInfo(): LiveInfo {
    const { session, model, gate } = this.#chat.conversation?.made ?? {};
    const { cwd: title } = this.#world;
    return { id: session?.id ?? "", title, model: model?.name ?? "", mode: gate?.mode ?? "" };
  }

  #input(data: string): { consume: boolean } {
    if (CELL_SIZE.test(data)) return { consume: false };
    if (!isKeyRelease(data)) this.#key(data);
    this.#attendant.pressed();
    this.#screen.requestRender();
    return { consume: true };
  }

  #key(data: string): void {
    if (!this.isLeaving) this.#keys.press(data);
    else if (matchesKey(data, "ctrl+c")) this.#leaving.hurry();
  }

  #frame(width: number, rows: number): Picture {
    this.#keepTicking();
    this.#attendant.update(this.#state);
    return this.#drawing.frame(width, rows);
  }

  get #state(): State {
    if (this.#panels.isAsking) return "needs you";
    // A command that shows a list waits for the user.
    if (this.#panels.own !== undefined && this.#chat.conversation?.made.agent.isBusy !== true) return "ready";
    return this.#work.isUnderWay ? "working" : "ready";
  }

  /** Redraws running times while something is running, also if nobody sent a prompt. */
  #keepTicking(): void {
    const { conversation, own, hearing } = this.#chat;
    const isIdle =
      !this.#work.isUnderWay &&
      conversation?.made.agent.isBusy !== true &&
      !own.isRunning &&
      hearing.view.backgroundAgents.size === 0;
    if (this.#tick !== undefined || isIdle) return;
    this.#tick = setTimeout(() => {
      this.#tick = undefined;
      this.#screen.requestRender();
    }, TICK_MS);
  }
}
