/** The commands that a command runs from its own arguments or input, so that denies apply to them. */

import { longOption, maySay, readOptions, table } from "./options.ts";
import { isInput, runnerDoubt } from "./runners.ts";
import type { ShellWord } from "./script.ts";
import { unknownWord } from "./word.ts";
import { unwrap } from "./wrappers.ts";

interface InnerBase {
  /** A rule can allow the program as it is, so what it runs matters only to denies. */
  readonly isOwn?: boolean;
}

export type Inner = InnerBase &
  (
    | {
        readonly type: "words";
        readonly words: readonly ShellWord[];
        /** The folder that it runs in, if that is another one. */
        readonly folder?: ShellWord | "unknown";
        /** The command could begin at this word or at another one. */
        readonly isGuess?: boolean;
      }
    /** `from`: the words that contain it. */
    | { readonly type: "script"; readonly text: string; readonly from: readonly ShellWord[] }
    /** It runs something that is not visible. */
    | { readonly type: "opaque"; readonly why: string }
  );

/** Shells whose syntax differs from bash. */
const OTHER_SHELLS = new Set("zsh ksh mksh fish csh tcsh yash posh osh nu xonsh elvish".split(" "));
const SHELLS = new Set(["sh", "bash", "dash", "ash", "rbash", ...OTHER_SHELLS]);
const LOADER = /^ld(?:-linux[\w-]*|-musl[\w-]*|-\d[\w.]*|64|\.so)?\.so(?:\.\d+)?$|^ld\.so$/;
const MAX_SUFFIXES = 24;
const REPLACED = /\{\}/;

/** `input` is what the command reads from standard input, if the text contains it; undefined otherwise. */
export function innerOf(words: readonly ShellWord[], input: string | undefined): Inner[] {
  const [first] = words;
  if (first === undefined) return [];
  if (first.type !== "static")
    return [{ type: "opaque", why: "it runs a command whose name is not known in advance" }];
  const name = baseName(first.value);
  if (isShell(name)) return ofShell(words, input);
  if (name === "source" || name === ".") return ofSource(words, input);
  const doubt = runnerDoubt(name, words, input);
  const inner = LOADER.test(name) ? own(suffixes(words)) : innerByName(words, name);
  return doubt === undefined ? inner : [...inner, { type: "opaque", why: doubt, isOwn: true }];
}

function innerByName(words: readonly ShellWord[], name: string): Inner[] {
  const special = SPECIAL.get(name);
  if (special !== undefined) return special(words);
  // A lookup, which runs nothing.
  if (name === "command" && /^-[vV]$/.test(words[1]?.value ?? "")) return [];
  const inner = unwrap(words, name);
  if (inner.type === "command")
    return inAnotherFolder(words, [
      { type: "words", words: inner.words },
      ...afterFlag(words, ["-c"], name === "flock"),
    ]);
  return inner.type === "unclear" ? inAnotherFolder(words, suffixes(words)) : [];
}

const FOLDER_OPTION = /^(?:-[a-zA-Z]*[CD]|--(?:chdir|wd|working-directory|cwd|workdir))$/;
const FOLDER_ATTACHED = /^(?:-[CD]|--(?:chdir|wd|working-directory|cwd|workdir)=)(.+)$/s;

/** `env -C dir`, `sudo -D dir`, `chroot dir`. */
function inAnotherFolder(words: readonly ShellWord[], all: Inner[]): Inner[] {
  const isChroot = baseName(words[0]?.value ?? "") === "chroot";
  const folder = isChroot ? "unknown" : words.flatMap(folderIn).at(-1);
  return folder === undefined
    ? all
    : all.map((inner) => (inner.type === "words" ? { ...inner, folder } : inner));
}

function folderIn(word: ShellWord, at: number, words: readonly ShellWord[]): ShellWord[] {
  const next = words[at + 1];
  if (at > 0 && FOLDER_OPTION.test(word.value) && next !== undefined) return [next];
  const attached = at > 0 ? FOLDER_ATTACHED.exec(word.value)?.[1] : undefined;
  return attached === undefined ? [] : [{ ...word, value: attached }];
}

