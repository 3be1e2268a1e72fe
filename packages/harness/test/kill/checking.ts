/** What must be true of a session that was killed and resumed. */

import { type Fate } from "@runahead/engine";
import { type HistoryMessage, checkHistory } from "@runahead/engine/history";
import { isWriter, outputOf } from "./script.ts";

export interface Leftover {
  readonly sessionId: string | undefined;
  /** `opened`, `asked TURN`, `begin ID` and `end ID`, as they were written. */
  readonly effects: readonly string[];
  /** The lines of the journal, whole or not. */
  readonly journal: readonly string[];
}

export interface Resumed {
  readonly messages: readonly HistoryMessage[];
  readonly recovered: readonly Fate[];
}

const idsOf = (effects: readonly string[], word: string): string[] =>
  effects.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));

/** The calls that had begun and not ended. */
export function runningAt(effects: readonly string[]): string[] {
  const ended = new Set(idsOf(effects, "end"));
  return idsOf(effects, "begin").filter((id) => !ended.has(id));
}

/** The calls that ended before the same process sent their results to the model. */
function sentIn(effects: readonly string[]): string[] {
  const sent: string[] = [];
  let ended: string[] = [];
  for (const line of effects) {
    if (line.startsWith("end ")) ended.push(line.slice("end ".length));
    if (line.startsWith("asked ")) sent.push(...ended);
    if (!line.startsWith("begin ") && !line.startsWith("end ")) ended = [];
  }
  return sent;
}

/** The calls whose end is on record. */
function finishedIn(journal: readonly string[]): string[] {
  return journal.flatMap((line) => {
    try {
      const { type, event } = JSON.parse(line) as { type: string; event?: { type: string; id: string } };
      return type === "event" && event?.type === "call-finished" ? [event.id] : [];
    } catch {
      // Torn by the kill.
      return [];
    }
  });
}

interface ResultBlock {
  readonly type: string;
  readonly tool_use_id: string;
  readonly content: string;
}

function resultsIn(messages: readonly HistoryMessage[]): ResultBlock[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : (content as unknown as ResultBlock[]).filter(({ type }) => type === "tool_result"),
  );
}

export function checkResumed(before: Leftover, { messages }: Resumed): string[] {
  const problems = checkHistory(messages).map(({ message }) => `the history is refused: ${message}`);
  const results = new Map(resultsIn(messages).map((result) => [result.tool_use_id, result.content]));
  for (const id of [...finishedIn(before.journal), ...sentIn(before.effects)])
    if (results.get(id) !== outputOf(id)) problems.push(`${id}: its result is lost: ${results.get(id)}`);
  const begun = idsOf(before.effects, "begin").filter(isWriter);
  for (const id of new Set(begun)) {
    if (begun.filter((other) => other === id).length > 1) problems.push(`${id}: it ran twice`);
    const result = results.get(id);
    if (result === undefined) problems.push(`${id}: it ran, and no result says so`);
    else if (result !== outputOf(id) && !/unknown/i.test(result))
      problems.push(`${id}: it ran, and the result is: ${result}`);
  }
  return problems;
}
