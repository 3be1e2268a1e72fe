/** Programs that run code in another language, or code from elsewhere. */

import { awkEffect, readAwk } from "./awk.ts";
import type { ShellWord } from "./script.ts";
import { sedEffect } from "./sed.ts";
import { readSed } from "./sed-words.ts";

type Check = (words: readonly ShellWord[], input?: string) => boolean;

const QUERY = /^(?:-[vVh]|--?version|--?help)$/;
const PYTHON_CODE = /^(?:timeit|code|pdb|trace|cProfile|profile|runpy)$/;
const NODE_CODE =
  /^(?:-[a-z]*[ep]$|--(?:eval|print)|--(?:import|require|loader|experimental-loader)=?data:|data:)/;
const NODE_QUERY = /^(?:-[vhc]|--version|--help|--test|--check)$/;
const LISP_CODE = /^-{1,2}(?:e|c|f|l|x|eval|command|execute|load|batch|funcall|script)(?:$|=|[^a-z])/i;
const EDITOR_CODE = /^(?:\+|-[a-zA-Z]*(?:[cSsuwWeE])|--(?:cmd|eval|execute|load|script|funcall))/;
const DEBUGGER_CODE =
  /^-{1,2}(?:ex|eval-command|iex|init-eval-command|x|command|o|O|one-line|s|S|source)(?:$|=|[^a-z])/;
const MAKE_CODE =
  /^(?:--eval|--[fm][a-z]*=(?:-$|\/dev\/|\/proc\/)|-f-|-$|\/dev\/|\/proc\/)|\$[({]|`|^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS)\W?=/;
/** Commands of the client itself, except those that only show something, and SQL that uses files. */
export const SQLITE_CODE = new RegExp(
  // The client accepts every beginning of a name: `.sh` is `.shell`.
  "(?:^|[\\n;])\\s*\\.(?=[\\s\"'a-z])(?![\\w-]*[/.])(?!(?:tables?|schema|index(?:es)?|indices|databases|dbinfo|dump|" +
    "fullschema|headers?|mode|width|nullvalue|separator|show|stats|timer|timeout|changes|echo|eqp|explain|help|limit|lint|" +
    "print|quit|exit|bail|version|sha3sum)\\b)" +
    "|load_extension|readfile|writefile|edit\\s*\\(|\\battach\\s+(?:database\\s+)?['\"]|\\bvacuum\\s+(?:\\w+\\s+)?into\\b" +
    "|\\bcopy\\b.*\\bto\\s+'|\\bexport\\s+database\\b",
  "is",
);
/** Its commands that only describe something, such as `\dt users`, are harmless. */
export const PSQL_CODE =
  /\\(?!(?:d[a-z]{0,3}[S+]*|l\+?|z|x|timing|conninfo)(?:\s[^\\`!|]*)?(?:$|\n|;))|\bprogram\b/i;
const TMUX_QUIET =
  /^(?:ls|list-\w+|kill-\w+|attach(?:-session)?|has(?:-session)?|capture-pane|display(?:-message)?|-V)$/;

/** `/dev/stdin`, or the output of a substitution. */
export function isInput({ value, type }: ShellWord): boolean {
  return type === "dynamic" || /^\/(?:dev\/(?:stdin|fd\/)|proc\/(?:self|thread-self|\d+)\/fd\/)/.test(value);
}

const always: Check = () => true;

/** An option, or a word that could be any option. */
const has =
  (option: RegExp): Check =>
  (words) =>
    words.some(({ value, type, splits }) => option.test(value) || (type === "dynamic" && splits));

/** Code in an option, or read from standard input because no file is given. */
const interpreter =
  (code: RegExp, query = QUERY): Check =>
  (words) => {
    if (words.some(({ value }) => code.test(value))) return true;
    if (words.some(({ value }) => query.test(value))) return false;
    const file = words.find(({ value, type }) => type === "dynamic" || !value.startsWith("-"));
    return file === undefined || isInput(file) || words.some(({ value }) => value === "-");
  };

/** `-m` names an installed module; some modules run code from their arguments. */
function python(words: readonly ShellWord[]): boolean {
  const at = words.findIndex(({ value }) => /^-\w*m/.test(value));
  const isCode = words.slice(0, at < 0 ? undefined : at).some(({ value }) => /^-[a-zA-Z]*c/.test(value));
  if (at < 0 || isCode) return isCode || interpreter(/^-$/)(words);
  const attached = /^-\w*?m(.+)$/s.exec(words[at]?.value ?? "")?.[1];
  return PYTHON_CODE.test(attached ?? words[at + 1]?.value ?? "");
}

function sed(words: readonly ShellWord[]): boolean {
  const { scripts, scriptFiles, isUnclear } = readSed(words);
  return (
    isUnclear ||
    scriptFiles.some((file) => isInput(file) || file.value === "-") ||
    scripts.some(({ value, type }) => type === "dynamic" || sedEffect(value).type === "unsafe")
  );
}

function awk(words: readonly ShellWord[]): boolean {
  const { program, isUnclear } = readAwk(words);
  if (isUnclear) return true;
  return program !== undefined && (program.type !== "static" || awkEffect(program.value).type === "unsafe");
}

