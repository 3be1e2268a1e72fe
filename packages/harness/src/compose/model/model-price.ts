/** The price of a model, for estimates while a response streams. */

import { factsOf } from "@runahead/agent/internal";

/** In US dollars per million tokens; undefined if it is not known. */
export function priceOf(model: Parameters<typeof factsOf>[0]): ReturnType<typeof factsOf>["price"] {
  return factsOf(model).price;
}
