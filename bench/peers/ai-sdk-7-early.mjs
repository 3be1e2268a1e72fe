/** AI SDK 7, unchanged, with its tools wrapped by `early`. */

import { early } from "@runahead/adapters/ai-sdk";
import { streaming } from "./ai-sdk-7.mjs";
import { ACCESS } from "./runahead.mjs";

/** The tools of the SDK, wrapped, with what each of them touches. */
export function wrapped({ trace, tools: given }) {
  const declare = Object.fromEntries(
    given.map(({ name, access }) => [name, { isReadOnly: () => access === "read", access: ACCESS[access] }]),
  );
  return (tools) => early(tools, { declare, limit: trace.limit ?? 10 });
}

export const prepare = (options) => streaming(options, wrapped(options));
