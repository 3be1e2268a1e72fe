/** Classes of attacks that the judge once allowed: a generator for each, to find new members of a class. */

import type { Random } from "../../../engine/test/simulation/random.ts";
import { RULE_SETS, type RuleSet } from "./rule-sets.ts";

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

/** Bash evaluates the value of a variable and runs commands in its subscripts. */
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
  "for ((;_;)); do :; done",
  "echo ${BASH_VERSINFO[_]}",
  "((x++))",
];
/** Builtins that evaluate their argument as a name or a number. */
const EVALUATING_BUILTINS = [
  "[ -v '%s' ]",
  "test -v '%s'",
  "[[ -v '%s' ]]",
  "[ -n x -a -v '%s' ]",
  "[[ '%s' -eq 1 ]]",
  "[[ 1 -lt '%s' ]]",
  "printf -v '%s' x",
];

function arithmetic(random: Random): string {
  const text = `a[$(${random.pick(PAYLOADS)})]`;
  if (random.chance(0.2)) return `ls; ${random.pick(EVALUATING_BUILTINS).replaceAll("%s", text)}`;
  return `${random.pick(HOLDERS).replaceAll("%s", text)}${random.pick(EVALUATORS)}`;
}

const SECRETS = ["/home/u/token.txt", "/home/u/outside/f.txt", "~/token.txt", "../token.txt"];

/** Paths that look like they are in the workspace: a link out of it, a denied file, and a path out of it with a gap. */
const GAPPED = ["lf", "lk/f.txt", ".env", "sub/secret/key.txt", "../token.txt", "../outside/f.txt"];

/** A path with something in it that bash drops, or that ends it. */
function gapped(random: Random): string {
  const path = random.pick(GAPPED);
  const at = 1 + random.below(path.length - 1);
  const broken = `${path.slice(0, at)}\\\n${path.slice(at)}`;
  return random.pick([broken, `"${broken}"`, `$'${path}\\0/x'`, `$'${path}\\x00.txt'`, `$'${path}\\000'`]);
}

/** A comment that ends where only bash sees it, and a command after it. */
function commented(random: Random): string {
  const newline = random.pick(["\\x{a}", "\\\n", "\\n", "\\x0a", "\\012", "\\u000a", "\\U0000000a"]);
  const effect = random.pick([
    "1e touch stolen",
    "w stolen",
    "1e ./run.sh",
    "e rm a.txt",
    "s/alpha/x/w stolen",
  ]);
  return `sed $'#${newline}${effect}' a.txt`;
}

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
  if (random.chance(0.2)) return commented(random);
  const path = random.chance(0.4) ? gapped(random) : disguised(random.pick(SECRETS), random);
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
    .replace("%s", () => path);
}

/** The repository in the test world names a helper in its configuration. */
const CONFIGURED = [
  "git status",
  "git status --short",
  "git diff",
  "git diff --stat",
  "git ls-files -m",
  "cd mod && git status",
  "cd mod; git diff",
  "cd mod && git ls-files -m",
  "git -C mod status",
  "git -C ./mod diff --stat",
  "git --git-dir=mod/.git status",
  "git --git-dir=mod/.git diff",
  "git --git-dir mod/.git --work-tree mod status",
  "GIT_DIR=mod/.git git status",
  "GIT_EXTERNAL_DIFF=./out/ls git diff HEAD~0",
  "GIT_EXTERNAL_DIFF=./out/ls git diff --no-index a.txt b.txt",
  "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./out/ls git status",
  "git --exec-path=sub status",
  "git -c core.fsmonitor=./out/ls status",
  "git --config-env=core.fsmonitor=HOME status",
];

