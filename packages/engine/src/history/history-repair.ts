/**
 * Turns any history into one that the Messages API accepts. Valid messages, and all thinking blocks, are returned as
 * the same objects.
 */

import {
  type Block,
  blocksOf,
  hasUnfinishedServerCall,
  type HistoryMessage,
  isBlock,
  isCall,
  isResult,
  checkMessages,
} from "./history-block.ts";
import { FreshIds, RecordedResults } from "./history-records.ts";
import { cleanMessage, dropEmpty, type Entry, withBlocks } from "./history-clean.ts";
import { stringOf } from "../wire/shape.ts";

/** Holds a history that the Messages API accepts, and what was repaired. */
export interface RepairedHistory<Message> {
  /** The repaired history. Messages that were valid are the same objects. */
  readonly messages: Message[];
  /** What was repaired, one sentence each. Empty if the history was valid. */
  readonly repairs: readonly string[];
}

const NO_RESULT = "Outcome unknown: no result of this call was recorded. It may have run.";
const NO_BEGINNING = "(The beginning of this conversation was not recorded.)";

/**
 * Turns any history into one that the Messages API accepts: every call gets one result in the next message, and what
 * the API would reject is removed. Changes nothing if {@link checkHistory} finds nothing. Thinking blocks stay
 * unchanged. Does not modify its argument.
 *
 * @example
 * ```ts
 * import { type HistoryMessage, repairHistory } from "@runahead/engine/history";
 *
 * const saved: HistoryMessage[] = [
 *   { role: "user", content: "Read a.ts." },
 *   { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "Read", input: {} }] },
 * ];
 * const { messages, repairs } = repairHistory(saved);
 * console.log(messages.length, repairs); // 3, and one sentence on the missing result
 * ```
 */
export function repairHistory<Message extends HistoryMessage>(
  messages: readonly Message[],
): RepairedHistory<Message>;
export function repairHistory(messages: readonly HistoryMessage[]): RepairedHistory<HistoryMessage> {
  checkMessages(messages, "repairHistory");
  const repairs: string[] = [];
  const cleaned = messages.map((message, index) => cleanMessage({ message, index }, repairs));
  const pairing = new Pairing(dropEmpty(cleaned, repairs), repairs);
  const paired = dropEmpty(pairing.run(), repairs).map((entry) => entry.message);
  if (paired[0]?.role === "assistant") {
    repairs.push("the first message was not a user message, so one was inserted before it");
    paired.unshift({ role: "user", content: NO_BEGINNING });
  }
  return { messages: paired, repairs };
}

/** A run of assistant messages and the following run of user messages with their results. */
interface Round {
  readonly assistants: Entry[];
  readonly users: Entry[];
}

/** An assistant message with unique call ids, and one result for each of its calls. */
interface Answered {
  readonly entry: Entry;
  readonly results: readonly Block[];
}

class Pairing {
  readonly #entries: readonly Entry[];
  readonly #repairs: string[];
  readonly #ids: FreshIds;
  readonly #callIds = new Set<string>();

  constructor(entries: readonly Entry[], repairs: string[]) {
    this.#entries = entries;
    this.#repairs = repairs;
    this.#ids = new FreshIds(entries);
  }

  run(): Entry[] {
    return roundsOf(this.#entries).flatMap((round) => this.#pair(round));
  }

  #pair({ assistants, users }: Round): Entry[] {
    const repairsBefore = this.#repairs.length;
    const recorded = new RecordedResults(users);
    const answered = assistants.map((entry) => this.#answer(entry, recorded));
    for (const { id, index } of recorded.unused()) {
      this.#note(index, `a result for ${id} was removed: no call with that id is missing a result`);
    }
    const last = answered.pop();
    const earlier = answered.flatMap(({ entry, results }) => [entry, ...userEntry(results, entry.index)]);
    const following = this.#following(last, users);
    const isSame =
      following.length === users.length &&
      following.every(({ message }, at) => message === users[at]?.message);
    if (!isSame && this.#repairs.length === repairsBefore) {
      this.#note(
        following[0]?.index ?? users[0]?.index,
        "results were moved to the start of the message, in the order of their calls",
      );
    }
    return [...earlier, ...(last === undefined ? [] : [last.entry]), ...following];
  }

  #answer({ message, index }: Entry, recorded: RecordedResults): Answered {
    const results: Block[] = [];
    const blocks = blocksOf(message)
      .filter(isBlock)
      .map((block) => {
        if (!isCall(block)) return block;
        const call = this.#withUniqueId(block, index);
        results.push(this.#resultFor(call, recorded.take(stringOf(block["id"])), index));
        return call;
      });
    const isText = typeof message.content === "string";
    return { entry: { message: isText ? message : withBlocks(message, blocks), index }, results };
  }

  #withUniqueId(call: Block, index: number): Block {
    const id = stringOf(call["id"]);
    if (id !== "" && !this.#callIds.has(id)) {
      this.#callIds.add(id);
      return call;
    }
    const fresh = this.#ids.next(id === "" ? "call" : id);
    this.#note(index, `the call id "${id}" was not unique, so one call became ${fresh}`);
    this.#callIds.add(fresh);
    return { ...call, id: fresh };
  }

  #resultFor(call: Block, found: Block | undefined, index: number): Block {
    const id = stringOf(call["id"]);
    if (found !== undefined) return found["tool_use_id"] === id ? found : { ...found, tool_use_id: id };
    this.#note(index, `call ${id} had no result, so one that says so was inserted`);
    return { type: "tool_result", tool_use_id: id, content: NO_RESULT, is_error: true };
  }

  /** The user messages after the last assistant message of a round: its results come first, and no others are kept. */
  #following(last: Answered | undefined, users: readonly Entry[]): Entry[] {
    const [first, ...others] = users;
    const following = others.map(withoutResults);
    if (first === undefined) return last === undefined ? [] : userEntry(last.results, last.entry.index);
    if (last === undefined || last.results.length === 0) return [withoutResults(first), ...following];
    const { entry, results } = last;
    const rest = otherBlocks(first.message);
    if (rest.length > 0 && hasUnfinishedServerCall(entry.message)) {
      this.#note(first.index, "split, because only results can follow an unfinished server tool");
      return [...userEntry(results, first.index), withoutResults(first), ...following];
    }
    return [{ message: withBlocks(first.message, [...results, ...rest]), index: first.index }, ...following];
  }

  #note(index: number | undefined, text: string): void {
    this.#repairs.push(`message ${index ?? 0}: ${text}`);
  }
}

function roundsOf(entries: readonly Entry[]): Round[] {
  const rounds: Round[] = [];
  let round: Round = { assistants: [], users: [] };
  for (const entry of entries) {
    const isAssistant = entry.message.role === "assistant";
    if (rounds.length === 0 || (isAssistant && round.users.length > 0)) {
      round = { assistants: [], users: [] };
      rounds.push(round);
    }
    (isAssistant ? round.assistants : round.users).push(entry);
  }
  return rounds;
}

function userEntry(results: readonly Block[], index: number): Entry[] {
  return results.length === 0 ? [] : [{ message: { role: "user", content: results }, index }];
}

function otherBlocks(message: HistoryMessage): Block[] {
  return blocksOf(message).filter((block): block is Block => isBlock(block) && !isResult(block));
}

function withoutResults(entry: Entry): Entry {
  const { message, index } = entry;
  return typeof message.content === "string"
    ? entry
    : { message: withBlocks(message, otherBlocks(message)), index };
}
