/** Commands whose first words say what they do, so that a rule can cover them with any further arguments. */

import type { ShellWord } from "../bash/script.ts";
import { isSharp } from "../bash/sharp.ts";

/** The start of a command, how many of its words a rule keeps, and a note for the user about the rest. */
interface Family {
  readonly start: RegExp;
  readonly words: number;
  readonly note?: string;
}

const INSTALLS = "packages can run install scripts";

/**
 * Only commands whose arguments cannot name another program to run: no interpreters, shells, runners (`npx`, `make`,
 * `find`, `xargs`, `env`, `docker run`, `ssh`) and nothing that removes or sends (`rm`, `git push`, `curl`).
 */
const FAMILIES: readonly Family[] = [
  {
    start:
      /^git (?:add|commit|checkout|switch|restore|fetch|pull|stash|merge|branch|tag|cherry-pick|revert) /,
    words: 2,
  },
  { start: /^(?:npm|pnpm) (?:install|i|add|ci) /, words: 2, note: INSTALLS },
  { start: /^(?:yarn|bun) (?:install|add) /, words: 2, note: INSTALLS },
  { start: /^pip3? install /, words: 2, note: INSTALLS },
  { start: /^python3? -m pip install /, words: 4, note: INSTALLS },
  { start: /^uv (?:add|sync) /, words: 2, note: INSTALLS },
  { start: /^uv pip install /, words: 3, note: INSTALLS },
  {
    start: /^(?:poetry (?:add|install)|bundle install|composer (?:install|require)) /,
    words: 2,
    note: INSTALLS,
  },
  { start: /^(?:cargo (?:add|fetch)|go get) /, words: 2 },
  { start: /^go mod (?:tidy|download) /, words: 3 },
  { start: /^(?:npm|pnpm|yarn|bun) run [\w:.-]+ /, words: 3 },
  { start: /^(?:npm|pnpm|yarn|bun) (?:test|t) /, words: 2 },
  { start: /^cargo (?:build|test|check|clippy|fmt|bench|doc) /, words: 2 },
  { start: /^go (?:build|test|vet|fmt|doc) /, words: 2 },
  { start: /^(?:npx|pnpm|yarn|bunx) (?:eslint|prettier|tsc|vitest|jest|biome|oxlint) /, words: 2 },
  { start: /^python3? -m (?:pytest|mypy|ruff|black|unittest) /, words: 3 },
  { start: /^(?:ruff (?:check|format)|biome (?:check|format|lint)) /, words: 2 },
  { start: /^(?:pytest|eslint|tsc|vitest|jest|mypy|prettier|oxlint|black|gofmt) /, words: 1 },
  { start: /^(?:mkdir|touch) /, words: 1 },
];

const PLAIN = /^[\w@%+=:,./-]+$/;

/** Returns the words that a rule for the whole family begins with, if the command belongs to one. */
export function familyOf(
  words: readonly ShellWord[],
): { start: string; note: string | undefined } | undefined {
  if (isSharp(words)) return undefined;
  const raw = words.map((word) => word.raw).join(" ");
  const family = FAMILIES.find(({ start }) => start.test(`${raw} `));
  if (family === undefined) return undefined;
  const kept = words.slice(0, family.words);
  const isPlain = kept.every((word) => word.type === "static" && PLAIN.test(word.raw));
  return isPlain ? { start: kept.map((word) => word.raw).join(" "), note: family.note } : undefined;
}