const OPTIONAL = [
  "git branch --column stolen",
  "git branch --color stolen",
  "git branch --abbrev stolen",
  "git diff --unified /home/u/token.txt /dev/null",
  "git diff --stat /home/u/token.txt /dev/null",
  "git diff --color /dev/null /home/u/token.txt",
  "git diff -M /home/u/token.txt /dev/null",
  "git diff -C /home/u/token.txt /dev/null",
  "git diff -pB /home/u/token.txt /dev/null",
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
  "sed --quiet --in-place s/a/b/ a.txt",
  "git branch stolen",
  "git branch -v stolen",
  "git branch --no-color stolen",
  "git tag --no-column stolen",
  "git tag -i stolen",
  "sort --outp=.git/x a.txt",
  "sort --ou .git/x a.txt",
  "sort -ro.git/x a.txt",
  "seq 1 90000 | sort -S1b --compress=./out/ls",
  "seq 1 90000 | sort --compress-p=./out/ls -S1b",
  "seq 1 90000 | sort -rS1b --co ./out/ls",
  "seq 1 90000 | sort -S1b --compress-prog ./out/ls",
  "sort --output=stolen a.txt",
  "git diff --outp=stolen",
  "git log --output=stolen",
  "uniq a.txt stolen",
  "uniq --count a.txt stolen",
  "uniq -f 1 a.txt stolen",
  "find . -maxdepth 0 -fprint stolen",
  "find a.txt -delete",
  "tar -cf out/t a.txt; tar -xf out/t --to-com=./out/ls",
  "tar -cf out/x --use-comp=./out/ls a.txt",
  "cp -rt.git a.txt",
  "cp --target=.git a.txt",
  "mv -ft .git a.txt",
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
  "cat lf",
  "cat .filelink",
  "grep -n '' lk/f.txt",
  "cat sub/up/../token.txt",
  "head -n1 sub/up/../outside/f.txt",
  "cd sub/up && cat ../token.txt",
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
  "cp a.txt lk/stolen",
  "touch .link/stolen",
  "echo x > lf",
  "echo x > lk/stolen",
  "cp -a .link out/l; touch out/l/stolen",
  "mv .link out/l; echo x > out/l/f.txt",
  "cp -a .gitlink g2; touch g2/x",
  "mv gl g2; echo x > g2/x",
  "cp -P gl g2 && cp a.txt g2/x",
  "cp a.txt sub/up/../stolen",
  "touch sub/up/../stolen",
  "cp -r tmpl .git/hooks",
  "cp -r pl/.claude .",
  "mv pl/.npmrc .",
  "cp a.txt gl/x",
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
  "git annotate .env",
  "git diff --cached --no-prefix 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD",
  "git log -U1",
  "git log --unified=1",
  "git show --format=%H HEAD",
  "git cat-file -p HEAD:.env",
  "git grep -h KEY HEAD",
  "git stash list -p",
  "grep -rh KEY",
  "grep --recursive -h '' sub",
  "grep -d recurse -h TOKEN sub",
  "diff -r sub src",
  "diff sub src",
  "diff -rN sub src",
  "diff -N sub/secret src",
  "cat ./.env",
  "cat sub/up/.env",
  "cat < .env",
  "cat $(echo .env)",
];

