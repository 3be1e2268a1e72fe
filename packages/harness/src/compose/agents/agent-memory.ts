/** The notes of sub-agents with `memory`: where they are, and what the sub-agent reads of them. */

import { closeSync, lstatSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentDefinition } from "@runahead/agent";
import type { LoadedSettings } from "../../settings/loaded.ts";
import type { Surroundings } from "../../surroundings.ts";

const MOST_LINES = 200;
const MOST_BYTES = 25_000;
const INDEX = "MEMORY.md";

/** The folder of the notes of a sub-agent with this name. */
export function memoryFolder(
  scope: "user" | "project" | "local",
  name: string,
  { home, root }: Pick<Surroundings, "home"> & Pick<LoadedSettings, "root">,
): string {
  const own = name.replaceAll(/[^\w.-]+/g, "-").replace(/^\.+/, "");
  if (scope === "user") return join(home, ".claude", "agent-memory", own);
  return join(root, ".claude", scope === "project" ? "agent-memory" : "agent-memory-local", own);
}

/** Adds what it noted before to the prompt, each time a sub-agent starts. */
export function withMemory(definition: AgentDefinition): AgentDefinition {
  const { memoryFolder: folder, prompt } = definition;
  if (folder === undefined) return definition;
  const path = join(folder, INDEX);
  const noted = beginning(path);
  const text = noted === "" ? `${path} does not exist yet.` : `The content of ${path}:\n${noted}`;
  return {
    ...definition,
    prompt: `${prompt}\n\n# Your notes\nYou keep notes for later sessions in ${folder}, which only you use. Note what will help next time, and correct what turned out to be wrong: in ${INDEX} short, in other files there what is longer. Only the first ${MOST_LINES} lines of ${INDEX} are shown to you at the start. Write them with Write and Edit.\n\n${text}`,
  };
}

function beginning(path: string): string {
  let file: number | undefined;
  try {
    // A repository could bring a link to a file that rules deny reading, or a pipe that never ends.
    const parts = [path, dirname(path), dirname(dirname(path))].map((part) => lstatSync(part));
    if (parts.some((part) => part.isSymbolicLink()) || parts[0]?.isFile() !== true) return "";
    file = openSync(path, "r");
    const buffer = Buffer.alloc(MOST_BYTES);
    const size = readSync(file, buffer, 0, MOST_BYTES, 0);
    return buffer.toString("utf8", 0, size).split("\n").slice(0, MOST_LINES).join("\n").trim();
  } catch {
    return "";
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
