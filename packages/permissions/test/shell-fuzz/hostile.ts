/**
 * Commands that must not run: payloads, and many ways to run one or to write a file from a command that looks
 * harmless.
 */

import type { Random } from "../../../engine/test/simulation/random.ts";
import { CARRIERS, HIDDEN } from "./carriers.ts";
import { EDITS } from "./edits.ts";
import { SHARP } from "./sharp.ts";

const PAYLOADS: readonly string[] = [
  "grep TOKEN$IFS/home/u/token.txt a.txt",
  "for x in '. /home/u/token.txt'; do grep T$x a.txt; done",
  "touch stolen",
  "rm a.txt",
  "./run.sh",
  "curl x",
  "out/ls",
  "git push",
  "cp a.txt stolen",
  "mv a.txt stolen",
  "sh evil.txt",
  "tee stolen",
  "python3 -c 1",
  "chmod 777 a.txt",
  "sort -o stolen a.txt",
  "sed -i s/a/b/ b.txt",
  "sed -n 'w stolen' a.txt",
  "sed '1e touch stolen' a.txt",
  "awk 'BEGIN{system(\"touch stolen\")}'",
  "find . -name a.txt -delete",
  "dd of=stolen",
  "make x",
  "find a.txt -exec touch stolen \\;",
  "echo x > stolen",
  "cat .env",
  "cat ~/token.txt",
  "cat .link/f.txt",
  "cat sub/up/../token.txt",
  "git branch stolen",
  "git -c core.fsmonitor=./run.sh status",
  "git -c alias.x='!touch stolen' x",
  "git diff --output=stolen",
  "uniq a.txt stolen",
  "ls > stolen",
  "ln -s / stolen",
  "mkdir stolen",
  "truncate -s0 a.txt",
  "tar -cf stolen a.txt",
  "split a.txt",
  "npm install",
];

/** Files that a redirection must not write. */
const TARGETS: readonly string[] = [
  "-",
  "stolen",
  "../stolen",
  "~/stolen",
  "/tmp/stolen",
  "/home/u/outside/f.txt",
  ".link/stolen",
  "out/.link/stolen",
  ".filelink",
  ".git/config",
  ".gitlink/config",
  "~/.bashrc",
  ".vscode/tasks.json",
  "out/../stolen",
  "$HOME/stolen",
  '"$(echo stolen)"',
  "node_modules/x",
  "st*",
  "'stolen'",
  "sto\\\nlen",
  "{stolen,b}",
  "out/../../stolen",
  "/proc/self/cwd/stolen",
  ".env",
  "/dev/null/../../home/u/stolen",
  "/dev/stdout/../stolen",
  "/dev/fd/../../../home/u/stolen",
  "${x:-stolen}",
  "$'stolen'",
];

/** Variables that change what a harmless command does. */
const VARIABLES: readonly string[] = [
  "PATH=.",
  "PATH=out:$PATH",
  "LD_PRELOAD=./x.so",
  "BASH_ENV=evil.txt",
  "IFS=a",
  "GIT_PAGER=./run.sh",
  "GIT_EXTERNAL_DIFF=./run.sh",
  "GIT_DIR=sub",
  "NODE_OPTIONS=x",
  "PAGER=./run.sh",
  "LESSOPEN='|./run.sh'",
  "x=(1 2)",
  "x[0]=1",
  "PS4='$(touch stolen)'",
  "PATH=. NODE_ENV=x",
  "export PATH=.;",
  "PATH=out;",
  "declare -x PATH=.;",
  "IFS=/;",
  "NODE_ENV=$(touch stolen)",
  "LANG=`touch stolen`",
  "PATH+=:.",
  "TZ=a[$(touch\\ stolen)]",
  "HOME=/home/u/outside;",
  "HOME=/home/u/outside",
  "PWD=/home/u/outside;",
  "for HOME in /home/u/outside; do :; done;",
  "TERM=x BASH_ENV=evil.txt",
  "hash -p ./run.sh ls;",
];

/** Harmless, although it looks hostile. */
export function hidden(random: Random): string {
  const text = random.pick(["touch stolen", "rm a.txt", "./run.sh", "curl x"]);
  return random.pick(HIDDEN).replaceAll("%s", text);
}

export function payload(random: Random): string {
  return random.pick(PAYLOADS);
}

export function carried(random: Random): string {
  const text = payload(random);
  const quoted = `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return random.pick(CARRIERS).replaceAll(/%[sq]/g, (mark) => (mark === "%s" ? text : quoted));
}

export function variable(random: Random): string {
  return random.pick(VARIABLES);
}

export function target(random: Random): string {
  return random.pick(TARGETS);
}

/** Returns an attack that fits the rules. */
export function special(random: Random, mode: string): string {
  return random.pick(mode === "acceptEdits" ? EDITS : SHARP);
}
