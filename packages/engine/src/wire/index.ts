/** For adapters to other APIs and loops: tool definitions, message blocks, complete calls. */

export { createAnthropicReader } from "./anthropic.ts";
export { BlockBuilder } from "./blocks.ts";
export type { Block, ToolDefinition } from "./message.ts";
export { createOpenAiReader } from "./openai.ts";
export { OutputIndexes } from "./output-indexes.ts";
export { isTooDeep, wellFormed } from "./sendable.ts";
export type { CallReader } from "./tap.ts";
export { type WholeCall, WholeCalls } from "./whole-calls.ts";
