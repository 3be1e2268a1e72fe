/** Generates a command from a seed: harmless parts in any combination, hostile ones among them, mutated texts, and soup. */

import { Random } from "../../../engine/test/simulation/random.ts";
import { ATTACK_CLASSES, attack, type AttackClass } from "./classes.ts";
import { flagged } from "./flagged.ts";
import { carried, hidden, payload, special, target, variable } from "./hostile.ts";
import { mutate } from "./mutate.ts";
import { RULE_SETS, type RuleSet } from "./rule-sets.ts";
import { soup } from "./soup.ts";
import { fill, spell, TEXTS } from "./words.ts";

export interface Made {
  readonly seed: number;
  readonly kind: "harmless" | "hostile" | "attack" | "wounded" | "soup";
  /** For an attack: what it tries. */
  readonly attack?: AttackClass;
  readonly rules: RuleSet;
  readonly command: string;
}

const MAX_DEPTH = 2;

export function makeCommand(seed: number): Made {
  const random = new Random(seed);
  const rules = random.pick(RULE_SETS);
  const kind = random.weighted([
    ["harmless", 50],
    ["hostile", 22],
    ["attack", 20],
    ["wounded", 16],
    ["soup", 12],
  ] as const);
  if (kind === "attack") return { seed, kind, ...attack(random.pick(ATTACK_CLASSES), random) };
  if (kind === "soup") return { seed, kind, rules, command: soup(random) };
  const grammar = new Grammar(random, rules, kind);
  const command = grammar.list(0);
  return { seed, kind, rules, command: kind === "wounded" ? mutate(command, random) : command };
}

class Grammar {
  readonly #random: Random;
  readonly #rules: RuleSet;
  readonly #hostility: number;
  readonly #hides: number;

  constructor(random: Random, rules: RuleSet, kind: Made["kind"]) {
    this.#random = random;
    this.#rules = rules;
    this.#hostility = kind === "hostile" ? 0.6 : 0;
    this.#hides = kind === "wounded" ? 0.5 : 0.05;
  }

  list(depth: number): string {
    const random = this.#random;
    if (depth >= MAX_DEPTH || random.chance(0.45)) return this.#decorated();
    const inner = (): string => this.list(depth + 1);
    const between = random.pick([
      " | ",
      " && ",
      " || ",
      "; ",
      "\n",
      " |& ",
      " & ",
      "|",
      "&&",
      ";",
      " && \\\n  ",
      " |\n",
    ]);
    return random.weighted<() => string>([
      [() => `${this.#decorated()}${between}${this.#decorated()}`, 12],
      [() => `${inner()}${between}${inner()}`, 4],
      [() => this.#grouped(inner), 4],
      [() => this.#controlled(inner), 4],
      [() => this.#substituted(inner), 4],
    ])();
  }

  #grouped(inner: () => string): string {
    const body = inner();
    return this.#random.pick([
      `(${body})`,
      `{ ${body}\n}`,
      `! ${this.#decorated()}`,
      `(${body}) | cat`,
      `{ ${body}\n} 2>&1`,
      `( ${body} ) > /dev/null`,
    ]);
  }

