/** Runahead's code mode: a tool that runs scripts of the model, which call other tools. */

export { type CodeOutput, type CodeToolOptions, codeTool } from "./code-tool.ts";
export type { NestedSettings, ScriptEvent } from "./script-calls.ts";
export { toolTypes } from "./types.ts";
