/** The person's prompts in a journal: each is known by its message, whatever is put in or lost before that. */

import type { HistoryMessage } from "@runahead/engine/history";
import { isShape, listOf, shapeOf } from "@runahead/base";
import type { Line, SavedPrompt } from "./entry.ts";

interface Place extends Omit<SavedPrompt, "messages"> {
  readonly message: HistoryMessage;
}

export class Prompts {
  #places: Place[] = [];

  /** False where it is not of the form that it should be, or its message is not a person's. */
  add(line: Line, messages: readonly HistoryMessage[]): boolean {
    const { back } = line;
    const place = typeof back === "number" ? placeOf(line, messages.at(-back)) : undefined;
    if (place === undefined) return false;
    this.#places.push(place);
    return true;
  }

  /** A compaction brings along those that it has left. */
  replace(prompts: unknown, messages: readonly HistoryMessage[]): void {
    this.#places = listOf(prompts).flatMap((given) => {
      const shape = shapeOf(given);
      const { messages: at } = shape;
      return (typeof at === "number" ? placeOf(shape, messages[at]) : undefined) ?? [];
    });
  }

  /** How many messages are left; undefined where there is no such prompt. */
  rewind(number: unknown, messages: readonly HistoryMessage[]): number | undefined {
    const at = this.#places.findIndex((place) => place.number === number);
    const left = messages.indexOf(this.#places[at]?.message as HistoryMessage);
    if (left < 0) return undefined;
    this.#places.length = at;
    return left;
  }

  /** As they stand in what has become of the messages. */
  in(messages: readonly HistoryMessage[], repaired: readonly HistoryMessage[]): SavedPrompt[] {
    return this.#places.flatMap(({ message, ...place }) => {
      const at = placeIn(repaired, messages, messages.indexOf(message));
      return at < 0 ? [] : [{ ...place, messages: at }];
    });
  }
}

/** Where the message of one list is in another that was made of it; -1 where it is not. */
export function placeIn<Message>(after: readonly Message[], before: readonly Message[], at: number): number {
  const message = before[at];
  if (message === undefined) return -1;
  return after.length === before.length ? at : after.indexOf(message);
}

function placeOf(
  line: Readonly<Record<string, unknown>>,
  message: HistoryMessage | undefined,
): Place | undefined {
  const { number, context, snapshot, said } = line;
  const isPlace =
    typeof number === "number" && isShape(context) && message !== undefined && isPrompt(message);
  if (!isPlace) return undefined;
  return {
    number,
    context,
    message,
    ...(typeof snapshot === "string" ? { snapshot } : {}),
    ...(typeof said === "string" ? { said } : {}),
  };
}

/** To go back to before anything else could part a call from its result (G09). */
function isPrompt({ role, content }: HistoryMessage): boolean {
  const hasResult = Array.isArray(content) && content.some(({ type }) => type === "tool_result");
  return role === "user" && !hasResult;
}
