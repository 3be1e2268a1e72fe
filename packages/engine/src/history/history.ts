/** The one place that knows which histories the Messages API accepts. */

import {
  type Block,
  blocksOf,
  hasUnfinishedServerCall,
  type HistoryMessage,
  isBlock,
  isCall,
  isEmptyMessage,
  isEmptyText,
  isInput,
  isResult,
  isThinking,
  checkMessages,
} from "./history-block.ts";
import { stringOf } from "../wire/shape.ts";
import { isWellFormed } from "../runtime/well-formed.ts";

export type { HistoryBlock, HistoryMessage } from "./history-block.ts";
export { repairHistory, type RepairedHistory } from "./history-repair.ts";

/**
 * Names what is wrong with a history. `missing-result`, `orphan-result`, `duplicate-result` and `result-order` concern
 * the pairs of calls and results; `not-only-results` means that something else follows an unfinished server tool.
 */
export type HistoryProblemKind =
  | "first-message"
  | "bad-block"
  | "empty-message"
  | "empty-text"
  | "ill-formed-text"
  | "misplaced-call"
  | "call-id"
  | "call-input"
  | "missing-result"
  | "orphan-result"
  | "duplicate-result"
  | "result-order"
  | "not-only-results";

/** Describes one reason why the Messages API would reject a history. */
export interface HistoryProblem {
  /** What is wrong. */
  readonly kind: HistoryProblemKind;
  /** The index of the message. */
  readonly messageIndex: number;
  /** The id of the call, if it is about one. */
  readonly callId?: string;
  /** What is wrong, as text. */
  readonly message: string;
}

/**
 * Finds every reason why the Messages API would reject a history. Returns an empty list if it would accept it.
 *
 * @example
 * ```ts
 * import { checkHistory } from "@runahead/engine/history";
 *
 * const problems = checkHistory([{ role: "assistant", content: "Hello." }]);
 * console.log(problems.map(({ kind }) => kind)); // ["first-message"]
 * ```
 */
export function checkHistory(messages: readonly HistoryMessage[]): readonly HistoryProblem[] {
  checkMessages(messages, "checkHistory");
  const check = new HistoryCheck(messages);
  messages.forEach((message, index) => check.message(message, index));
  return check.problems;
}

class HistoryCheck {
  readonly problems: HistoryProblem[] = [];
  readonly #messages: readonly HistoryMessage[];
  readonly #callIds = new Set<string>();

  constructor(messages: readonly HistoryMessage[]) {
    this.#messages = messages;
  }

  message(message: HistoryMessage, index: number): void {
    if (index === 0 && message.role !== "user") {
      this.#found({
        kind: "first-message",
        messageIndex: index,
        message: "the first message is not a user message",
      });
    }
    const isLastOfAssistant = index === this.#messages.length - 1 && message.role === "assistant";
    if (isEmptyMessage(message)) {
      const problem = {
        kind: "empty-message",
        messageIndex: index,
        message: "a message has no content",
      } as const;
      if (!isLastOfAssistant) this.#found(problem);
      return this.#checkResults(message, index);
    }
    for (const block of blocksOf(message)) this.#checkBlock(block, message, index);
    this.#checkResults(message, index);
    if (message.role === "assistant") this.#checkAnswered(message, index);
  }

  #checkBlock(block: unknown, { role }: HistoryMessage, messageIndex: number): void {
    if (!isBlock(block))
      return this.#found({ kind: "bad-block", messageIndex, message: "a block has no type" });
    if (isThinking(block)) return;
    if (isEmptyText(block))
      this.#found({ kind: "empty-text", messageIndex, message: "a text block is empty" });
    if (!isWellFormed(block)) {
      this.#found({ kind: "ill-formed-text", messageIndex, message: "a string has an unpaired surrogate" });
    }
    if (isResult(block)) this.#checkContent(block, messageIndex);
    if (isCall(block)) this.#checkCall(block, role, messageIndex);
  }

  #checkCall(block: Block, role: string, messageIndex: number): void {
    const callId = stringOf(block["id"]);
    const found = { messageIndex, callId };
    if (role !== "assistant") {
      return this.#found({ ...found, kind: "misplaced-call", message: "a call is in a user message" });
    }
    if (callId === "" || this.#callIds.has(callId)) {
      this.#found({ ...found, kind: "call-id", message: `the call id "${callId}" is not unique` });
    }
    this.#callIds.add(callId);
    if (!isInput(block["input"])) {
      this.#found({ ...found, kind: "call-input", message: `the input of call ${callId} is not an object` });
    }
  }

  #checkContent(result: Block, messageIndex: number): void {
    const { content } = result;
    for (const block of Array.isArray(content) ? content : []) {
      if (!isBlock(block)) this.#found({ kind: "bad-block", messageIndex, message: "a block has no type" });
      if (isEmptyText(block))
        this.#found({ kind: "empty-text", messageIndex, message: "a text block is empty" });
    }
  }

  /** Compares the results in this message with the calls of the previous one. */
  #checkResults(message: HistoryMessage, messageIndex: number): void {
    const before = this.#messages[messageIndex - 1];
    const calls = message.role === "user" && before?.role === "assistant" ? callIdsOf(before) : [];
    const blocks = blocksOf(message);
    const answered = this.#answered(blocks, new Set(calls), messageIndex);
    for (const callId of calls) if (!answered.has(callId)) this.#missing(callId, messageIndex - 1);
    const inOrder = calls.filter((callId) => answered.has(callId));
    const isFirst = blocks.findLastIndex(isResult) < blocks.filter(isResult).length;
    if (!isFirst || [...answered].some((callId, place) => callId !== inOrder[place])) {
      this.#found({
        kind: "result-order",
        messageIndex,
        message: "results are not at the start of the message, in the order of the calls",
      });
    }
    if (before === undefined || calls.length === 0 || !hasUnfinishedServerCall(before)) return;
    if (blocks.every(isResult)) return;
    const text = "only results can follow an unfinished server tool";
    this.#found({ kind: "not-only-results", messageIndex, message: text });
  }

  #answered(blocks: readonly unknown[], calls: ReadonlySet<string>, messageIndex: number): Set<string> {
    const answered = new Set<string>();
    for (const block of blocks) {
      if (!isResult(block)) continue;
      const callId = stringOf(block["tool_use_id"]);
      const found = { messageIndex, callId };
      if (!calls.has(callId)) {
        this.#found({
          ...found,
          kind: "orphan-result",
          message: `no call ${callId} is in the message before`,
        });
      } else if (answered.has(callId)) {
        this.#found({ ...found, kind: "duplicate-result", message: `call ${callId} has two results` });
      } else {
        answered.add(callId);
      }
    }
    return answered;
  }

  #checkAnswered(message: HistoryMessage, index: number): void {
    if (this.#messages[index + 1]?.role === "user") return;
    for (const callId of callIdsOf(message)) this.#missing(callId, index);
  }

  #missing(callId: string, messageIndex: number): void {
    const message = `call ${callId} has no result in the next message`;
    this.#found({ kind: "missing-result", messageIndex, callId, message });
  }

  #found(problem: HistoryProblem): void {
    this.problems.push(problem);
  }
}

function callIdsOf(message: HistoryMessage): string[] {
  return blocksOf(message)
    .filter(isCall)
    .map((block) => stringOf(block["id"]));
}
