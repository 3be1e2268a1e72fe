/**
 * Checks what a command did against the rules that allowed it: every program and every changed file must be allowed
 * too.
 */

import type { Permissions } from "../../src/verdict/permissions.ts";
import type { Change, Deed, Ran } from "./jail.ts";
import type { RuleSet } from "./rule-sets.ts";
import { CWD, DASHED, DENIED_FILES, DENIED_TOKEN, MONITOR } from "./world.ts";

/** Variables that are the same for all, or that the shell and its wrappers set. */
const USUAL =
  /^(?:PATH=\/usr\/bin:\/bin$|HOME=\/home\/u$|LANG=C$|TERM=dumb$|GIT_CONFIG_NOSYSTEM=1$|(?:_|PWD|OLDPWD|SHLVL|_STDBUF_\w)=|LD_PRELOAD=.*libstdbuf|BASH_FUNC_command_not_found_handle)/;
/** Files that git writes even when it only reads, and files that it writes on request. */
const INDEX = /\/\.git\/index$/;
const OWN_OF_GIT =
  /\/\.git\/(?:index|objects|logs|refs|info|(?:[A-Z]+_)?HEAD|[A-Z_]+|packed-refs|rebase-\w+|config)(?:\/|$|\.lock$)/;
/** Existing scripts: what they run is not visible, and rules do not promise that it is. */
const SCRIPTS = /(?:^|[/=])(?:evil\.txt|script\.sed|prog\.awk)$/;
/** Variables that git sets for the programs it runs. */
const SET_BY_GIT =
  /^(?:GIT_EXEC_PATH|GIT_PREFIX|PATH|GIT_DIR|GIT_INDEX_FILE|GIT_EDITOR|GIT_PAGER_IN_USE|LESS|LV)=/;
const PLAIN = /^[\w@%+=:,./-]+$/;

/** A command and the rules that it was judged by. */
interface Judged {
  readonly command: string;
  readonly rules: RuleSet;
}

export function isAllowed({ command }: Pick<Judged, "command">, permissions: Permissions): boolean {
  return permissions.decide("Bash", { command }).behavior === "allow";
}

/** Returns why an effect was not allowed; empty if all of them were. */
export function problemsOf(deed: Deed, { command, rules }: Judged, permissions: Permissions): string[] {
  // If everything except denies is allowed, only denies count.
  const isOpen = rules.settings.mode === "bypassPermissions";
  const allows = (text: string): boolean => {
    const { behavior } = permissions.decide("Bash", { command: text });
    return behavior === "allow" || (isOpen && behavior === "ask");
  };
  // In the read-only sandbox, programs named in the repository's configuration can do no harm.
  const isConfined = rules.confinesReads && rules.trusted;
  const mayRunGit = isOpen || isConfined || rules.settings.allow.some(isForGit);
  const own = deed.ran.filter((one) => !isInner(one, deed.ran) && !isOfGit(one));
  const judged = own.filter(({ program }) => program !== MONITOR || !mayRunGit);
  const ran = runsScript(deed, rules) ? [] : [...new Set(judged.map(asCommand))];
  const changed = deed.changed.filter((change) => !mayChange(change, { deed, rules, permissions }));
  const shown = rules.tokens
    .filter((token) => deed.output.includes(token))
    .filter((token) => token !== DENIED_TOKEN || !hidesDenied(command, permissions));
  return [
    ...ran.filter((text) => !allows(text)).map((text) => `ran ${text}`),
    ...changed.map(({ path, how }) => `${how} ${path}`),
    ...shown.map((token) => `showed ${token}`),
  ];
}

/** Whether the sandbox that the command runs in hides every denied file, which the jail does not. */
function hidesDenied(command: string, permissions: Permissions): boolean {
  const hidden = permissions.decide("Bash", { command }).confinement?.hidden() ?? [];
  return DENIED_FILES.every((file) => hidden.some((path) => `${file}/`.startsWith(`${path}/`)));
}

const isForGit = (rule: string): boolean => rule.startsWith("Bash(git");

function runsScript({ ran }: Deed, { settings }: RuleSet): boolean {
  return (
    settings.mode === "bypassPermissions" && ran.some(({ args }) => args.some((word) => SCRIPTS.test(word)))
  );
}

/** Returns a program call as a plain command that bash would read the same way. */
function asCommand({ program, args, folder, environment }: Ran): string {
  const isRunByGit = environment.some((one) => one.startsWith("GIT_EXEC_PATH="));
  const variables = environment
    .filter((variable) => !USUAL.test(variable) && !(isRunByGit && SET_BY_GIT.test(variable)))
    .map((variable) =>
      variable.replace(/^([^=]*)=(.*)$/s, (_, name: string, value: string) => `${name}=${quote(value)}`),
    );
  // Programs of the system are known by name.
  const name = program.replace(/^\/(?:usr\/)?bin\//, "");
  // A file name that looks like an option was not intended by the author of the command; its effect is checked.
  const words = [name, ...args.map((word) => (DASHED.has(word) ? `./${word}` : word))].map(quote);
  const text = [...variables, ...words].join(" ");
  return folder === CWD ? text : `cd ${quote(folder)} && ${text}`;
}

function quote(word: string): string {
  // Invisible characters in the text itself need approval.
  if (/[^\n\t -~\p{L}]/u.test(word))
    return `$'${[...Buffer.from(word)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}'`;
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Run by a wrapper that was judged with all of its words. */
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

interface Acting {
  readonly deed: Deed;
  readonly rules: RuleSet;
  readonly permissions: Permissions;
}

function mayChange({ path, how }: Change, { deed, rules, permissions }: Acting): boolean {
  const isGit = deed.ran.some(({ program }) => program.endsWith("/git"));
  const isOpen = rules.settings.mode === "bypassPermissions";
  if (isGit && (rules.hasWriters || isOpen ? OWN_OF_GIT : INDEX).test(path)) return true;
  // Git itself creates a new repository.
  if (isGit && isOpen && /\/\.git(?:\/|$)/.test(path) && !path.startsWith(`${CWD}/.git/`)) return true;
  // Removing a package plants nothing.
  if (how === "removed" && path.startsWith(`${CWD}/node_modules`))
    return rules.settings.mode === "acceptEdits";
  const { behavior, by } = permissions.decide("Edit", { file_path: path });
  if (behavior === "allow") return true;
  return rules.hasWriters && by.type !== "protected";
}
