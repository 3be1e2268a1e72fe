/** Draws the screen: the transcript, and below it a dialog, or what is under way and the input line. */

import { truncateToWidth } from "@earendil-works/pi-tui";
import type { Prompt } from "@runahead/harness";
import { strip } from "../shared/safe-text.ts";
import type { Chat } from "./chat.ts";
import type { Typing } from "./input/typing.ts";
import type { Panels } from "./panels/panels.ts";
import { addedRows, endThatFits } from "./screen/reflow.ts";
import type { Picture } from "./screen/screen.ts";
import { dim, joined, yellow } from "./screen/style.ts";
import { wordWrap } from "./screen/wrap.ts";
import type { StatusLine } from "./status-line.ts";
import { backgroundLines, jobLines } from "./transcript/nested.ts";
import { queuedLines, queuedSummary } from "./transcript/queued.ts";
import { footer } from "./transcript/summary.ts";
import { taskLines } from "./transcript/tasks.ts";
import type { Work } from "./transcript/work.ts";

/** With fewer rows of running calls and streaming text, too little could be read. */
const LEAST_LIVE = 5;

interface Parts {
  readonly chat: Chat;
  readonly panels: Panels;
  readonly typing: Typing;
  readonly status: StatusLine;
  readonly work: Work;
}

export class Drawing {
  readonly #parts: Parts;
  /** A line below the input line, until the next key. */
  hint = "";

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  frame(width: number, rows: number): Picture {
    const { panels, chat } = this.#parts;
    const below = this.#below(width, rows);
    if (panels.isFull) return { full: below };
    const { above, live } = chat.transcript.frame(width, rows - below.length);
    const short = (): string[] | undefined => {
      const room = rows - below.length - addedRows(below, width);
      const end = endThatFits(live, { rows: room, columns: width });
      return end.length >= LEAST_LIVE ? [...end, ...below] : undefined;
    };
    return { above, live: [...live, ...below], short };
  }

  #below(width: number, rows: number): string[] {
    const { panels, typing, chat } = this.#parts;
    const last = this.#lastLine(width);
    const notice = yellowRows(panels.notice, width);
    const queued = queuedSummary(this.#queued, width);
    const panel = panels.render(width, rows - queued.length - last.length - notice.length);
    if (panel !== undefined) return [...panel, ...queued, ...notice, ...last];
    const hint = yellowRows(strip(this.hint), width);
    const line = [
      ...notice,
      ...typing.render(width, chat.conversation?.made.gate.mode).map(joined),
      ...hint,
      ...last,
    ];
    const question = panels.renderWaiting(width, rows - queued.length - line.length);
    return question.length > 0 ? [...question, ...queued, ...line] : ["", ...this.#underWay(width), ...line];
  }

  #underWay(width: number): string[] {
    const { chat, work } = this.#parts;
    const { hearing } = chat;
    const { agent } = chat.conversation?.made ?? {};
    const { background = [], isBusy = false } = agent ?? {};
    const jobs = [...backgroundLines(hearing.view, performance.now()), ...jobLines(background)];
    return [
      ...taskLines(hearing.tasks, width),
      ...jobs.map((line) => dim(truncateToWidth(strip(line), width, "…"))),
      ...work.lines({ doing: chat.doing, isThinking: hearing.isThinking, isBusy }),
      ...queuedLines(this.#queued, width),
    ];
  }

  get #queued(): { readonly waiting: readonly Prompt[]; readonly unsent: readonly Prompt[] } {
    return this.#parts.chat.conversation?.made.agent ?? { waiting: [], unsent: [] };
  }

  #lastLine(width: number): string[] {
    const { chat, status } = this.#parts;
    if (chat.conversation === undefined) return [];
    const { model, gate, contextTokens } = chat.conversation.made;
    chat.counts.windowTokens = contextTokens;
    const facts = { mode: gate.mode, model: model.name, counts: chat.counts };
    return [...status.lines, footer(facts, width)];
  }
}

function yellowRows(text: string, width: number): string[] {
  return text === "" ? [] : wordWrap(text, width).map(yellow);
}
