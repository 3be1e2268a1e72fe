/** Reads one settings file. If it cannot be read, its last valid content is used. */

import { type Content, contentOf } from "./content.ts";
import { isShape } from "@runahead/base";
import { placeOf, repeatedKeys, valueOf } from "./json.ts";
import type { FileState, SettingsFile } from "./merge.ts";
import { parseJson } from "./parse.ts";
import type { Place } from "./place.ts";
import { type FileText, readText } from "./read.ts";
import { type Problem, isGuard } from "./setting.ts";

/** The last valid version of each file, by path. */
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
      ? "Until it can be read, no allow rule applies."
      : "Its last valid content still applies.";
  const problem = problemOf(place, "error", `${found.why}. ${effect}`);
  return fileOf(place, trusted, state, withProblem(last ?? NOTHING, problem));
}

const NOTHING: Content = { settings: [], problems: [] };

async function understood(place: Place, memory: Memory): Promise<Understood> {
  if (place.content.type === "value")
    return { type: "content", content: contentOf(place.path, place.content.value) };
  if (place.content.type === "text") return parsed(place, place.content.text, memory);
  const file = await readText(place.path);
  if (file.type === "text") return parsed(place, file.text, memory);
  const isWanted = file.type === "missing" && place.content.isExpected && !memory.has(place.path);
  return isWanted ? { type: "unreadable", why: "the file does not exist" } : file;
}

function parsed(place: Place, text: string, memory: Memory): Understood {
  const known = memory.get(place.path);
  if (known?.text === text) return { type: "content", content: known.content };
  const json = parseJson(text);
  if (json.type === "broken") return { type: "unreadable", why: `invalid JSON at ${json.why}` };
  const value = valueOf(json.node);
  if (!isShape(value)) return { type: "unreadable", why: "expected an object, { … }" };
  const repeated = repeatedKeys(json.node).map(
    ({ key, at }) => `${JSON.stringify(key)} appears twice (again at ${placeOf(text, at)}); both are used`,
  );
  let content = contentOf(place.path, value);
  for (const words of repeated) content = withProblem(content, problemOf(place, "warning", words));
  memory.set(place.path, { text, content });
  return { type: "content", content };
}

/** Grants of a deleted file end (D04); its restrictions and hooks stay. */
function deleted(place: Place, last: Content): Content {
  const kept = last.settings.filter(isGuard);
  const words = "it was deleted. Its deny and ask rules and its hooks apply until Runahead is restarted";
  return withProblem({ settings: kept, problems: [] }, problemOf(place, "warning", words));
}

function withProblem({ settings, problems }: Content, problem: Problem): Content {
  return { settings, problems: [...problems, problem] };
}

function problemOf({ path }: Place, severity: Problem["severity"], words: string): Problem {
  return { severity, path, key: "", message: `${path}: ${words}` };
}

function fileOf(place: Place, trusted: boolean, state: FileState, { settings, problems }: Content): ReadFile {
  const { level, name, path, root } = place;
  return { file: { level, name, path, root, trusted, state, settings }, problems };
}