/** With a database and a query as arguments, it does not read commands from its input. */
function sqlite(words: readonly ShellWord[], input?: string): boolean {
  const operands = words.filter(({ value }) => !value.startsWith("-"));
  const isPlain = ({ value, type }: ShellWord): boolean =>
    type === "static" && !SQLITE_CODE.test(value) && !/^--?(?:init|cmd)/.test(value);
  return !words.every(isPlain) || (operands.length < 2 && mayBeCode(input, SQLITE_CODE));
}

/** With a query or a script file as an argument, it does not read commands from its input. */
function psql(words: readonly ShellWord[], input?: string): boolean {
  const isGiven = words.some(({ value }) =>
    /^(?:-[a-zA-Z]*[cfl]|--(?:command|file|list)(?:=|$))/.test(value),
  );
  return (
    (!isGiven && mayBeCode(input, PSQL_CODE)) ||
    words.some((word, at) => isPsqlCode(word, words[at - 1]?.value ?? ""))
  );
}

function mayBeCode(input: string | undefined, code: RegExp): boolean {
  return input === undefined || code.test(input);
}

function isPsqlCode(word: ShellWord, option: string): boolean {
  const isFile = /^(?:-[a-zA-Z]*f|--file)$/.test(option);
  const isQuery = /^(?:-[a-zA-Z]*c|--command)$/.test(option);
  if (word.type === "dynamic") return word.splits || isFile || isQuery;
  return PSQL_CODE.test(word.value) || (isFile && (isInput(word) || word.value === "-"));
}

/** Attaching to a session and listing sessions run nothing; everything else does. */
function tmux(words: readonly ShellWord[]): boolean {
  return !TMUX_QUIET.test(words.find(({ value }) => !value.startsWith("-"))?.value ?? "-V");
}

/** Unless it only lists. */
const except =
  (query: RegExp): Check =>
  (words) =>
    !words.some(({ value }) => query.test(value));

const each = (names: string, check: Check): [string, Check][] =>
  names.split(" ").map((name) => [name, check]);

const CHECKS = new Map<string, Check>([
  ...each("python pypy ipython jython", python),
  ...each("node nodejs bun tsx ts-node esno vite-node qjs d8", interpreter(NODE_CODE, NODE_QUERY)),
  ["deno", has(/^(?:eval|repl|-)$|^data:/)],
  ["ruby", interpreter(/^-[a-zA-Z]*e|^-r/)],
  ["perl", interpreter(/^-[a-zA-Z0-9]*[eE]|^-[mM]/)],
  ["php", interpreter(/^-[rBRE]|^--(?:run|process)/)],
  ...each(
    "lua luajit julia Rscript R guile racket elixir iex swipl ocaml ghc ghci runghc groovy scala kotlin swift crystal octave " +
      "gnuplot clojure clj bb hy mongo",
    interpreter(/^-{1,2}(?:[a-z]*e|E|c|g|eval|print)(?:$|=|[^a-z])|^eval$/),
  ),
  ...each(
    "erl sbcl clisp emacs osascript pwsh powershell tclsh wish expect jshell irb",
    interpreter(LISP_CODE),
  ),
  ...each("vim vi nvim view rvim rview vimdiff gvim nano pico joe micro kak", has(EDITOR_CODE)),
  ...each(
    "ed ex red dc m4 ftp sftp telnet nc ncat socat bpftrace dtrace stap batch parallel env_parallel sem",
    always,
  ),
  ...each("gdb lldb cgdb", has(DEBUGGER_CODE)),
  ["bind", (words) => words.length > 0],
  ...each("sqlite3 duckdb", sqlite),
  ["psql", psql],
  ["redis-cli", has(/^(?:eval|evalsha|script|fcall|function)$/i)],
  ...each("mysql mariadb mongosh", has(/^-{1,2}(?:c|e|f|command|execute|eval|file)|\\!|system/)),
  // An unknown word could be a variable, whose value becomes part of commands.
  ...each(
    "make gmake",
    (words) =>
      has(MAKE_CODE)(words) || words.some(({ raw, type }) => type === "dynamic" || raw.includes("<(")),
  ),
  ["tmux", tmux],
  ["screen", has(/^(?:-\w*[Xmc]|[^-])/)],
  ["at", except(/^-[lrdcV]$/)],
  ["crontab", except(/^-l$/)],
  ["capsh", has(/^(?:--|==|\+|--shell)/)],
  ["enable", has(/^-\w*[fd]/)],
  ["hash", has(/^-\w*p/)],
  ...each("compgen complete", has(/^-\w*[CFW]/)),
  ["fc", except(/^-\w*l/)],
  ...each("sed gsed", sed),
  ...each("awk gawk mawk nawk original-awk", awk),
]);

/** Why the code that this program runs is not visible; undefined if it is not known to run code. */
export function runnerDoubt(
  name: string,
  words: readonly ShellWord[],
  input: string | undefined,
): string | undefined {
  const check = CHECKS.get(name) ?? CHECKS.get(name.replace(/[\d.]+$/, ""));
  return check?.(words.slice(1), input) === true ? `${name} runs code that cannot be checked` : undefined;
}

const INTERPRETERS =
  /^(?:python|pypy|node|nodejs|bun|deno|ruby|perl|php|lua|luajit|julia|Rscript|guile|racket|elixir|tclsh|expect|tsx|ts-node|osascript|pwsh|swipl|groovy)[\d.]*$/;

/** Whether this program runs a script file. */
export function isInterpreter(name: string): boolean {
  return INTERPRETERS.test(name);
}
