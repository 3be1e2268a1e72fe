/** Makes the file tools, which share one memory of what was read. */

import { checkOptions, aFunction, aString, anObject } from "@runahead/base";
import type { AnyTool } from "@runahead/engine";
import { editTool } from "./edit.ts";
import type { EditorFiles } from "./editor-files.ts";
import { createFileMemory, FileMemory, type Writing } from "./file-memory.ts";
import type { LanguageServers } from "../lsp/language-servers.ts";
import { globTool } from "../search/glob.ts";
import { grepTool } from "../search/grep.ts";
import { notebookEditTool } from "../notebook/notebook-edit.ts";
import { readTool } from "./read.ts";
import type { MayShow } from "../search/shown-files.ts";
import { Temporaries } from "./temporaries.ts";
import { writeTool } from "./write.ts";

/** Options of `fileTools`. */
export interface FileToolsOptions {
  /** Returns whether searches can show a file, by its absolute path. Default: all files. */
  readonly mayShow?: MayShow;
  /**
   * Folder where the tools record temporary files, so that `reapOrphans` removes those that a killed process leaves in
   * the workspace. Default: they are not recorded.
   */
  readonly home?: string;
  /** The files of an editor: Read and Edit see its unsaved text, and Write and Edit write through it. Default: none. */
  readonly editor?: EditorFiles;
  /** Servers that check what Edit and Write have written; new diagnostics are part of the result. Default: none. */
  readonly languageServers?: Pick<LanguageServers, "written">;
}

/**
 * Makes Read, Write, Edit, NotebookEdit, Glob and Grep for one session. Its agents share the tools: what was read is
 * remembered for each agent, by the `agent` of the executor's context.
 *
 * @param memory Which files were read by whom. Default: a new, empty memory.
 * @throws {TypeError} if an option is unknown or has the wrong type.
 * @example
 * ```ts
 * const executor = new StreamingToolExecutor({ tools: fileTools(), context: { cwd: "/repo" } });
 * ```
 */
export function fileTools(
  memory: FileMemory = createFileMemory(),
  options: FileToolsOptions = {},
): AnyTool[] {
  if (!(memory instanceof FileMemory))
    throw new TypeError(
      "fileTools: the first argument must be a FileMemory; options are the second argument.",
    );
  checkOptions(
    options,
    { mayShow: aFunction, home: aString, languageServers: anObject, editor: anObject },
    "fileTools",
  );
  const { mayShow, home, languageServers, editor = {} } = options;
  const temporaries = home === undefined ? undefined : new Temporaries(home);
  const writing: Writing = {
    memory,
    editor,
    onTemporary: (path) => temporaries?.note(path),
    diagnose: async (path, text, { signal, context }) =>
      languageServers?.written({ path, text, agent: context.agent, signal }),
  };
  return [
    readTool(memory, editor),
    writeTool(writing),
    editTool(writing),
    notebookEditTool(writing),
    globTool(mayShow),
    grepTool(mayShow),
  ] as AnyTool[];
}
