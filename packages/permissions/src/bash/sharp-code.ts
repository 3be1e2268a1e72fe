/**
 * Tools that load code of the project, such as test runners and linters, and their options that name such code. Under
 * a wildcard rule, code is covered that the project brings for this tool: packages, and configuration in the workspace.
 */

import { longOption } from "./options.ts";
import type { ShellWord } from "./script.ts";

interface CodeOptions {
  /** Letters and long options whose value is code, or a file or folder that says what to load. */
  readonly letters: string;
  readonly long: ReadonlySet<string>;
}

const code = (letters: string, long: string): CodeOptions => ({ letters, long: new Set(long.split(" ")) });
const each = (names: string, options: CodeOptions): [string, CodeOptions][] =>
  names.split(" ").map((name) => [name, options]);

const JEST =
  "config globalSetup globalTeardown setupFiles setupFilesAfterEnv testRunner runner transform resolver reporters " +
  "testEnvironment rootDir watchPlugins filter testResultsProcessor snapshotSerializers prettierPath preset projects " +
  "dependencyExtractor testSequencer modulePaths roots moduleDirectories moduleNameMapper";

const TOOLS = new Map<string, CodeOptions>([
  ["eslint", code("cf", "config rulesdir plugin parser format resolve-plugins-relative-to")],
  ["prettier", code("", "plugin plugin-search-dir config parser")],
  ["jest", code("c", JEST)],
  [
    "vitest",
    code("cr", "config root dir globalSetup reporter environment pool execArgv workspace project-config"),
  ],
  ["mocha", code("rR", "require config import reporter ui file package opts loader")],
  ["ava", code("", "config require node-arguments")],
  ["tap", code("", "node-arg plugin reporter")],
  ...each(
    "vite webpack rollup tsup playwright cypress stylelint babel storybook astro tailwindcss postcss swc commitlint " +
      "lint-staged semantic-release oxlint lessc karma gulp grunt protractor wdio",
    code("cpue", "config config-file config-path plugin plugins require use extends gulpfile gruntfile root"),
  ),
  ["mypy", code("", "config-file python-executable custom-typing-module")],
  ["pylint", code("", "rcfile load-plugins init-hook")],
  ["flake8", code("", "config append-config")],
  ["pytest", code("cp", "rootdir confcutdir pdbcls config-file")],
  ...each("tox nox coverage mkdocs alembic sphinx-build", code("cf", "noxfile rcfile config-file conf")),
  ...each("rspec rake", code("rfIOe", "require options rakefile rakelibdir execute execute-print")),
  ["phpunit", code("c", "bootstrap configuration printer extensions")],
  ...each(
    "gradle gradlew",
    code("Ibcgp", "init-script build-file settings-file include-build gradle-user-home project-dir"),
  ),
  ["mvn", code("fst", "file settings global-settings toolchains")],
  ["composer", code("d", "working-dir")],
  ["bundle", code("", "gemfile")],
  ["uv", code("p", "directory project python config-file")],
  ["poetry", code("C", "directory project")],
  ["bazel", code("", "bazelrc run_under")],
]);

/** Settings in arguments that name a program. */
const PROPERTY = /^-D(?:exec\.executable|maven\.ext\.class\.path|org\.gradle\.java\.home)=/;
/** Data, and file names that say they configure a tool. */
const CONFIGURES =
  /\.(?:json5?|jsonc|ya?ml|toml|ini|cfg|xml|neon|dist)$|rc(?:\.\w+)?$|config|setup|preset|plugin|reporter|transform|resolver|env|format|rule|helper|spec|test|gradle|rakefile|gemfile|gulpfile|gruntfile/i;

/** Whether an option names code that a wildcard rule for the tool does not cover. */
export function loadsOtherCode(words: readonly ShellWord[]): boolean {
  const [first, ...rest] = launched(words);
  const known = TOOLS.get(nameOf(first));
  if (known === undefined) return false;
  return rest.some((word, at) => {
    if (PROPERTY.test(word.value)) return true;
    const value = valueOf(word, rest[at + 1], known);
    return value !== undefined && !isOfProject(value);
  });
}

function nameOf(word: ShellWord | undefined): string {
  return word === undefined ? "" : word.value.slice(word.value.lastIndexOf("/") + 1);
}

const LAUNCHERS = /^(?:npx|bunx|pnpm|yarn|bun|uv|poetry|pipenv|bundle|hatch|pdm|rye)$/;
const LAUNCHES = /^(?:run|exec|dlx|x|-y|--yes|--no-install|--)$/;

/** `npx jest`, `uv run pytest`, `python3 -m pytest`: the tool with its arguments. */
function launched(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = nameOf(words[0]);
  if (/^python[\d.]*$/.test(name) && words[1]?.value === "-m") return words.slice(2);
  if (!LAUNCHERS.test(name)) return words;
  const at = words.findIndex(({ value }, place) => place > 0 && !LAUNCHES.test(value));
  return at > 0 && TOOLS.has(nameOf(words[at])) && nameOf(words[at]) !== name ? words.slice(at) : words;
}

/** The value of the option, if it is one of those that name code. */
function valueOf(
  word: ShellWord,
  next: ShellWord | undefined,
  { letters, long }: CodeOptions,
): ShellWord | undefined {
  const option = longOption(word.value);
  if (option !== undefined)
    return long.has(option.name)
      ? option.value === undefined
        ? next
        : { ...word, value: option.value }
      : undefined;
  const [, letter = "", attached = ""] = /^-([a-zA-Z])=?(.*)$/s.exec(word.value) ?? [];
  if (letter === "" || !letters.includes(letter)) return undefined;
  return attached === "" ? next : { ...word, value: attached };
}

/** A package, or a file in the workspace that configures a tool. */
function isOfProject({ value, type, fromTilde }: ShellWord): boolean {
  if (type !== "static" || fromTilde || /^[/~{]|(?:^|\/)\.\.(?:\/|$)|:\//.test(value)) return false;
  const isPackage = /^(?:no:)?@?[\w-][\w.-]*(?:\/[\w-][\w.-]*)?$/.test(value) && !/\.\w+$/.test(value);
  return isPackage || /^(?:\.\/)?node_modules\//.test(value) || value === "." || CONFIGURES.test(value);
}