/** Templates with a program that rules deny, `%s`. */
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
  "prlimit %s",
  "prlimit --core=0 %s",
  "echo '%s' > out/new.txt; sh out/new.txt",
  "echo '%s' > out/new.txt; . out/new.txt",
  "printf '%s' > out/new.txt && bash ./out/new.txt",
  "echo '1e %s' > out/s; sed -f out/s a.txt",
  "/usr/bin/%s",
  "\\%s",
  "/bin/sh -c '%s'",
  "bash <<< '%s'",
  "echo '%s' | bash",
  "$(echo %s)",
  "`echo %s`",
];
/** The same, with a name that the text does not contain literally. */
const DISGUISED = [
  'awk \'BEGIN{system("r" "m a.txt")}\'',
  'awk \'BEGIN{system("to" "uch stolen")}\'',
  "sed 's/alpha/cm a.txt/;s/c/r/;e' a.txt",
  "eval \"$(printf 'r%s' 'm a.txt')\"",
  "printf 'r%s' 'm a.txt' | sh",
  "printf 'to%s' 'uch stolen' | bash",
  "sed -n 's/alpha/rm a.txt/p' a.txt | sh",
  "seq -f 'rm a.txt' 1 | bash",
  "cut -c1- list.txt | sed 's/^/rm /' | sh",
  "x=r; ${x}m a.txt",
  'x=to; "${x}uch" stolen',
  "r$(echo m) a.txt",
  "for x in r; do ${x}m a.txt; done",
  "git $(echo push) -n .",
  "x=pu; git ${x}sh -n .",
  "git $(echo pu)sh -n .",
  "for x in push; do git $x -n .; done",
  "trap \"$(printf 'r%s' 'm a.txt')\" EXIT",
  "sh -c \"$(printf 'r%s' 'm a.txt')\"",
  "/bin/r? a.txt",
  "/usr/bin/tou[c]h stolen",
  "echo a.txt | xargs r''m",
  "env r'm' a.txt",
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
  "git config core.fsmonitor out/ls; git status",
  "git config --local core.fsmonitor ./out/ls && git diff",
  "git config set core.fsmonitor ./out/ls; git status",
  "git -c core.fsmonitor=./out/ls status",
  "git -ccore.fsmonitor=./out/ls diff",
  "git -c core.fsmonitor=./out/ls -c color.ui=never status",
  "git -c diff.external=./out/ls diff --no-index a.txt b.txt",
  "git -c alias.x='!./out/ls' x",
  "git grep -O./out/ls alpha",
  "git interpret-trailers --in-place --trailer x:y .vscode/settings.json",
  "git interpret-trailers --in-place --trailer x:y .git/config",
  "git ls-remote --upload-pack=./out/ls .",
  "git rebase -x ./out/ls HEAD",
  "git bisect start; git bisect run ./out/ls",
  "tar -cf out/x -I./out/ls a.txt",
  "tar -cf out/x --checkpoint=1 --checkpoint-action=exec=./out/ls a.txt",
  "tar -cf out/t a.txt; tar -xf out/t --to-command=./out/ls",
  "tar -cf .git/hooks.tar a.txt",
  "find a.txt -exec ./out/ls {} +",
  "find a.txt -execdir cp a.txt .git/x \\;",
  "sed '1e ./out/ls' a.txt",
  "sed -i s/a/b/ .git/config",
  "sed -n 'w .vscode/x' a.txt",
  "awk 'BEGIN{system(\"./out/ls\")}'",
  "awk 'BEGIN{print | \"./out/ls\"}'",
  "seq 1 90000 | sort -S1b --compress-program=./out/ls",
  "sort --output=.vscode/x a.txt",
];

interface Generator {
  /** The rule sets in which the class can have an effect. */
  readonly rules: string;
  readonly make: (random: Random) => string;
}

const GENERATORS: Readonly<Record<AttackClass, Generator>> = {
  arithmetic: { rules: "looking rules wide denying", make: arithmetic },
  decoding: { rules: "looking editing rules", make: decoding },
  configuration: {
    rules: "looking wide confined untrusted",
    make: (random) => random.pick(CONFIGURED),
  },
  "optional values": {
    rules: "looking editing wide confined",
    make: (random) => random.pick(OPTIONAL),
  },
  links: {
    rules: "looking editing",
    make: (random) => random.pick(random.pick([LINKED_READS, LINKED_WRITES])),
  },
  "read denies": { rules: "rules confined", make: (random) => random.pick(DENIED_READS) },
  "deny evasion": { rules: "denying", make: evasion },
  "wildcard rules": { rules: "wide", make: (random) => random.pick(WILDCARDS) },
};

function evasion(random: Random): string {
  if (random.chance(0.35)) return random.pick(DISGUISED);
  return random.pick(RUNNERS).replaceAll("%s", random.pick(DENIED));
}

export const ATTACK_CLASSES = Object.keys(GENERATORS) as readonly AttackClass[];

interface Attack {
  readonly attack: AttackClass;
  readonly rules: RuleSet;
  readonly command: string;
}

export function attack(kind: AttackClass, random: Random): Attack {
  const { rules, make } = GENERATORS[kind];
  const name = random.pick(rules.split(" "));
  const found = RULE_SETS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no rule set ${name}.`);
  return { attack: kind, rules: found, command: make(random) };
}
