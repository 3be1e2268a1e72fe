/** The Anthropic SDK's tool runner, starting each tool when the model has moved on from its call. */

import { toolRunner } from "./anthropic.mjs";

export const prepare = (options) => toolRunner(options, { runToolsEagerly: true });
