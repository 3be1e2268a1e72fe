/** AI SDK 7, unchanged, with its tools wrapped by `early` and its model by the middleware. */

import { early, earlyMiddleware } from "@runahead/adapters/ai-sdk";
import { wrapLanguageModel } from "ai";
import { streaming } from "./ai-sdk-7.mjs";
import { ACCESS } from "./runahead.mjs";

export function prepare(options) {
  const { trace, tools: given } = options;
  const declare = Object.fromEntries(
    given.map(({ name, access }) => [name, { isReadOnly: () => access === "read", access: ACCESS[access] }]),
  );
  return streaming(
    options,
    (tools) => early(tools, { declare, limit: trace.limit ?? 10 }),
    (model, tools) => wrapLanguageModel({ model, middleware: earlyMiddleware(tools) }),
  );
}
