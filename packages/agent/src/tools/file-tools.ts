/** The tools that work on files, with one memory of what was read. */

import type { AnyTool } from "@runahead/engine";
import { editTool } from "./edit.ts";
import { FileMemory } from "./file-memory.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { notebookEditTool } from "./notebook-edit.ts";
import { readTool } from "./read.ts";
import { writeTool } from "./write.ts";

/** For one agent: a sub-agent gets its own, since what another has read it has not seen. */
export function fileTools(memory: FileMemory = new FileMemory()): AnyTool[] {
  return [
    readTool(memory),
    writeTool(memory),
    editTool(memory),
    notebookEditTool(memory),
    globTool(),
    grepTool(),
  ] as AnyTool[];
}
