/** Package managers: options that name a shell, a settings file or another folder. */

import { isUnknown, type OptionTable, type ReadOptions, readOptions, table } from "./options.ts";
import type { ShellWord } from "./script.ts";
import type { Check } from "./sharp.ts";

/** npm reads options up to `--`, wherever they are; flags take no value. */
const NPM = table(
  "sqdDESPOBgfpaliyhvw:",
  "workspace: workspaces include-workspace-root if-present silent quiet verbose loglevel: json no-audit audit fund " +
    "no-fund save save-dev save-exact save-optional save-peer save-prod save-bundle no-save legacy-peer-deps force " +
    "production omit: include: ignore-scripts dry-run prefer-offline prefer-online offline depth: all long parseable " +
    "foreground-scripts package-lock-only no-package-lock audit-level: color no-color progress no-progress tag: " +
    "access: otp: global no-optional strict-peer-deps install-links version help yes no-bin-links prefer-dedupe " +
    "no-workspaces provenance allow-same-version no-git-tag-version no-commit-hooks preid: sbom-format: package-lock",
);
const OTHERS = table(
  "rwWsDPOETgfvhAF:",
  "recursive filter: workspace-root workspace: workspaces if-present silent quiet verbose parallel stream " +
    "frozen-lockfile no-frozen-lockfile immutable prefer-offline offline ignore-scripts dev save-dev prod production " +
    "optional no-optional exact save-exact tilde peer save-peer no-save reporter: loglevel: aggregate-output bail " +
    "no-bail sort no-sort force json long depth: latest interactive top-level-only all topological " +
    "topological-dev include-dependencies no-progress non-interactive ignore-engines ignore-platform flat " +
    "pure-lockfile check-files no-lockfile version help watch hot no-cache dry-run lockfile-only global",
);
const NPX = table(
  "+yqp:w:",
  "yes no no-install quiet package: offline prefer-offline workspace: ignore-existing",
);

/**
 * Commands that run a program by name or change what the package manager runs; only a rule that names them covers
 * them.
 */
const NAMED =
  /^(?:exec|x|dlx|explore|create|init|innit|edit|node|pkg|link|ln|patch|patch-commit|rebuild|set-script)$/;
const SETTINGS = /^(?:config|c|set|unset|setup|policies|plugin|import|self-update|env|cache)$/;
const READS_SETTINGS = /^(?:get|list|ls)$/;
/** Commands whose following options belong to the package manager. */
const BUILT_IN =
  /^(?:install|i|add|remove|rm|uninstall|un|update|up|upgrade|ci|publish|pack|link|why|outdated|audit|list|ls|prune|dedupe|import|fetch|rebuild|pm|workspace|workspaces|info|view|licenses|version)$/;

/** The words up to `--`; those after it belong to the script. */
function ownWords(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex(({ value, type }) => type === "static" && value === "--");
  return end < 0 ? words : words.slice(0, end);
}

function isSharpCommand([first, second]: readonly ShellWord[], ruleText: string): boolean {
  if (first === undefined) return false;
  if (first.type !== "static") return true;
  if (SETTINGS.test(first.value)) return second?.type !== "static" || !READS_SETTINGS.test(second.value);
  return NAMED.test(first.value) && !ruleText.split(" ").includes(first.value);
}

/** Whether an option is read as the value of the one before it depends on the version. */
function takesOption({ given }: ReadOptions): boolean {
  return given.some(({ value, isSeparate }) => isSeparate && value?.value.startsWith("-") === true);
}

const SCRIPT_COMMANDS = /^(?:run|run-script|rum|urn|test|t|tst|start|stop|restart)$/;
/** npm settings that name a program, a file or a folder; npm accepts abbreviations of a name. */
const NPM_SHARP =
  "script-shell shell prefix local-prefix userconfig globalconfig node-options init-module init.module editor viewer browser git call package cache logs-dir tmp location node-gyp nodedir scripts-prepend-node-path onload-script location metrics-registry registry".split(
    " ",
  );

/** npm passes an unknown option on to the script. */
function passesOn(words: readonly ShellWord[]): boolean {
  const [first] = words;
  if (first?.type !== "static" || !SCRIPT_COMMANDS.test(first.value)) return false;
  return words.every(({ value, type }) => {
    if (type !== "static") return true;
    const [, name] = /^-+(?:no-)?([^=]*)/.exec(value) ?? [];
    if (name === undefined) return true;
    const plain = name.toLowerCase().replaceAll("_", "-");
    const isSharpName = NPM_SHARP.some((known) => known.startsWith(plain) || plain.startsWith(known));
    return !isSharpName && !/^-[^-]*[cC]/.test(value);
  });
}

const npm: Check = (words, ruleText) => {
  const own = ownWords(words);
  return own.some(isUnknown) || (withTable(NPM)(own, ruleText) && !passesOn(own));
};

function withTable(options: OptionTable): Check {
  return (words, ruleText) => {
    const own = ownWords(words);
    if (own.some(isUnknown)) return true;
    const read = readOptions(own, options);
    return read === undefined || takesOption(read) || isSharpCommand(read.operands, ruleText);
  };
}

/** Whether there is an option that is not in the table; the operands are package names. */
function hasOwnOption(words: readonly ShellWord[]): boolean {
  const own = ownWords(words);
  const read = own.some(isUnknown) ? undefined : readOptions(own, OTHERS);
  return read === undefined || takesOption(read);
}

/** Everything after the name of a script belongs to the script. */
const passing: Check = (words, ruleText) => {
  const before = readOptions(words, { ...OTHERS, stopsAtOperand: true });
  if (before === undefined) return true;
  const [first, ...rest] = before.operands;
  if (first === undefined) return false;
  if (isSharpCommand(before.operands, ruleText)) return true;
  if (first.value === "run") return readOptions(rest, { ...OTHERS, stopsAtOperand: true }) === undefined;
  // The command for the workspaces follows their names.
  if (/^workspaces?$/.test(first.value) && rest.some((word) => isSharpCommand([word], ""))) return true;
  return BUILT_IN.test(first.value) && hasOwnOption(rest);
};

/** Everything after the program's name belongs to the program. */
const npx: Check = (words) => readOptions(words, NPX) === undefined;

export const PACKAGE_MANAGERS: readonly (readonly [string, Check])[] = [
  ["npm", npm],
  ["pnpm", passing],
  ["yarn", passing],
  ["bun", passing],
  ["npx", npx],
  ["bunx", npx],
];
