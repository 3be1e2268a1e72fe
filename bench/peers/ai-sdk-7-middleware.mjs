/** AI SDK 7 with its tools wrapped by `early` and its model by the middleware, which hears every chunk. */

import { earlyMiddleware } from "@runahead/adapters/ai-sdk";
import { wrapLanguageModel } from "ai";
import { wrapped } from "./ai-sdk-7-early.mjs";
import { streaming } from "./ai-sdk-7.mjs";

export function prepare(options) {
  return streaming(options, wrapped(options), (model, tools) =>
    wrapLanguageModel({ model, middleware: earlyMiddleware(tools) }),
  );
}
