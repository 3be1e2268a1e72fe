/** The tools that work on files, with one memory of what was read. */

import { checkOptions } from "@runahead/base";
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
export function fileTools(memory: FileMemory = new FileMemory(), options: FileToolsOptions = {}): AnyTool[] {
  if (!(memory instanceof FileMemory))
    throw new TypeError(
      "fileTools: the first argument must be a FileMemory; options are the second argument.",
    );
  checkOptions(options, { mayShow: "function" }, "fileTools");
  const { mayShow } = options;
  return [
    readTool(memory),
    writeTool(memory),
    editTool(memory),
    notebookEditTool(memory),
    globTool(mayShow),
    grepTool(mayShow),
  ] as AnyTool[];
}
