/** The commands that a command runs out of its own arguments or input, so that denies see them. */

import { longOption, maySay } from "./options.ts";
import type { ShellWord } from "./script.ts";
import { unknownWord } from "./word.ts";
import { unwrap } from "./wrappers.ts";

export type Inner =
  | { readonly type: "words"; readonly words: readonly ShellWord[] }
  | { readonly type: "script"; readonly text: string }
  /** Something is run that is not to be seen. */
  | { readonly type: "opaque"; readonly why: string };

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "fish", "csh", "tcsh"]);
const MAX_SUFFIXES = 24;
const REPLACED = /\{\}/;

/** `input` is what the command reads, where that stands in the text; undefined where it reads something else. */
export function innerOf(words: readonly ShellWord[], input: string | undefined): Inner[] {
  const [first] = words;
  if (first === undefined) return [];
  if (first.type !== "static") return [{ type: "opaque", why: "the name of a command is not known" }];
  const name = baseName(first.value);
  if (SHELLS.has(name)) return ofShell(words, input);
  if (name === "source" || name === ".") return ofSource(words, input);
  const special = SPECIAL.get(name);
  if (special !== undefined) return special(words);
  // A query, which runs nothing.
  if (name === "command" && /^-[vV]$/.test(words[1]?.value ?? "")) return [];
  const inner = unwrap(words, name);
  if (inner.type === "command")
    return [{ type: "words", words: inner.words }, ...afterFlag(words, ["-c"], name === "flock")];
  return inner.type === "unclear" ? suffixes(words) : [];
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function suffixes(words: readonly ShellWord[]): Inner[] {
  return words
    .slice(1, MAX_SUFFIXES)
    .flatMap((word, at): Inner[] =>
      word.type === "static" && word.value.startsWith("-")
        ? []
        : [{ type: "words", words: words.slice(at + 1) }],
    );
}

function script(words: readonly ShellWord[]): Inner {
  return words.every(({ type }) => type !== "dynamic")
    ? { type: "script", text: words.map(({ value }) => value).join(" ") }
    : { type: "opaque", why: "a script is not known before it runs" };
}

/** What stands behind one of these options, as a script of its own. */
function afterFlag(words: readonly ShellWord[], flags: readonly string[], wanted = true): Inner[] {
  if (!wanted) return [];
  return words.flatMap((word, at): Inner[] => {
    const next = words[at + 1];
    const isFlag = flags.includes(word.value) || (flags.includes("-c") && /^-[a-zA-Z]+c$/.test(word.value));
    if (isFlag && next !== undefined) return [script([next])];
    const names = flags.flatMap((flag) => (flag.startsWith("--") ? [flag.slice(2)] : []));
    if (!maySay(word.value, names)) return [];
    const value = longOption(word.value)?.value;
    if (value !== undefined) return [script([{ ...word, value }])];
    return next === undefined ? [] : [script([next])];
  });
}

function ofShell(words: readonly ShellWord[], input: string | undefined): Inner[] {
  const flag = words.findIndex(({ value }, at) => at > 0 && /^-[A-Za-z]*c[A-Za-z]*$/.test(value));
  if (flag > 0) {
    const text = words.slice(flag + 1).find(({ value, type }) => type !== "static" || !/^[-+]/.test(value));
    return text === undefined ? [{ type: "opaque", why: "a shell without a script" }] : [script([text])];
  }
  const operand = words.slice(1).find(({ value }) => !/^[-+]/.test(value));
  const readsInput = operand === undefined || words.some(({ value }) => value === "-s") || isInput(operand);
  if (input !== undefined) return [{ type: "script", text: input }];
  return readsInput ? [{ type: "opaque", why: "a shell runs what it reads" }] : [];
}

/** `/dev/stdin`, or what a substitution gives. */
function isInput({ value, type }: ShellWord): boolean {
  return type === "dynamic" || /^\/(?:dev\/(?:stdin|fd\/)|proc\/self\/fd\/)/.test(value);
}

/** A script that is read into this shell. */
function ofSource(words: readonly ShellWord[], input: string | undefined): Inner[] {
  const [, file] = words;
  if (file === undefined || !isInput(file)) return [];
  return [
    input === undefined
      ? { type: "opaque", why: "a script is not known before it runs" }
      : { type: "script", text: input },
  ];
}

/** `find … -exec command {} ;` and its relatives, and `fd … -x command`. */
function ofFind(flags: ReadonlySet<string>): (words: readonly ShellWord[]) => Inner[] {
  return (words) =>
    words.flatMap((word, at): Inner[] => {
      if (!flags.has(word.value)) return [];
      const rest = words.slice(at + 1);
      const end = rest.findIndex(({ value }) => value === ";" || value === "+");
      return [{ type: "words", words: filled(end < 0 ? rest : rest.slice(0, end)) }];
    });
}

/** With what is put in for `{}`. */
function filled(words: readonly ShellWord[], mark = REPLACED): ShellWord[] {
  return words.map((word) => (mark.test(word.value) ? unknownWord(word.raw, false) : word));
}

const XARGS_TAKES =
  /^-(?:[aEeIiLlnPsd]|-(?:arg-file|delimiter|eof|replace|max-lines|max-args|max-procs|max-chars))$/;
const XARGS_ALONE = /^-(?:[0optrx]+|[aEeIiLlnPsd].+|-[a-z-]+(?:=.*)?)$/;

function ofXargs(words: readonly ShellWord[]): Inner[] {
  let at = 1;
  let replaced: string | undefined;
  for (; at < words.length; at++) {
    const { value } = words[at] as ShellWord;
    if (value === "--") {
      at++;
      break;
    }
    if (!value.startsWith("-")) break;
    const isReplace = /^(?:-I|-i|--replace)/.test(value);
    if (isReplace) replaced = value === "-I" ? (words[at + 1]?.value ?? "{}") : "{}";
    if (XARGS_TAKES.test(value) && !/^-(?:[eil]|-(?:eof|replace|max-lines))$/.test(value)) at++;
    else if (!XARGS_ALONE.test(value) && !isReplace) return suffixes(words);
  }
  const inner = words.slice(at);
  if (inner.length === 0) return [];
  if (replaced === undefined) return [{ type: "words", words: [...inner, unknownWord("…", true)] }];
  const mark = replaced;
  return [
    {
      type: "words",
      words: inner.map((word) => (word.value.includes(mark) ? unknownWord(word.raw, false) : word)),
    },
  ];
}

function ofEnv(words: readonly ShellWord[]): Inner[] {
  const split = words.findIndex(({ value }) => /^(?:-\w*S|--split-string)/.test(value));
  if (split > 0) {
    const attached = (words[split] as ShellWord).value.replace(/^(?:-\w*?S|--split-string=?)/, "");
    const rest = words.slice(split + 1);
    return [script(attached === "" ? rest : [{ ...(words[split] as ShellWord), value: attached }, ...rest])];
  }
  const inner = unwrap(words, "env");
  if (inner.type === "command") return [{ type: "words", words: inner.words }];
  return inner.type === "unclear" ? suffixes(words) : [];
}

/** Of git, what names programs: `rebase -x`, `submodule foreach`, `bisect run`, aliases given by `-c`. */
function ofGit(words: readonly ShellWord[]): Inner[] {
  const values = words.map(({ value }) => value);
  const foreach = values.indexOf("foreach");
  const run = values.includes("bisect") ? values.indexOf("run") : -1;
  const aliases = values.flatMap((value, at): Inner[] => {
    const command = values[at - 1] === "-c" ? /^[\w.-]+=!?(.*)$/s.exec(value)?.[1] : undefined;
    return command === undefined ? [] : [{ type: "script", text: command }];
  });
  return [
    ...afterFlag(words, ["-x", "--exec", "--extcmd", "--upload-pack", "--receive-pack"]),
    ...(foreach > 0 && values.includes("submodule")
      ? [script(words.slice(foreach + 1).filter(({ value }) => !value.startsWith("--")))]
      : []),
    ...(run > 0 ? [{ type: "words" as const, words: words.slice(run + 1) }] : []),
    ...aliases,
  ];
}

function ofAlias(words: readonly ShellWord[]): Inner[] {
  return words
    .slice(1)
    .filter(({ value }) => value.includes("="))
    .map((word) => script([{ ...word, value: word.value.slice(word.value.indexOf("=") + 1) }]));
}

function ofWatch(words: readonly ShellWord[]): Inner[] {
  let at = 1;
  for (; words[at]?.value.startsWith("-") === true; at++)
    if (/^(?:-n|-q|--interval|--equexit)$/.test(words[at]?.value ?? "")) at++;
  // It hands its arguments to a shell.
  return at < words.length ? [script(words.slice(at))] : [];
}

const FIND_FLAGS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const FD_FLAGS = new Set(["-x", "-X", "--exec", "--exec-batch"]);
const scriptAfter =
  (...flags: string[]) =>
  (words: readonly ShellWord[]): Inner[] =>
    afterFlag(words, flags);

const SPECIAL = new Map<string, (words: readonly ShellWord[]) => Inner[]>([
  ["find", ofFind(FIND_FLAGS)],
  ["gfind", ofFind(FIND_FLAGS)],
  ["fd", ofFind(FD_FLAGS)],
  ["fdfind", ofFind(FD_FLAGS)],
  ["xargs", ofXargs],
  ["env", ofEnv],
  ["git", ofGit],
  ["alias", ofAlias],
  ["watch", ofWatch],
  ["parallel", suffixes],
  ["eval", (words) => (words.length > 1 ? [script(words.slice(1))] : [])],
  ["trap", (words) => (words.length > 2 ? [script(words.slice(1, 2))] : [])],
  ["mapfile", scriptAfter("-C")],
  ["readarray", scriptAfter("-C")],
  ["su", scriptAfter("-c", "--command")],
  ["runuser", scriptAfter("-c", "--command")],
  ["script", scriptAfter("-c", "--command")],
  ["nix-shell", scriptAfter("--run", "--command")],
  ["rg", scriptAfter("--pre")],
]);
