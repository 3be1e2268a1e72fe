/** One settings file, read: its settings, or, where it cannot be read, what it last held. */

import { type Content, contentOf } from "./content.ts";
import { isShape } from "@runahead/base";
import { placeOf, repeatedKeys, valueOf } from "./json.ts";
import type { FileState, SettingsFile } from "./merge.ts";
import { parseJson } from "./parse.ts";
import type { Place } from "./place.ts";
import { type FileText, readText } from "./read.ts";
import { type Problem, isGuard } from "./setting.ts";

/** By path: the last version of a file that could be read. */
export type Memory = Map<string, { readonly text: string; readonly content: Content }>;

export interface ReadFile {
  readonly file: SettingsFile;
  readonly problems: readonly Problem[];
}

type Understood =
  | { readonly type: "content"; readonly content: Content }
  | Exclude<FileText, { type: "text" }>;

export async function readSettings(place: Place, trusted: boolean, memory: Memory): Promise<ReadFile> {
  const found = await understood(place, memory);
  if (found.type === "content") return fileOf(place, trusted, "read", found.content);
  const last = memory.get(place.path)?.content;
  if (found.type === "missing") {
    if (last === undefined) return fileOf(place, trusted, "missing", NOTHING);
    return fileOf(place, trusted, "deleted", deleted(place, last));
  }
  const state = last === undefined ? "unreadable" : "kept";
  const effect =
    last === undefined
      ? "Until it can be read, nothing is allowed without asking."
      : "What it last held stays in force.";
  const problem = problemOf(place, "error", `${found.why}. ${effect}`);
  return fileOf(place, trusted, state, told(last ?? NOTHING, problem));
}

const NOTHING: Content = { settings: [], problems: [] };

async function understood(place: Place, memory: Memory): Promise<Understood> {
  if (place.content.type === "value")
    return { type: "content", content: contentOf(place.path, place.content.value) };
  if (place.content.type === "text") return parsed(place, place.content.text, memory);
  const file = await readText(place.path);
  if (file.type === "text") return parsed(place, file.text, memory);
  const isWanted = file.type === "missing" && place.content.isExpected && !memory.has(place.path);
  return isWanted ? { type: "unreadable", why: "there is no such file" } : file;
}

function parsed(place: Place, text: string, memory: Memory): Understood {
  const known = memory.get(place.path);
  if (known?.text === text) return { type: "content", content: known.content };
  const json = parseJson(text);
  if (json.type === "broken") return { type: "unreadable", why: `it is not JSON: ${json.why}` };
  const value = valueOf(json.node);
  if (!isShape(value)) return { type: "unreadable", why: "expected an object, { … }" };
  const repeated = repeatedKeys(json.node).map(
    ({ key, at }) =>
      `${JSON.stringify(key)} stands there twice (again at ${placeOf(text, at)}); both are used`,
  );
  let content = contentOf(place.path, value);
  for (const words of repeated) content = told(content, problemOf(place, "warning", words));
  memory.set(place.path, { text, content });
  return { type: "content", content };
}

/** Grants end with their file (D04); what it forbade, and its hooks, do not. */
function deleted(place: Place, last: Content): Content {
  const kept = last.settings.filter(isGuard);
  const words =
    "it was deleted. What it forbade and its hooks stay in force until the agent is started again";
  return told({ settings: kept, problems: [] }, problemOf(place, "warning", words));
}

function told({ settings, problems }: Content, problem: Problem): Content {
  return { settings, problems: [...problems, problem] };
}

function problemOf({ path }: Place, severity: Problem["severity"], words: string): Problem {
  return { severity, path, key: "", message: `${path}: ${words}` };
}

function fileOf(place: Place, trusted: boolean, state: FileState, { settings, problems }: Content): ReadFile {
  const { level, name, path, root } = place;
  return { file: { level, name, path, root, trusted, state, settings }, problems };
}
