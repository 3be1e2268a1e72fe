/** Classes of attacks that the judge once let through: a generator for each, so that new members of a class are found. */

import type { Random } from "../../../engine/test/simulation/random.ts";

/** The classes, by the rule sets in which they have an effect. */
export type AttackClass =
  | "arithmetic"
  | "decoding"
  | "configuration"
  | "optional values"
  | "links"
  | "read denies"
  | "deny evasion"
  | "wildcard rules";

const PAYLOADS = ["touch stolen", "rm a.txt", "./run.sh", "cp a.txt stolen"];

/** Bash evaluates the text that a variable holds, and runs what stands in a subscript. */
const HOLDERS = [
  "echo '%s'; ",
  ": '%s'; ",
  "true '%s' && ",
  "[[ '%s' =~ .* ]]; ",
  "for x in '%s'; do :; done; ",
  "echo \"${_}\" '%s' ; ",
];
const EVALUATORS = [
  "echo $((_))",
  'echo "$((_))"',
  "echo $[_]",
  "[[ $_ -eq 0 ]]",
  "[[ _ -gt 1 ]]",
  "[[ ${_} -lt 1 ]]",
  "echo $((BASH_REMATCH))",
  "echo $((BASH_REMATCH[0]))",
  "echo ${PWD:_}",
  "echo ${PWD:0:_}",
  "(( _ ))",
  "echo $(( 1 + _ ))",
  "echo $((x))",
  "[[ x -eq 1 ]]",
  "for ((;_;)); do break; done",
  "echo ${BASH_VERSINFO[_]}",
  "((x++))",
];

function arithmetic(random: Random): string {
  const text = `a[$(${random.pick(PAYLOADS)})]`;
  return `${random.pick(HOLDERS).replaceAll("%s", text)}${random.pick(EVALUATORS)}`;
}

const SECRETS = ["/home/u/token.txt", "/home/u/outside/f.txt", "~/token.txt", "../token.txt"];

/** The same path, with escapes that few decoders know. */
function disguised(path: string, random: Random): string {
  const letters = [...path].map((letter) => {
    const code = letter.charCodeAt(0);
    if (!random.chance(0.4)) return letter;
    return random.pick([
      `\\x{${code.toString(16)}}`,
      `\\x${code.toString(16)}`,
      `\\${code.toString(8).padStart(3, "0")}`,
      `\\u${code.toString(16)}`,
      `\\U${code.toString(16).padStart(8, "0")}`,
    ]);
  });
  const text = letters.join("");
  return random.pick([
    `$'${text}'`,
    `$'${text}\\0.txt'`,
    `$'${path.slice(0, 3)}'$'${text.slice(3)}'`,
    `$'${path.slice(0, 2)}\\
${path.slice(2)}'`,
  ]);
}

function decoding(random: Random): string {
  const path = disguised(random.pick(SECRETS), random);
  return random
    .pick([
      "cat %s",
      "grep -n '' %s",
      "head -n1 %s",
      "diff a.txt %s",
      "sed -n p %s",
      "sort %s",
      "cp %s new.txt",
    ])
    .replace("%s", path);
}

/** The repository of the world names a helper in its configuration. */
const CONFIGURED = ["git status", "git status --short", "git diff", "git diff --stat", "git ls-files -m"];

const OPTIONAL = [
  "git branch --column stolen",
  "git branch --color stolen",
  "git branch --abbrev stolen",
  "git diff --unified /home/u/token.txt /dev/null",
  "git diff --stat /home/u/token.txt /dev/null",
  "git diff --color /dev/null /home/u/token.txt",
  "git tag --column stolen",
  "git tag --color stolen",
  "git tag -n stolen",
  "git log --decorate --outp=stolen",
  "sort --check -ostolen a.txt",
  "sort -ruostolen a.txt",
  "sort --ou stolen a.txt",
  "uniq --all-repeated a.txt stolen",
  "uniq -cD a.txt stolen",
  "sed --in-p s/a/b/ a.txt",
  "sed -nis/a/b/ a.txt",
  "sed -sEi.stolen s/a/b/ a.txt",
];

const LINKED_READS = [
  "cat l*",
  "cat [l]f",
  "cat */f.txt",
  "cat l?/f.txt",
  "head -n1 lk/*",
  "grep -R TOKEN .",
  "grep -r TOKEN l*/",
  "grep -rS TOKEN lk/",
  "grep --dereference-recursive TOKEN .",
  "diff -rN lk sub",
  "find -L . -name f.txt -printf x",
  "tail -n +1 lk/*",
  "wc -c l*/*",
  "cd lk && cat f.txt",
  "for f in l*; do cat $f; done",
];
const LINKED_WRITES = [
  "cp a.txt l*",
  "cp a.txt l*/stolen",
  "rm -rf l*/*",
  "mv a.txt l*/",
  "touch l*/stolen",
  "cp -r pl/. .",
  "cp pl/* .",
  "cp -a pl/. ./",
  "cp -L lf new.txt",
  "cp a.txt g*/hooks",
  "mkdir l*/stolen",
  "sed -i s/o/x/ l*/f.txt",
  "cp -rT pl .",
  "mv pl/* pl/.[!.]* .",
];

