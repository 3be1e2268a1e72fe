/** Classes of attacks that the judge once allowed: a generator for each, to find new members of a class. */

import type { Random } from "../../../engine/test/simulation/random.ts";
import {
  CONFIGURED,
  DENIED,
  DENIED_READS,
  DISGUISED,
  HIDDEN_FILES,
  LINKED_READS,
  LINKED_WRITES,
  OPTIONAL,
  RUNNERS,
  WILDCARDS,
} from "./attack-commands.ts";
import { RULE_SETS, type RuleSet } from "./rule-sets.ts";

export type AttackClass =
  | "arithmetic"
  | "decoding"
  | "configuration"
  | "optional values"
  | "links"
  | "read denies"
  | "file denies"
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

/** A process substitution that continues a word, so that the command opens another file than the two words name. */
function joined(random: Random): string {
  const program = random.pick(["cat", "head -n1", "sort", "wc -c", "cp a.txt"]);
  const path = random.pick(["a.txt", "sub/b.txt", "if", "new.txt"]);
  if (random.chance(0.3)) return `${program} <(true)#; ${random.pick(PAYLOADS)}`;
  return `${program} ${random.pick([`<(true)${path}`, `${path}<(true)`, `<(echo x)/${path}`, `a.txt <(:)${path}`])}`;
}

function decoding(random: Random): string {
  if (random.chance(0.2)) return commented(random);
  if (random.chance(0.1)) return joined(random);
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
  "file denies": { rules: "guarding", make: (random) => random.pick(HIDDEN_FILES) },
  "deny evasion": { rules: "denying", make: evasion },
  "wildcard rules": { rules: "wide rules", make: (random) => random.pick(WILDCARDS) },
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
