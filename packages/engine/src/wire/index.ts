/** For adapters to other APIs and loops: tool definitions, message blocks, complete calls. */

export { BlockBuilder } from "./blocks.ts";
export type { Block, ToolDefinition } from "./message.ts";
export { OutputIndexes } from "./output-indexes.ts";
export { isTooDeep, wellFormed } from "./sendable.ts";
export { type WholeCall, WholeCalls } from "./whole-calls.ts";