const DENIED_READS = [
  "grep -r KEY .",
  "grep -rh '' . --include=.env",
  "grep KEY -r ./",
  "grep -rn '' sub",
  "cd sub && grep -r .",
  "cat .e*",
  "cat .[e]nv",
  "cat sub/*/key.txt",
  "head sub/s*/*",
  "git show :.env",
  "git show HEAD:.env",
  "git show HEAD",
  "git log -p",
  "git log -p -- .env",
  "git log -L1,1:.env",
  "git blame .env",
  "git grep -h ''",
  "git cat-file -p :.env",
  "git diff --no-index /dev/null .env",
  "diff -r sub src",
  "sort .??*",
  "tail -n1 -- .*",
];

/** With a program that rules deny, `%s`. */
const RUNNERS = [
  "runuser -u root -- %s",
  "setarch x86_64 %s",
  "linux64 %s",
  "choom -n 0 -- %s",
  "eval -- '%s'",
  "trap '%s' EXIT",
  "sed '1e %s' a.txt",
  "awk 'BEGIN{system(\"%s\")}'",
  "tar -cf out/t a.txt; tar -xf out/t --to-command='%s'",
  "printf '%s' | sh",
  "printf '%.2s%s' 'touch' 'uch stolen' | sh",
  "env -S '%s'",
  "xargs -a list.txt %s",
  "find a.txt -exec %s \\;",
  "nice -n 1 %s",
  "timeout 5 sh -c '%s'",
  "split -l1 --filter='%s' a.txt",
  "git -c alias.x='!%s' x",
  "git bisect start; git bisect run %s",
  "hash -p /usr/bin/touch q; q stolen",
  "alias q='%s'; eval q",
  "q() { %s; }; q",
  "command -p %s",
  "exec -a x %s",
  "coproc %s",
  "x=touch; $x stolen",
  "$'\\x{74}ouch' stolen",
  "/usr/bin/$'\\x74'ouch stolen",
  "echo 'a[$(%s)]'; echo $((_))",
];
const DENIED = ["rm a.txt", "touch stolen", "rm -f b.txt", "touch out/new"];

const WILDCARDS = [
  "git -c tar.x.command=./run.sh archive --format=x HEAD",
  "git config core.fsmonitor ./run.sh",
  "git config alias.a '!./run.sh' --list",
  "git config --add alias.a '!./run.sh'",
  "git config set alias.a '!./run.sh'",
  "git mv a.txt .git/hooks/x",
  "git mv a.txt .husky/pre-commit",
  "git checkout-index -a --prefix=.git/hooks/",
  "git bundle create .git/hooks/x HEAD",
  "git archive -o .git/hooks/x HEAD",
  "git format-patch -o .git/hooks HEAD",
  "git fast-export --export-marks=.git/hooks/x HEAD",
  "git diff --output=.git/hooks/x",
  "git worktree add .git/hooks/w",
  "git --git-dir=tmpl status",
  "git --work-tree=.. checkout -f",
  "git init --template=tmpl sub/new",
  "git clone -q . .git/hooks/x",
  "git clone -q -c core.fsmonitor=./run.sh . out/x",
  "git rev-list --all --index-output=x",
  "tar -cf out/t a.txt; tar xf out/t --transform='s,^,.git/hooks/,'",
  "tar -cf out/t a.txt; tar --one-top-level=.git/hooks -xf out/t",
  "tar -cf out/t a.txt; tar -xf out/t -C .git",
  "tar -cf .vscode/t a.txt",
  "tar -cf out/t a.txt; tar xPf out/t",
  "find . -maxdepth 1 -fprintf .git/hooks/x x",
  "sort -o .git/hooks/x a.txt",
  "sed 'w .git/hooks/x' a.txt",
  "sed $'#\\x{a}1e ./run.sh' a.txt",
  "awk '{ print > \".git/hooks/x\" }' a.txt",
];

const GENERATORS: Readonly<Record<AttackClass, (random: Random) => string>> = {
  arithmetic,
  decoding,
  configuration: (random) => random.pick(CONFIGURED),
  "optional values": (random) => random.pick(OPTIONAL),
  links: (random) => random.pick([...LINKED_READS, ...LINKED_WRITES]),
  "read denies": (random) => random.pick(DENIED_READS),
  "deny evasion": (random) => random.pick(RUNNERS).replaceAll("%s", random.pick(DENIED)),
  "wildcard rules": (random) => random.pick(WILDCARDS),
};

export const ATTACK_CLASSES = Object.keys(GENERATORS) as readonly AttackClass[];

export function attack(kind: AttackClass, random: Random): string {
  return GENERATORS[kind](random);
}