  #controlled(inner: () => string): string {
    const body = inner();
    return this.#random.pick([
      `if ${this.#decorated()}; then ${body}\nfi`,
      `if ${this.#decorated()}; then ${body}\nelse ${this.#decorated()}\nfi`,
      `for x in ${this.#word()} ${this.#word()}; do ${body}\necho "$x"; done`,
      `for f in *.txt; do cat "$f"; done; ${body}`,
      `while false; do ${body}\ndone`,
      `until true; do ${body}\ndone`,
      `case ${this.#word()} in a|b) ${body}\n;; *) ${this.#decorated()};; esac`,
      `[[ -f a.txt && ${this.#word()} == x* ]] && { ${body}\n}`,
      `(( 1 + 2 > 2 )) && { ${body}\n}`,
      `for ((;0;)); do ${body}\ndone`,
    ]);
  }

  #substituted(inner: () => string): string {
    const body = inner();
    return this.#random.pick([
      `echo "$(${body}\n)"`,
      `echo $(${body}\n) ${this.#word()}`,
      `echo \`${body.replaceAll(/[\\`$]/g, String.raw`\$&`)}\``,
      `cat <(${body}\n)`,
      `echo "\${x:-$(${body}\n)}"`,
      `cat <<E\n$(${body}\n)\nE`,
      `cat <<< "$(${body}\n)"`,
      `echo $(( 1 + 2 )) "\${#HOME}" \${PWD##*/}; ${body}`,
    ]);
  }

  #decorated(): string {
    const random = this.#random;
    const simple = this.#simple();
    if (random.chance(0.5)) return simple;
    return random.weighted<() => string>([
      [
        () =>
          `${simple} ${random.pick(["2>&1", "2>/dev/null", "> /dev/null", "< a.txt", ">/dev/null 2>&1", "&>/dev/null", "2>&-", "<&0"])}`,
        5,
      ],
      [
        () =>
          `${simple} ${random.pick([">", ">>", "2>", ">|", "&>", "1>", ">&"])}${random.pick([" ", ""])}${this.#target()}`,
        this.#rules.targets.length > 0 ? 4 : 0,
      ],
      [
        () =>
          `${random.pick(["timeout 5", "nice", "nice -n 5", "command", "time", "nohup", "stdbuf -oL", "time -p", "timeout -s KILL 5"])} ${simple}`,
        3,
      ],
      [() => `${random.pick(["NODE_ENV=test", "LANG=C", "TZ=UTC NO_COLOR=1", "CI=1"])} ${simple}`, 2],
      [() => `${simple} # ${random.pick(["done", "it's", "$(x", "`", "\\"])}\n${this.#simple()}`, 1],
      [() => `${simple} <<E\n${random.pick(["text", "$HOME", "it's", "\\$(ls)", "a\\\nb"])}\nE`, 1],
      [() => `${simple} <<'E'\n$(touch stolen)\nE`, 1],
      [() => `${simple} <<< ${this.#word()}`, 1],
      [() => `cd ${random.pick(["src", "sub", "out", "."])} && ${simple}`, 1],
      [() => simple.replace(" ", random.pick(["  ", "\t", " \\\n ", ' "" '])), 2],
      [() => `cat list.txt | xargs ${random.pick(["ls", "cat", "echo", "wc -l"])}`, 1],
    ])();
  }

  #simple(): string {
    const random = this.#random;
    if (random.chance(this.#hostility)) return this.#hostile();
    if (random.chance(this.#hides)) return hidden(random);
    const filled = fill(random.pick(this.#rules.harmless), random, this.#rules.targets);
    if (random.chance(0.85)) return filled;
    return filled.replace(/^[a-z]+/, (name) => spell(name, random));
  }

  #hostile(): string {
    const random = this.#random;
    const { mode } = this.#rules.settings;
    return random.weighted<() => string>([
      [() => payload(random), 2],
      [() => flagged(random), 5],
      [() => carried(random), 4],
      [() => special(random, mode), this.#rules.hasWriters || mode === "acceptEdits" ? 8 : 1],
      [
        () => `${variable(random)} ${fill(random.pick(this.#rules.harmless), random, this.#rules.targets)}`,
        5,
      ],
      [
        () =>
          `${random.pick(["ls", "echo x", "cat a.txt", "git status", ""])} ${random.pick([">", ">>", ">|", "&>", "<>", "2>", ">&", "&>>", "{fd}>"])}${target(random)}`,
        2,
      ],
      [
        () =>
          `${random.pick(["r\\m", "''rm", '"r"m', "$'\\x72m'", "r$''m", "\\rm", "r\\\nm", "{rm,a.txt}", "/bin/rm", "$(echo rm)", "r${x}m", "command rm"])} a.txt`,
        1,
      ],
    ])();
  }

  #word(): string {
    return spell(this.#random.pick(TEXTS), this.#random);
  }

  #target(): string {
    return this.#random.pick(this.#rules.targets);
  }
}