/** Also `bash5` and `zsh-5.9`. */
export function isShell(name: string): boolean {
  return SHELLS.has(name.replace(/-?\d[\d.]*$/, ""));
}

/** Returns the words that are not part of a command that the program runs. */
export function unreadOf(words: readonly ShellWord[], all: readonly Inner[]): readonly ShellWord[] {
  const read = new Set(
    all.flatMap((inner) => {
      if (inner.type === "script") return inner.from;
      return inner.type === "words" && inner.isGuess !== true ? inner.words : [];
    }),
  );
  return words.slice(1).filter((word) => !read.has(word));
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
        : [{ type: "words", words: words.slice(at + 1), isGuess: true }],
    );
}

function own(all: readonly Inner[]): Inner[] {
  return all.map((inner) => ({ ...inner, isOwn: true }));
}

function script(words: readonly ShellWord[]): Inner {
  return words.every(({ type }) => type !== "dynamic")
    ? { type: "script", text: words.map(({ value }) => value).join(" "), from: words }
    : { type: "opaque", why: "it runs a script that is not known in advance" };
}

/** The value of one of these options, as a script. */
function afterFlag(words: readonly ShellWord[], flags: readonly string[], wanted = true): Inner[] {
  if (!wanted) return [];
  return words.flatMap((word, at): Inner[] => {
    const next = words[at + 1];
    const isFlag = flags.includes(word.value) || (flags.includes("-c") && /^-[a-zA-Z]+c$/.test(word.value));
    if (isFlag && next !== undefined) return [script([next])];
    const attached = flags.find((flag) => /^-\w$/.test(flag) && word.value.startsWith(flag));
    if (attached !== undefined && word.value.length > 2)
      return [script([{ ...word, value: word.value.slice(2) }])];
    const names = flags.flatMap((flag) => (flag.startsWith("--") ? [flag.slice(2)] : []));
    if (!maySay(word.value, names)) return [];
    const value = longOption(word.value)?.value;
    if (value !== undefined) return [script([{ ...word, value }])];
    return next === undefined ? [] : [script([next])];
  });
}

function ofShell(words: readonly ShellWord[], input: string | undefined): Inner[] {
  const name = baseName(words[0]?.value ?? "");
  const flag = words.findIndex(({ value }, at) => at > 0 && /^-[A-Za-z]*c[A-Za-z]*$/.test(value));
  if (flag > 0) {
    const end = words.findIndex(({ value }, at) => at > flag && value === "--");
    const text =
      end > 0
        ? words[end + 1]
        : words.slice(flag + 1).find(({ value, type }) => type !== "static" || !/^[-+]/.test(value));
    return text === undefined
      ? [{ type: "opaque", why: "it starts a shell without a script" }]
      : readBy(name, script([text]));
  }
  const operand = words.slice(1).find(({ value, type }) => type === "dynamic" || !/^[-+]/.test(value));
  const readsInput = operand === undefined || words.some(({ value }) => value === "-s") || isInput(operand);
  if (input !== undefined) return readBy(name, { type: "script", text: input, from: [] });
  return readsInput ? [{ type: "opaque", why: "a shell runs commands from its input" }] : [];
}

