/** The user's prompts in a journal. Each is tied to its message, so that inserted or lost lines do not shift it. */

import type { HistoryMessage } from "@runahead/engine/history";
import { isShape, listOf, shapeOf } from "@runahead/base";
import type { Line, SavedPrompt } from "./entry.ts";

interface Place extends Omit<SavedPrompt, "messages"> {
  readonly message: HistoryMessage;
}

export class Prompts {
  #places: Place[] = [];

  /** Returns false if the line is malformed or its message is not a prompt. */
  add(line: Line, messages: readonly HistoryMessage[]): boolean {
    const { back } = line;
    const place = typeof back === "number" ? placeOf(line, messages.at(-back)) : undefined;
    if (place === undefined) return false;
    this.#places.push(place);
    return true;
  }

  /** A compaction repeats the prompts that it keeps. */
  replace(prompts: unknown, messages: readonly HistoryMessage[]): void {
    this.#places = listOf(prompts).flatMap((given) => {
      const shape = shapeOf(given);
      const { messages: at } = shape;
      return (typeof at === "number" ? placeOf(shape, messages[at]) : undefined) ?? [];
    });
  }

  /** Returns the number of remaining messages; undefined if there is no such prompt. */
  rewind(number: unknown, messages: readonly HistoryMessage[]): number | undefined {
    const at = this.#places.findIndex((place) => place.number === number);
    const left = messages.indexOf(this.#places[at]?.message as HistoryMessage);
    if (left < 0) return undefined;
    this.#places.length = at;
    return left;
  }

  /** Returns the prompts with their positions in the repaired messages. */
  in(messages: readonly HistoryMessage[], repaired: readonly HistoryMessage[]): SavedPrompt[] {
    return this.#places.flatMap(({ message, ...place }) => {
      const at = placeIn(repaired, messages, messages.indexOf(message));
      return at < 0 ? [] : [{ ...place, messages: at }];
    });
  }
}

/** Returns the index in `after` of the message at `at` in `before`; -1 if it was removed. */
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

/** Rewinding to any other message could separate a call from its result (G09). */
function isPrompt({ role, content }: HistoryMessage): boolean {
  const hasResult =
    Array.isArray(content) && content.some((block) => shapeOf(block)["type"] === "tool_result");
  return role === "user" && !hasResult;
}
