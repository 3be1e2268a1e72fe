/** Parse the whole response, then run one call after the other: slow, and never wrong. */

import { loop } from "./handwritten.mjs";

async function oneByOne(calls, runOne) {
  const results = [];
  for (const call of calls) results.push(await runOne(call));
  return results;
}

export const prepare = (options) => loop(options, oneByOne);
