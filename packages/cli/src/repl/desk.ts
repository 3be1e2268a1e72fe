/** Runs slash commands, built-in ones and those from files, with access to the rest of the program. */

import {
  type CodingAgent,
  type Message,
  type PromptFile,
  SessionLocked,
  isReminder,
} from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { TimelineRecorder } from "@runahead/harness/timeline";
import type { World } from "../shared/world.ts";
import { OWN_COMMANDS, runCommand } from "./commands.ts";
import type { CommandEnd, CommandPorts } from "./commands/ports.ts";
import type { Named } from "./input/completion.ts";
import { hiddenNotice, namedFiles, namedPrompts } from "../shared/prompt-names.ts";
import type { Conversation, Wish } from "./transcript/conversation.ts";
import type { Counts } from "./screen/counts.ts";
import type { Hearing } from "./transcript/hearing.ts";
import { COPY, copyQuestion } from "./transcript/session-list.ts";
import type { Begun } from "./input/outgoing.ts";
import type { Choosing } from "./panels/chooser.ts";
import type { Panels } from "./panels/panels.ts";
import type { Typing } from "./input/typing.ts";
import type { Screen } from "./screen/screen.ts";
import { savedContext } from "./transcript/saved-context.ts";
import { usedWords } from "./transcript/summary.ts";
import { dim } from "./screen/style.ts";
import { plural } from "../shared/words.ts";

/** What the commands need of the rest of the program. */
export interface DeskParts {
  readonly world: World;
  readonly screen: {
    readonly terminal: Pick<Screen["terminal"], "columns" | "rows" | "kittyProtocolActive" | "write">;
  };
  readonly panels: Pick<Panels, "choose" | "askText" | "show">;
  readonly hearing: Hearing;
  readonly counts: Counts;
  readonly recorder: TimelineRecorder;
  readonly onNotice: (message: string) => void;
  /** What is on the screen has changed. */
  readonly onChange: () => void;
  readonly put: (text: string) => void;
  /** Asks the questions that a session was saved with, and continues. */
  readonly resume: (made: CodingAgent) => void;
  /** Another conversation was opened. */
  readonly onOpened: (messages: readonly Message[]) => void;
  /** Opens the list of sub-agents and background commands. */
  readonly showAgents: (made: CodingAgent) => void;
  readonly typing: Pick<Typing, "openFile" | "setVim">;
  readonly leave: (code: number) => void;
}

export class Desk {
  readonly #parts: DeskParts;
  #files: readonly PromptFile[] = [];
  #conversation: Conversation | undefined;
  #isHiddenReported = false;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** The built-in commands, those from files that have been read, and the prompts of MCP servers that are connected. */
  get commands(): readonly Named[] {
    return [
      ...OWN_COMMANDS,
      ...namedFiles(this.#files, OWN_COMMANDS),
      ...namedPrompts(this.#conversation?.made.mcp?.prompts() ?? []),
    ];
  }

  /** `line` begins with a slash. */
  run(line: string, begun: Begun): Promise<CommandEnd> {
    return runCommand(line, this.#ports(begun));
  }

  /** Finds files that were added since they were read, such as a new skill. */
  async readAgain(): Promise<void> {
    if (this.#conversation !== undefined) await this.readFiles(this.#conversation);
  }

  async readFiles(conversation: Conversation): Promise<readonly PromptFile[]> {
    this.#conversation = conversation;
    this.#files = (await conversation.made.prompts.files()).filter(({ isForUser }) => isForUser);
    const notice = this.#isHiddenReported ? undefined : hiddenNotice(this.#files, OWN_COMMANDS);
    if (notice !== undefined) this.#parts.onNotice(notice);
    this.#isHiddenReported = true;
    return this.#files;
  }

  /** Shows a resumed conversation, its context and its cost. */
  recall({ made }: Conversation): void {
    const { hearing, counts } = this.#parts;
    const { messages } = made.agent;
    const { session } = made;
    const isSaved = session !== undefined && messages.length > 0;
    counts.windowTokens = made.contextTokens;
    counts.opened(session, isSaved ? savedContext(session.path) : 0);
    this.#parts.onOpened(messages);
    if (messages.length === 0) return;
    hearing.recall(messages);
    const count = messages.filter((message) => !isReminder(message)).length;
    const parts = [`Resumed after ${plural(count, "message")}`, ...usedWords(counts)];
    hearing.note(dim(`${parts.join(" · ")}.`));
    void this.#recallTasks(made);
    if ((session?.questions.length ?? 0) > 0) this.#parts.resume(made);
  }

  async #recallTasks(made: CodingAgent): Promise<void> {
    const { hearing, onChange } = this.#parts;
    hearing.recallTasks(await made.tasks());
    onChange();
  }

  /** A session that is open elsewhere can be opened as a copy. */
  async #resume(wish: Extract<Wish, { type: "resume" }>, conversation: Conversation): Promise<void> {
    try {
      await conversation.exchange(wish);
    } catch (error) {
      if (!(error instanceof SessionLocked)) throw error;
      const answer = await this.#parts.panels.choose(copyQuestion(error));
      if (answer !== COPY) throw error;
      await conversation.exchange({ ...wish, isCopy: true });
    }
  }

  /** Background work ends with its agent. Rejects if the user wants to keep it. */
  async #askToStop({ made }: Conversation): Promise<void> {
    const ids = made.agent.background.map(({ id }) => id);
    if (ids.length === 0) return;
    const names = ids.join(", ");
    const answer = await this.#parts.panels.choose(stopQuestion(names));
    if (answer !== STOP)
      throw new Error(`${names} ${ids.length === 1 ? "is" : "are"} still running in the background`);
  }

  #ports({ conversation, checkpoints }: Begun): CommandPorts {
    const { world, screen, panels, counts, recorder, put, typing, showAgents, leave } = this.#parts;
    const { terminal } = screen;
    return {
      world,
      counts,
      recorder,
      checkpoints,
      put,
      made: () => conversation.made,
      addFolder: (path) => conversation.addFolder(path),
      terminal: () => ({
        columns: terminal.columns,
        rows: terminal.rows,
        hasKittyKeys: terminal.kittyProtocolActive,
      }),
      files: () => this.readFiles(conversation),
      choose: (choosing) => panels.choose(choosing),
      ask: (asking) => panels.askText(asking),
      show: (showing) => panels.show(showing),
      openFile: (path) => typing.openFile(path),
      sendSequence: (sequence) => terminal.write(sequence),
      setVim: (isOn) => typing.setVim(isOn),
      showAgents: () => showAgents(conversation.made),
      exchange: (wish) => this.#exchange(wish, conversation),
      leave: () => leave(EXIT.done),
    };
  }

  async #exchange(wish: Wish, conversation: Conversation): Promise<void> {
    await this.#askToStop(conversation);
    if (wish.type === "resume") await this.#resume(wish, conversation);
    else await conversation.exchange(wish);
    if (wish.type === "model" || wish.type === "effort") return;
    const { hearing, counts } = this.#parts;
    hearing.forget();
    counts.follow(hearing.view);
    this.recall(conversation);
  }
}

const STOP = "stop";

function stopQuestion(names: string): Choosing {
  return {
    title: "Stop what runs in the background?",
    lines: [`This starts the agent again, which stops ${names}.`],
    choices: [
      { value: "keep", label: "Keep it running" },
      { value: STOP, label: "Stop it and continue" },
    ],
  };
}
