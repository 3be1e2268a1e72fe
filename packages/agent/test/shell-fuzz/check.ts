/** What a command did, against the rules that allowed it: every program and every changed file must be allowed, too. */

import type { Permissions } from "../../src/permission/permissions.ts";
import type { Change, Deed, Ran } from "./jail.ts";
import type { RuleSet } from "./rule-sets.ts";
import { CWD, DASHED } from "./world.ts";

/** Variables that are the same for all, or that the shell itself and its wrappers keep. */
const USUAL =
  /^(?:PATH=\/usr\/bin:\/bin$|HOME=\/home\/u$|LANG=C$|TERM=dumb$|GIT_CONFIG_NOSYSTEM=1$|(?:_|PWD|OLDPWD|SHLVL|_STDBUF_\w)=|LD_PRELOAD=.*libstdbuf|BASH_FUNC_command_not_found_handle)/;
/** What git writes even when it only looks, and what it writes when it is told to. */
const INDEX = /\/\.git\/index$/;
const OWN_OF_GIT =
  /\/\.git\/(?:index|objects|logs|refs|info|(?:[A-Z]+_)?HEAD|[A-Z_]+|packed-refs|rebase-\w+|config)(?:\/|$|\.lock$)/;
const RECURSIVE = /^-(?:[a-zA-Z]*[rR]|-(?:dereference-)?r)/;
const PLAIN = /^[\w@%+=:,./-]+$/;

/** Why what was done was not allowed; empty where all of it was. */
export function problemsOf(deed: Deed, rules: RuleSet, permissions: Permissions): string[] {
  const allows = (command: string): boolean => permissions.decide("Bash", { command }).behavior === "allow";
  const ran = [...new Set(deed.ran.filter((one) => !isInner(one, deed.ran) && !isOfGit(one)).map(asCommand))];
  const changed = deed.changed.filter((change) => !mayChange(change, { deed, rules, permissions }));
  // Which files are below a folder is not known before it is searched.
  const isSearch = deed.ran.some(
    ({ program, args }) => /\/(?:grep|diff)$/.test(program) && args.some((word) => RECURSIVE.test(word)),
  );
  const shown = isSearch ? [] : rules.tokens.filter((token) => deed.output.includes(token));
  return [
    ...ran.filter((command) => !allows(command)).map((command) => `ran ${command}`),
    ...changed.map(({ path, how }) => `${how} ${path}`),
    ...shown.map((token) => `showed ${token}`),
  ];
}

/** What was run, as a plain command that bash would read as just that. */
function asCommand({ program, args, folder, environment }: Ran): string {
  const variables = environment
    .filter((variable) => !USUAL.test(variable))
    .map((variable) =>
      variable.replace(/^([^=]*)=(.*)$/s, (_, name: string, value: string) => `${name}=${quote(value)}`),
    );
  // A program of the system is known by its name.
  const name = program.replace(/^\/(?:usr\/)?bin\//, "");
  // That a file's name looks like an option is no wish of whoever wrote the command; what comes of it is seen.
  const words = [name, ...args.map((word) => (DASHED.has(word) ? `./${word}` : word))].map(quote);
  const text = [...variables, ...words].join(" ");
  return folder === CWD ? text : `cd ${quote(folder)} && ${text}`;
}

function quote(word: string): string {
  // What is not to be seen is asked about when it stands in the text itself.
  if (/[^\n\t -~]/.test(word))
    return `$'${[...Buffer.from(word)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}'`;
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Run by a wrapper that was itself judged with all of its words. */
function isInner(one: Ran, all: readonly Ran[]): boolean {
  const words = [one.program.replace(/^\/(?:usr\/)?bin\//, ""), ...one.args];
  return all.some(
    (other) =>
      /^\/(?:usr\/)?bin\/(?:timeout|nice|nohup|stdbuf|time)$/.test(other.program) &&
      other.args.length > words.length - 1 &&
      words.every((word, at) => other.args.at(at - words.length) === word),
  );
}

/** Git runs git. */
function isOfGit({ program, environment }: Ran): boolean {
  return (
    /^\/(?:usr\/)?bin\/git$/.test(program) && environment.some((one) => one.startsWith("GIT_EXEC_PATH="))
  );
}

interface Judged {
  readonly deed: Deed;
  readonly rules: RuleSet;
  readonly permissions: Permissions;
}

function mayChange({ path, how }: Change, { deed, rules, permissions }: Judged): boolean {
  const isGit = deed.ran.some(({ program }) => program.endsWith("/git"));
  if (isGit && (rules.hasWriters ? OWN_OF_GIT : INDEX).test(path)) return true;
  // Taking a package away plants nothing.
  if (how === "removed" && path.startsWith(`${CWD}/node_modules`))
    return rules.settings.mode === "acceptEdits";
  const { behavior, by } = permissions.decide("Edit", { file_path: path });
  if (behavior === "allow") return true;
  return rules.hasWriters && by.type !== "protected";
}