/** Scripts are parsed as bash, which other shells can parse differently. */
function readBy(name: string, inner: Inner): Inner[] {
  const isOther =
    OTHER_SHELLS.has(name) || (name !== "bash" && inner.type === "script" && /\$['"]/.test(inner.text));
  return isOther
    ? [inner, { type: "opaque", why: `${name} may parse the script differently than bash`, isOwn: true }]
    : [inner];
}

/** A script that is loaded into the current shell. */
function ofSource(words: readonly ShellWord[], input: string | undefined): Inner[] {
  const [, file] = words;
  if (file === undefined || !isInput(file)) return [];
  return [
    input === undefined
      ? { type: "opaque", why: "it runs a script that is not known in advance" }
      : { type: "script", text: input, from: [] },
  ];
}

/** `find … -exec command {} ;` and similar options, and `fd … -x command`. */
function ofFind(flags: ReadonlySet<string>): (words: readonly ShellWord[]) => Inner[] {
  return (words) =>
    words.flatMap((word, at): Inner[] => {
      if (!flags.has(word.value)) return [];
      const rest = words.slice(at + 1);
      const end = rest.findIndex(({ value }) => value === ";" || value === "+");
      const given = end < 0 ? rest : rest.slice(0, end);
      // fd appends the names if the command does not say where they belong.
      const isAppended = FD_FLAGS.has(word.value) && !given.some(({ value }) => /\{[^\s{}]*\}/.test(value));
      const inner = {
        type: "words" as const,
        words: filled(isAppended ? [...given, unknownWord("{}", true)] : given),
      };
      // It runs in the folder of each file that is found.
      return [word.value.endsWith("dir") ? { ...inner, folder: "unknown" } : inner];
    });
}

/** The words with `{}` replaced. */
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
    // env -S has its own escapes and variables.
    if (/[\\$]/.test(attached + rest.map(({ value }) => value).join("")))
      return [{ type: "opaque", why: "env -S splits a string that contains escapes or variables" }];
    return [script(attached === "" ? rest : [{ ...(words[split] as ShellWord), value: attached }, ...rest])];
  }
  const inner = unwrap(words, "env");
  if (inner.type === "command") return inAnotherFolder(words, [{ type: "words", words: inner.words }]);
  return inner.type === "unclear" ? inAnotherFolder(words, suffixes(words)) : [];
}

/** The programs that git arguments name: `rebase -x`, `submodule foreach`, `bisect run`, aliases given by `-c`. */
function ofGit(words: readonly ShellWord[]): Inner[] {
  const values = words.map(({ value }) => value);
  const foreach = values.indexOf("foreach");
  const run = values.includes("bisect") ? values.indexOf("run") : -1;
  const aliases = values.flatMap((value, at): Inner[] => {
    const setting = values[at - 1] === "-c" ? value : /^-c(.+)$/s.exec(value)?.[1];
    const command = setting === undefined ? undefined : /^[\w.-]+=!?(.*)$/s.exec(setting)?.[1];
    return command === undefined ? [] : [{ type: "script", text: command, from: [] }];
  });
  const hidesSetting = values.some((value) => value.startsWith("--config-env"));
  return [
    ...(hidesSetting ? own([{ type: "opaque", why: "git reads a setting from the environment" }]) : []),
    ...afterFlag(words, ["-x", "--exec", "--extcmd", "--upload-pack", "--receive-pack"]),
    ...pagersOfGrep(words),
    ...(foreach > 0 && values.includes("submodule")
      ? [script(words.slice(foreach + 1).filter(({ value }) => !value.startsWith("--")))]
      : []),
    ...(run > 0 ? [{ type: "words" as const, words: words.slice(run + 1) }] : []),
    ...aliases,
  ];
}

/** `git grep -O<pager>`: the value of this option is in the same word. */
function pagersOfGrep(words: readonly ShellWord[]): Inner[] {
  if (!words.some(({ value }) => value === "grep")) return [];
  return words.flatMap((word): Inner[] => {
    const value = /^(?:-O|--open-files-in-pager=)(.+)$/s.exec(word.value)?.[1];
    return value === undefined ? [] : [script([{ ...word, value }])];
  });
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
  // It passes its arguments to a shell.
  return at < words.length ? [script(words.slice(at))] : [];
}

/** Without the first `--`. */
function operands(words: readonly ShellWord[]): readonly ShellWord[] {
  return words.slice(words[1]?.value === "--" ? 2 : 1);
}

const SSH_TAKES = /^-[BbcDEeFIiJLlmOopQRSWw]$/;

