/** For adapters to other APIs and loops: tool definitions, message blocks, complete calls. */

export { createAnthropicReader } from "./anthropic.ts";
export { type BlockBuilder, createBlockBuilder } from "./blocks.ts";
export { type Finish, finishOf } from "./finish.ts";
export type { Block, ToolDefinition } from "./message.ts";
export { createOpenAiReader } from "./openai.ts";
export { type OutputIndexes, createOutputIndexes } from "./output-indexes.ts";
export { isTooDeep, wellFormed } from "./sendable.ts";
export type { CallReader } from "./tap.ts";
export { type WholeCall, type WholeCalls, createWholeCalls } from "./whole-calls.ts";
