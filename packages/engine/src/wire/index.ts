/** What adapters to other wires and loops build on: definitions of tools, blocks of messages, whole calls. */

export { BlockBuilder } from "./blocks.ts";
export type { Block, ToolDefinition } from "./message.ts";
export { OutputIndexes } from "./output-indexes.ts";
export { isTooDeep, wellFormed } from "./sendable.ts";
export { type WholeCall, WholeCalls } from "./whole-calls.ts";
