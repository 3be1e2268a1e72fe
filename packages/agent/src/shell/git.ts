/** Whether git is told to run something: by an option, by a setting, or by a command that is for that. */

import { hasSharp, isUnknown, maySay, type SharpOptions, sharp } from "./options.ts";
import type { ShellWord } from "./script.ts";

/** Options before the subcommand that take the next word. */
const TAKES = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source|list-cmds))$/;
const SECTIONS =
  "alias|pager|difftool|mergetool|filter|diff|merge|gpg|credential|core|sequence|include|includeif|protocol|url|" +
  "http|remote|uploadpack|receive|interactive|man|browser|web|instaweb|sendemail|trailer|hook|init|ssh|submodule";
const SETTING = new RegExp(`^(?:${SECTIONS})\\.`, "i");
const HARMLESS_SETTING =
  /^(?:core\.(?:quotepath|autocrlf|abbrev|ignorecase|filemode|longpaths|bigfilethreshold)|diff\.(?:algorithm|renames|context|mnemonicprefix|noprefix|colormoved)|merge\.(?:conflictstyle|ff)|http\.(?:version|postbuffer))=/i;
/** Of any subcommand. */
const ANYWHERE = ["upload-pack", "receive-pack", "exec", "extcmd", "open-files-in-pager", "ext-diff"];

const RUNS = new Map<string, SharpOptions>([
  ["rebase", sharp("x", "", "exec")],
  ["grep", sharp("O", "efABCm", "open-files-in-pager")],
  ["difftool", sharp("x", "t", "extcmd")],
  ["clone", sharp("uc", "boj", "upload-pack config template")],
  ["init", sharp("", "b", "template")],
  ...["fetch", "pull", "push", "ls-remote", "fetch-pack", "send-pack", "archive", "remote", "bundle"].map(
    (name): [string, SharpOptions] => [name, sharp("", "", "upload-pack receive-pack exec")],
  ),
  // These write a file that they are told, and may show changes by a program.
  ...["diff", "log", "show", "format-patch", "diff-tree", "diff-index", "diff-files", "range-diff"].map(
    (name): [string, SharpOptions] => [name, sharp("", "", "ext-diff")],
  ),
  ...["shortlog", "whatchanged", "reflog", "stash", "config", "submodule", "bisect"].map(
    (name): [string, SharpOptions] => [name, sharp("", "", "ext-diff")],
  ),
]);
/** They run whatever they are told, or a server. */
const RUNNERS = new Set(
  (
    "filter-branch instaweb daemon web--browse send-email remote-ext remote-fd cvsserver shell upload-archive " +
    "for-each-repo hook mergetool p4 svn"
  ).split(" "),
);
const RUN_WORDS = new Map([
  ["submodule", "foreach"],
  ["bisect", "run"],
]);

export function isSharpGit(words: readonly ShellWord[]): boolean {
  const at = subcommandAt(words);
  const before = words.slice(0, at);
  const [name, ...after] = words.slice(at);
  if (before.some(isUnknown) || (name !== undefined && name.type !== "static")) return true;
  if (before.some(({ value }) => /^--(?:exec-path=|config-env)/.test(value))) return true;
  if (settings(before).some(isSharpSetting) || words.some(({ value }) => /^(?:ext|fd)::/.test(value)))
    return true;
  return name !== undefined && runs(name.value, after);
}

function subcommandAt(words: readonly ShellWord[]): number {
  let at = 0;
  for (; words[at]?.value.startsWith("-") === true; at++) if (TAKES.test(words[at]?.value ?? "")) at++;
  return Math.min(at, words.length);
}

function settings(words: readonly ShellWord[]): ShellWord[] {
  return words.flatMap((word, at): ShellWord[] => {
    const attached = /^-c(.+)$/s.exec(word.value)?.[1];
    const next = words[at + 1];
    if (attached !== undefined) return [{ ...word, value: attached }];
    return word.value === "-c" && next !== undefined ? [next] : [];
  });
}

function isSharpSetting({ value, type }: ShellWord): boolean {
  if (type !== "static" && !/^[\w.-]+=/.test(value)) return true;
  return SETTING.test(value) && !HARMLESS_SETTING.test(value.includes("=") ? value : `${value}=`);
}

function runs(name: string, words: readonly ShellWord[]): boolean {
  const sharpOptions = RUNS.get(name);
  if (RUNNERS.has(name) || words.some(({ value }) => maySay(value, ANYWHERE))) return true;
  if (words.some(({ value }) => value === RUN_WORDS.get(name))) return true;
  if (name === "config" && setsSharply(words)) return true;
  return sharpOptions !== undefined && hasSharp(words, sharpOptions);
}

/** `git config alias.x '!program'` is run by the next command. */
function setsSharply(words: readonly ShellWord[]): boolean {
  const isQuery = words.some(({ value }) => /^(?:get|list|-l|--(?:get|list|unset|name-only).*)$/.test(value));
  const operands = words.filter(({ value }) => !value.startsWith("-"));
  return !isQuery && operands.length > 1 && operands.some(isSharpSetting);
}
