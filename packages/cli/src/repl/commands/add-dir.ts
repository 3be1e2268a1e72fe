/** `/add-dir`: adds a folder to the workspace for this session. */

import { wordsOf } from "../../shared/failure.ts";
import { oneLine } from "../../shared/words.ts";
import type { CommandPorts } from "./ports.ts";

export async function addDir({ made, ask }: CommandPorts, words: string): Promise<string[]> {
  const path = words === "" ? await ask({ title: "Which folder?" }) : words;
  if (path === undefined || path.trim() === "") return ["No folder added."];
  try {
    const folder = await made().addFolder(path.replaceAll(/^(["'])(.*)\1$/g, "$2"), "slash_command");
    return [`Added ${oneLine(folder)} to the workspace for this session.`];
  } catch (error) {
    return [`No folder added: ${oneLine(wordsOf(error))}`];
  }
}
