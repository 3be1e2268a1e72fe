/**
 * Tools that never run their arguments. Tools that copy or link files are not among them, because they can copy a
 * program to another name.
 */

import { baseName } from "./inner.ts";
import { hasSharp, isUnknown, sharp } from "./options.ts";
import { looking } from "./read-only.ts";
import type { ShellWord } from "./script.ts";
import { isSharp } from "./sharp.ts";

type Check = (words: readonly ShellWord[]) => boolean;

const always: Check = () => true;
/** None of the words is an option that names a program. */
const without =
  (letters: string, long: string): Check =>
  (words) =>
    !hasSharp(words, sharp(letters, "", long));
/** The first word that is not an option is one of these subcommands. */
const subcommand =
  (names: string, check: Check = always): Check =>
  (words) => {
    const first = words.find(({ value }) => !value.startsWith("-"));
    return first?.type === "static" && names.split(" ").includes(first.value) && check(words);
  };
const plainWords: Check = (words) =>
  words.every((word) => !isUnknown(word) && /^[\w./:@%+-]*$/.test(word.value));
/** A script from a file; the words after it belong to the script. */
const file: Check = ([first]) =>
  first?.type === "static" && /^[\w./-]+\.\w+$/.test(first.value) && !first.value.startsWith("-");

const NPM = subcommand(
  "install i ci add uninstall remove rm update upgrade test t run run-script start stop build publish pack version audit " +
    "outdated ls list view info why dedupe prune link login logout whoami search init",
  without("", "script-shell shell call node-options prefix globalconfig userconfig"),
);

const each = (names: string, check: Check): [string, Check][] =>
  names.split(" ").map((name) => [name, check]);

const CHECKS = new Map<string, Check>([
  ...each(
    "mkdir rmdir rm unlink touch chmod chown chgrp truncate tee mktemp ls dir cat tac rev nl head tail wc stat du df " +
      "grep egrep fgrep zgrep diff cmp comm cut paste tr seq basename dirname realpath readlink fold expand uniq join " +
      "md5sum sha1sum sha256sum sha512sum cksum base64 xxd od hexdump strings file sleep date cal whoami id uname " +
      "hostname which whereis type pwd cd pushd popd dirs true false : echo kill pkill pgrep ps top free uptime jq yq " +
      "tsc eslint prettier curl gzip gunzip bzip2 xz zcat unzip test [ read shift return exit break continue unset " +
      "exit printf apropos whatis look column tree fmt tput clear reset stty sync lsof",
    always,
  ),
  ...each("git tar sort rg find fd fdfind sed gsed awk gawk mawk nawk zip less man split bat", always),
  ...each("npm pnpm yarn", NPM),
  ...each("pip pip3", subcommand("install uninstall list show freeze download check")),
  [
    "cargo",
    subcommand(
      "build test check fmt clippy doc add remove rm update clean new init tree",
      without("", "config"),
    ),
  ],
  ["go", subcommand("build test vet fmt mod get list doc env clean", without("", "exec toolexec vettool"))],
  [
    "docker",
    subcommand(
      "rm rmi ps images image pull push tag inspect logs stop start kill build volume network login info",
    ),
  ],
  ["gh", subcommand("pr issue repo release run workflow auth search label gist api")],
  ["brew", subcommand("install uninstall remove rm list info search update upgrade")],
  ...each(
    "apt apt-get",
    subcommand("install remove purge update upgrade list show search", without("oc", "option config-file")),
  ),
  ...each("node python python3 ruby perl php tsx ts-node", file),
  ...each("make gmake", plainWords),
  ["wget", without("e", "execute use-askpass config")],
]);

/** Whether a command does not run its arguments, so any text in them is only text. */
export function isOrdinary(words: readonly ShellWord[]): boolean {
  const [first, ...rest] = words;
  if (first?.type !== "static") return false;
  if (looking(words, "confined") !== undefined) return true;
  const name = baseName(first.value);
  const check = CHECKS.get(name);
  return check?.(rest) === true && !isSharp(name === "git" ? [first, ...inThisFolder(rest)] : words);
}

/** The folder that git runs in does not change how it uses its arguments. */
function inThisFolder(words: readonly ShellWord[]): readonly ShellWord[] {
  return words[0]?.value === "-C" ? words.slice(2) : words;
}
