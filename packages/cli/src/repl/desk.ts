/** Runs slash commands, built-in ones and those from files, with access to the rest of the program. */

import { type PromptFile, isReminder } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { TimelineRecorder } from "@runahead/harness/timeline";
import type { World } from "../shared/world.ts";
import { type CommandEnd, type CommandPorts, OWN_COMMANDS, runCommand } from "./commands.ts";
import type { Named } from "./input/completion.ts";
import { hiddenNotice, namedFiles } from "../shared/prompt-names.ts";
import type { Conversation, Wish } from "./transcript/conversation.ts";
import type { Counts } from "./screen/counts.ts";
import type { Hearing } from "./transcript/hearing.ts";
import type { Begun } from "./input/outgoing.ts";
import type { Panels } from "./panels/panels.ts";
import { showAgents } from "./panels/show-agents.ts";
import type { Screen } from "./screen/screen.ts";
import { dim } from "./screen/style.ts";
import { plural } from "../shared/words.ts";

interface Parts {
  readonly world: World;
  readonly screen: Screen;
  readonly panels: Panels;
  readonly hearing: Hearing;
  readonly counts: Counts;
  readonly recorder: TimelineRecorder;
  readonly onNotice: (message: string) => void;
  readonly put: (text: string) => void;
  readonly leave: (code: number) => void;
}

export class Desk {
  readonly #parts: Parts;
  #files: readonly PromptFile[] = [];
  #isHiddenReported = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The built-in commands, and those from files that have been read. */
  get commands(): readonly Named[] {
    return [...OWN_COMMANDS, ...namedFiles(this.#files, OWN_COMMANDS)];
  }

  /** `line` begins with a slash. */
  run(line: string, begun: Begun): Promise<CommandEnd> {
    return runCommand(line, this.#ports(begun));
  }

  async readFiles({ made }: Conversation): Promise<readonly PromptFile[]> {
    this.#files = (await made.prompts.files()).filter(({ isForUser }) => isForUser);
    const notice = this.#isHiddenReported ? undefined : hiddenNotice(this.#files, OWN_COMMANDS);
    if (notice !== undefined) this.#parts.onNotice(notice);
    this.#isHiddenReported = true;
    return this.#files;
  }

  /** Shows the end of a resumed conversation. */
  recall({ made }: Conversation): void {
    const { hearing, counts } = this.#parts;
    counts.opened(made.session);
    const { messages } = made.agent;
    if (messages.length === 0) return;
    const count = messages.filter((message) => !isReminder(message)).length;
    hearing.note(dim(`Resumed after ${plural(count, "message")}.`));
    hearing.recall(messages);
  }

  #ports({ conversation, checkpoints }: Begun): CommandPorts {
    const { world, screen, panels, hearing, counts, recorder, put, leave } = this.#parts;
    const { terminal } = screen;
    return {
      world,
      counts,
      recorder,
      checkpoints,
      put,
      made: () => conversation.made,
      terminal: () => ({
        columns: terminal.columns,
        rows: terminal.rows,
        hasKittyKeys: terminal.kittyProtocolActive,
      }),
      files: () => this.readFiles(conversation),
      choose: (choosing) => panels.choose(choosing),
      showAgents: () => showAgents({ made: conversation.made, panels, screen, logs: hearing.agentLogs }),
      exchange: (wish) => this.#exchange(wish, conversation),
      leave: () => leave(EXIT.done),
    };
  }

  async #exchange(wish: Wish, conversation: Conversation): Promise<void> {
    await conversation.exchange(wish);
    if (wish.type === "model" || wish.type === "effort") return;
    const { hearing, counts } = this.#parts;
    hearing.forget();
    counts.follow(hearing.view);
    this.recall(conversation);
  }
}
