/** The tools that work on files, with one memory of what was read. */

import type { AnyTool } from "@runahead/engine";
import { editTool } from "./edit.ts";
import { FileMemory } from "./file-memory.ts";
import { globTool } from "../search/glob.ts";
import { grepTool } from "../search/grep.ts";
import { notebookEditTool } from "../notebook/notebook-edit.ts";
import { readTool } from "./read.ts";
import type { MayShow } from "../search/shown-files.ts";
import { writeTool } from "./write.ts";

export interface FileToolsOptions {
  /** Files that searches may show: all where absent. */
  readonly mayShow?: MayShow;
}

/** For one agent: a sub-agent gets its own, since what another has read it has not seen. */
export function fileTools(
  memory: FileMemory = new FileMemory(),
  { mayShow }: FileToolsOptions = {},
): AnyTool[] {
  return [
    readTool(memory),
    writeTool(memory),
    editTool(memory),
    notebookEditTool(memory),
    globTool(mayShow),
    grepTool(mayShow),
  ] as AnyTool[];
}
