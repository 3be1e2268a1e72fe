/** `/add-dir`: adds a folder to the workspace for this session. */

import { wordsOf } from "../../shared/failure.ts";
import { oneLine } from "../../shared/words.ts";
import type { CommandPorts } from "./ports.ts";

export async function addDir({ addFolder, ask }: CommandPorts, words: string): Promise<string[]> {
  const path = words === "" ? await ask({ title: "Which folder?" }) : words;
  if (path === undefined || path.trim() === "") return ["No folder added."];
  try {
    const folder = await addFolder(path.replaceAll(/^(["'])(.*)\1$/g, "$2"));
    return [`Added ${oneLine(folder)} to the workspace for this session.`];
  } catch (error) {
    return [`No folder added: ${oneLine(wordsOf(error))}`];
  }
}