/** The words after the host are a script for that host. */
function ofSsh(words: readonly ShellWord[]): Inner[] {
  let at = 1;
  for (; words[at]?.value.startsWith("-") === true; at++) if (SSH_TAKES.test(words[at]?.value ?? "")) at++;
  const rest = words.slice(at + 1);
  return own([rest.length > 0 ? script(rest) : { type: "opaque", why: "ssh runs commands from its input" }]);
}

const IN_CONTAINER = /^(?:exec|run|create|debug)$/;

function ofContainer(words: readonly ShellWord[]): Inner[] {
  const at = words.findIndex(({ value }) => IN_CONTAINER.test(value));
  return at < 0 ? [] : own(suffixes(words.slice(at)));
}

const NPX = table(
  "+yqp:w:",
  "yes no no-install quiet package: offline prefer-offline prefer-online workspace:",
);

/** With an unknown option, the program could begin at any word. */
function ofNpx(words: readonly ShellWord[]): Inner[] {
  const isNpx = words[0]?.value.endsWith("npx") === true;
  const at = isNpx ? 1 : words.findIndex(({ value }) => /^(?:exec|x)$/.test(value)) + 1;
  const program = readOptions(words.slice(at), NPX)?.operands;
  const known: Inner[] =
    program === undefined || program.length === 0 ? [] : [{ type: "words", words: program }];
  const inner = program === undefined ? suffixes(words) : known;
  return own([...afterFlag(words, ["-c", "--call"]), ...inner]);
}

/** `poetry run …`, `pnpm exec …`: the program follows a word, perhaps after options. */
function afterWord(verbs: RegExp): (words: readonly ShellWord[]) => Inner[] {
  return (words) => {
    const at = words.findIndex(({ value }, place) => place > 0 && verbs.test(value));
    const inner = at < 0 ? [] : suffixes(words.slice(at));
    return own(inner.filter((one) => one.type !== "words" || one.words[0]?.type === "static"));
  };
}

function ofSu(words: readonly ShellWord[]): Inner[] {
  return [...afterFlag(words, ["-c", "--command", "--session-command"]), ...own(suffixes(words))];
}

const FIND_FLAGS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const FD_FLAGS = new Set(["-x", "-X", "--exec", "--exec-batch"]);
const scriptAfter =
  (...flags: string[]) =>
  (words: readonly ShellWord[]): Inner[] =>
    afterFlag(words, flags);

const each = (
  names: string,
  inner: (words: readonly ShellWord[]) => Inner[],
): [string, (words: readonly ShellWord[]) => Inner[]][] => names.split(" ").map((name) => [name, inner]);

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
  ["parallel", (words) => inAnotherFolder(words, suffixes(words))],
  ["eval", (words) => (operands(words).length > 0 ? [script(operands(words))] : [])],
  ["trap", (words) => (operands(words).length > 1 ? [script(operands(words).slice(0, 1))] : [])],
  ["jobs", (words) => (words[1]?.value === "-x" ? [{ type: "words", words: words.slice(2) }] : [])],
  ["ssh", ofSsh],
  ["docker", ofContainer],
  ["podman", ofContainer],
  ["nerdctl", ofContainer],
  ["kubectl", ofContainer],
  ["oc", ofContainer],
  ...each(
    "poetry pipenv hatch pdm rye conda mamba micromamba uv op doppler infisical dotenvx tox",
    afterWord(/^run$/),
  ),
  ...each(
    "mise asdf direnv chamber aws-vault bundle lerna nx rush pnpm yarn",
    afterWord(/^(?:exec|x|dlx|--)$/),
  ),
  ["bun", afterWord(/^x$/)],
  ["npx", ofNpx],
  ["npm", (words) => (words.some(({ value }) => /^(?:exec|x)$/.test(value)) ? ofNpx(words) : [])],
  ["mapfile", scriptAfter("-C")],
  ["readarray", scriptAfter("-C")],
  ["su", ofSu],
  ["runuser", ofSu],
  ["setarch", suffixes],
  ["script", scriptAfter("-c", "--command")],
  ["nix-shell", scriptAfter("--run", "--command")],
  ["rg", scriptAfter("--pre")],
]);
