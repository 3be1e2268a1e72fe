/** Other ways to write the same command: paths of its program and its script, and names of a subcommand. */

import { posix } from "node:path";
import { baseName, isShell } from "../bash/inner.ts";
import { isInterpreter } from "../bash/runners.ts";
import type { ShellCommand, ShellWord } from "../bash/script.ts";
import { pathsOf } from "../paths/command-files.ts";
import { facesOf, isInside, type Workspace } from "../paths/paths.ts";

const MAX_SPELLINGS = 24;

const groups = (text: string): readonly (readonly string[])[] =>
  text.split("; ").map((line) => line.split(" "));

const NPM = groups(
  "install i in ins inst insta instal isnt isnta isntal isntall add; uninstall un unlink remove rm r; ci clean-install ic " +
    "install-clean isntall-clean; install-test it; update up upgrade udpate; test t tst; run run-script rum urn; exec x; " +
    "config c; link ln; list ls ll la; view v info show; publish pub; unpublish unpub; access; init create innit; search s " +
    "se find; owner author; dist-tag dist-tags; rebuild rb; dedupe ddp; deprecate; login adduser add-user; cache; version verison; " +
    "audit; pack; token; team; org; hook; set; restart; start; stop",
);
const DOCKER = groups(
  "run container-run; exec container-exec; rm container-rm; rmi image-rm; build image-build",
);
/** Names for the same subcommand. */
const SYNONYMS = new Map<string, readonly (readonly string[])[]>([
  ["npm", NPM],
  [
    "pnpm",
    groups(
      "install i; add; remove rm uninstall un; update up upgrade; test t; run run-script; link ln; list ls; exec",
    ),
  ],
  ["yarn", groups("install; add; remove; upgrade up; run; test")],
  ["bun", groups("install i; add a; remove rm; update; run r; test")],
  ["cargo", groups("build b; test t; run r; check c; doc d; remove rm; clean; install; publish")],
  ["docker", DOCKER],
  ["podman", DOCKER],
  ["brew", groups("uninstall remove rm; install; upgrade; list ls")],
  ["pip", groups("uninstall; install")],
]);

/** Returns the same command in other words, for rules that restrict it. */
export function spellingsOf(command: ShellCommand, workspace: Workspace): ShellWord[][] {
  const paths = pathSpellings(command, workspace);
  return [...paths, ...[command.words, ...paths].flatMap(synonymsOf)].slice(0, MAX_SPELLINGS);
}

function pathSpellings({ words, folders }: ShellCommand, workspace: Workspace): ShellWord[][] {
  const [first, second, ...rest] = words;
  if (first?.type !== "static") return [];
  const spelled = (word: ShellWord): ShellWord[] => writtenAs(word, folders, workspace);
  const programs = first.value.includes("/") ? spelled(first).map((one) => [one, ...words.slice(1)]) : [];
  const name = baseName(first.value);
  const runsScript = isShell(name) || isInterpreter(name) || name === "source" || name === ".";
  if (!runsScript || second?.type !== "static" || second.value.startsWith("-")) return programs;
  return [...programs, ...spelled(second).map((one) => [first, one, ...rest])];
}

/** The path of a file as rules name it: absolute, relative to the workspace or to the home folder. */
function writtenAs(
  word: ShellWord,
  folders: readonly string[] | undefined,
  workspace: Workspace,
): ShellWord[] {
  const { home, roots } = workspace;
  const faces = pathsOf(word, folders, workspace).flatMap((path) => facesOf(path, workspace));
  const texts = faces.flatMap((face) => {
    const below = roots.filter((root) => isInside(face, root)).map((root) => posix.relative(root, face));
    const atHome = isInside(face, home) ? [`~/${posix.relative(home, face)}`] : [];
    return [face, ...below.flatMap((path) => [path, `./${path}`]), ...atHome];
  });
  return [...new Set(texts)]
    .filter((text) => text !== word.value)
    .map((text) => ({ ...word, raw: text, value: text }));
}

function synonymsOf(words: readonly ShellWord[]): ShellWord[][] {
  const name = baseName(words[0]?.value ?? "");
  const known = SYNONYMS.get(name);
  const at = words.findIndex(
    ({ value, type }, place) => place > 0 && type === "static" && !value.startsWith("-"),
  );
  const word = words[at];
  if (known === undefined || word === undefined) return [];
  // `docker container run` means `docker run`.
  const isLong = known === DOCKER && /^(?:container|image)$/.test(word.value) && words[at + 1] !== undefined;
  const given = isLong ? `${word.value}-${words[at + 1]?.value ?? ""}` : word.value;
  const rest = words.slice(at + (isLong ? 2 : 1));
  const asWords = (text: string): ShellWord[] =>
    (known === DOCKER ? text.split("-") : [text]).map((part) => ({ ...word, raw: part, value: part }));
  return sameAs(given, known, name)
    .filter((one) => one !== given)
    .map((one) => [...words.slice(0, at), ...asWords(one), ...rest]);
}

/** npm accepts every beginning of a name that no other name has. */
function sameAs(given: string, known: readonly (readonly string[])[], name: string): readonly string[] {
  const exact = known.find((names) => names.includes(given));
  if (exact !== undefined || name !== "npm") return exact ?? [];
  const meant = known.filter((names) => names.some((one) => one.startsWith(given)));
  return meant.length === 1 ? (meant[0] ?? []) : [];
}
