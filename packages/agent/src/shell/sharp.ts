/** Arguments that run or remove something: a rule that ends in a wildcard does not cover them, an exact one does. */

import { baseName } from "./inner.ts";
import type { ShellWord } from "./script.ts";
import { sedEffect } from "./sed.ts";

/** They run whatever stands in their arguments. */
const RUNNERS = new Set(
  "watch setsid ionice flock chrt taskset setarch unshare nsenter strace ltrace script entr parallel".split(
    " ",
  ),
);

const FIND = /^-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls|files0-from)$/;
const FD = /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?(?:=.*)?)$/;
const GIT_SECTIONS =
  "alias|pager|difftool|mergetool|filter|diff|merge|gpg|credential|core|sequence|include|includeif|protocol|url|" +
  "http|remote|uploadpack|receive|interactive|man|browser|web|instaweb|sendemail|trailer|hook|init|ssh|submodule";
const GIT_CONFIG = new RegExp(`^(?:${GIT_SECTIONS})\\.`, "i");
const GIT_HARMLESS_CONFIG =
  /^(?:core\.(?:quotepath|autocrlf|abbrev|ignorecase|filemode|longpaths|bigfilethreshold)|diff\.(?:algorithm|renames|context|mnemonicprefix|noprefix|colormoved)|merge\.(?:conflictstyle|ff)|http\.(?:version|postbuffer))=/i;
const GIT_FLAG =
  /^--(?:exec-path|config-env|upload-pack|receive-pack|exec|extcmd|open-files-in-pager|ext-diff)(?:=|$)/;
const GIT_RUNS = new Map([
  ["rebase", /^-x/],
  ["grep", /^-[a-zA-Z]*O/],
  ["difftool", /^-x/],
  ["clone", /^(?:-u|-c|--config|--template)/],
  ["fetch", /^-u$/],
  ["submodule", /^foreach$/],
  ["bisect", /^run$/],
  ["filter-branch", /^/],
]);
const TAR =
  /^(?:--(?:to-command|checkpoint-action|use-compress-program|info-script|new-volume-script|rsh-command)(?:=|$)|-[a-zA-Z]*[IF]$)/;
const RIPGREP = /^--(?:pre|hostname-bin)(?:=|$)/;
const MAN = /^(?:-[PH]|--(?:pager|html|browser)(?:=|$))/;
const SORT = /^--comp/;
const LESS = /^\+|^-[kotTO]|^--(?:lesskey|log-file)/i;
const AWK = /\bsystem\s*\(|\|\s*&?\s*getline|\|&?\s*["$a-zA-Z]/;

type Check = (words: readonly ShellWord[]) => boolean;

const some =
  (pattern: RegExp): Check =>
  (words) =>
    words.some(({ value }) => pattern.test(value));

/** A word that is not known may be any option. */
const someOrUnknown =
  (pattern: RegExp): Check =>
  (words) =>
    words.some(
      ({ value, type, splits }) =>
        pattern.test(value) || splits || (type === "dynamic" && /^[$`]/.test(value)),
    );

const CHECKS = new Map<string, Check>([
  ["find", someOrUnknown(FIND)],
  ["fd", someOrUnknown(FD)],
  ["fdfind", someOrUnknown(FD)],
  ["git", git],
  ["tar", some(TAR)],
  ["rg", some(RIPGREP)],
  ["man", some(MAN)],
  ["sort", some(SORT)],
  ["less", some(LESS)],
  ["sed", sed],
  ["awk", awk],
  ["gawk", awk],
  ["mawk", awk],
]);

export function isSharp(words: readonly ShellWord[]): boolean {
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const name = baseName(first.value);
  return RUNNERS.has(name) || CHECKS.get(name)?.(rest) === true;
}

function git(words: readonly ShellWord[]): boolean {
  const values = words.map(({ value }) => value);
  if (values.some((value) => GIT_FLAG.test(value) || /^(?:ext|fd)::/.test(value))) return true;
  const isConfigured = values.some((value, at) => {
    const setting = value === "-c" ? values[at + 1] : /^-c(.+)$/s.exec(value)?.[1];
    return setting !== undefined && isSharpSetting(setting);
  });
  const runs = GIT_RUNS.get(values.find((value) => GIT_RUNS.has(value)) ?? "");
  return (
    (isConfigured && isBeforeSubcommand(values)) ||
    (runs !== undefined && values.some((value) => runs.test(value)))
  );
}

/** `git -c …`, and not `git commit -c …`. */
function isBeforeSubcommand(values: readonly string[]): boolean {
  return values[0]?.startsWith("-") === true;
}

function isSharpSetting(setting: string): boolean {
  return GIT_CONFIG.test(setting) && !GIT_HARMLESS_CONFIG.test(setting);
}

/** Every word that may be a script must be one that runs nothing. */
function sed(words: readonly ShellWord[]): boolean {
  const scripts = sedScripts(words);
  return scripts.some(({ value, type }) => type === "dynamic" || sedEffect(value).type === "unsafe");
}

export function sedScripts(words: readonly ShellWord[]): ShellWord[] {
  const given = words.flatMap((word, at): ShellWord[] => {
    const next = words[at + 1];
    if (/^(?:-[nErsuzi]*e|--expression)$/.test(word.value)) return next === undefined ? [] : [next];
    const attached = /^(?:-[nErsuz]*e|--expression=)(.+)$/s.exec(word.value)?.[1];
    return attached === undefined ? [] : [{ ...word, value: attached }];
  });
  const isFile = words.some(({ value }) => /^(?:-[nErsuz]*f|--file)/.test(value));
  if (given.length > 0 || isFile) return given;
  const first = words.find(({ value }) => !value.startsWith("-"));
  return first === undefined ? [] : [first];
}

function awk(words: readonly ShellWord[]): boolean {
  const program = words.find(
    ({ value }, at) => !value.startsWith("-") && !/^-[Fvf]$/.test(words[at - 1]?.value ?? ""),
  );
  // A bar in a pattern or between two others is no pipe.
  const text = (program?.value ?? "").replaceAll("||", "").replaceAll(/\/(?:[^/\\\n]|\\.)*\//g, "");
  return AWK.test(text);
}
