/** A question that can also be withdrawn by another signal. */

import type { PersonQuestion } from "@runahead/harness";

/** The other members are those of the question at any time: the number of questions that wait changes. */
export function withSignal(question: PersonQuestion, signal: AbortSignal): PersonQuestion {
  return Object.create(question, { signal: { value: signal, enumerable: true } }) as PersonQuestion;
}
