/**
 * Programs that could run their arguments although nothing here lists what they run: task runners, wrappers of package
 * managers, remote shells, and every program that is not known at all.
 */

import { innerOf, isShell, baseName } from "./inner.ts";
import { longOption } from "./options.ts";
import { isOrdinary } from "./ordinary.ts";
import { isInterpreter } from "./runners.ts";
import type { ShellCommand, ShellWord } from "./script.ts";
import { readShell } from "./walk.ts";

type Runs = Pick<ShellCommand, "words" | "unread" | "input">;

/** Programs that start another one, wherever they are in the arguments. */
const STARTERS = /^(?:busybox|toybox|env|xargs|sudo|doas|su|nohup|timeout|nice|stdbuf|setsid|ssh|eval)$/;
/** Words before the name of a program without arguments of its own: `poetry run python`. */
const BEFORE_PROGRAM = /^(?:run|exec|x|--|-x|-e|-X|--exec|--command|shell)$/;
/** Options whose value is usually code. */
const CODE_OPTION =
  /^(?:-c|-e|-Command|--(?:eval|exec|execute|command|cmd|run|call|shell|code|expression|sh-exec))$/;
/** They compile a file with `-c` or print something with `-e`. */
const HAS_OTHER_MEANING =
  /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|nvcc|ping|docker|podman|kubectl|curl)$/;
/** Programs that run any argument as a command. */
const RUN_ARGUMENTS = new Set(
  (
    "concurrently nodemon watchexec hyperfine wsl cmd cmd.exe adb mosh autossh sshpass pssh dsh clush ansible salt salt-call " +
    "cross-env cross-env-shell env-cmd dotenv dotenvx run-one nq ifne pee zargs wireit npm-run-all run-p run-s foreman honcho " +
    "overmind task just fswatch inotifywait"
  ).split(" "),
);
/** Programs that run a command after one of these words. */
const RUN_AFTER = /^(?:run|exec|x|dlx|ssh|shell|cmd\.run|console|--)$/;
const RUN_WITH_WORD = new Set(
  (
    "poetry pipenv hatch pdm rye conda mamba micromamba mise asdf direnv op doppler infisical chamber aws-vault uv pipx tox " +
    "nox bundle nix devbox yarn pnpm bun lerna nx rush turbo vagrant multipass lxc incus machinectl heroku fly flyctl gcloud " +
    "pre-commit mix cargo"
  ).split(" "),
);
/** A script in a text: a substitution, or a command that runs text. */
const RUNS_TEXT = /\$\(|`|(?:^|[;&|]\s*)(?:eval|source|\.)\s/;

/** Why the program could run a command that is not visible; undefined if it cannot, as far as known. */
export function hiddenBelow(command: Runs): string | undefined {
  const { words, unread, input } = command;
  const [first, ...rest] = words;
  if (first?.type !== "static" || unread.length === 0 || isOrdinary(words)) return undefined;
  const name = baseName(first.value);
  const open = new Set(unread);
  const isHidden =
    runsUnknown(name, rest, open) ||
    words.some((word, at) => at > 0 && open.has(word) && startsHidden(words, at, input));
  return isHidden ? `${name} could run a command that is unknown until it runs` : undefined;
}

function runsUnknown(name: string, words: readonly ShellWord[], open: ReadonlySet<ShellWord>): boolean {
  const from = RUN_ARGUMENTS.has(name)
    ? 0
    : RUN_WITH_WORD.has(name)
      ? words.findIndex(({ value }) => RUN_AFTER.test(value)) + 1 || words.length
      : undefined;
  return words.some((word, at) => {
    if (!open.has(word)) return false;
    if (from !== undefined && at >= from && isHiddenText(word)) return true;
    const option = longOption(word.value);
    if (option?.value !== undefined) return CODE_OPTION.test(`--${option.name}`) && isHiddenText(word);
    const before = words[at - 1]?.value ?? "";
    return CODE_OPTION.test(before) && !HAS_OTHER_MEANING.test(name) && isHiddenText(word);
  });
}

function isHiddenText({ type, value }: ShellWord): boolean {
  return type === "dynamic" || RUNS_TEXT.test(value);
}

/** Whether a shell or an interpreter begins here that runs something that is not visible. */
function startsHidden(words: readonly ShellWord[], at: number, input: string | undefined): boolean {
  const word = words[at] as ShellWord;
  const name = word.type === "static" ? baseName(word.value) : "";
  if (!isShell(name) && !isInterpreter(name) && !STARTERS.test(name)) return false;
  const isAlone = at === words.length - 1;
  if (isAlone && !BEFORE_PROGRAM.test(words[at - 1]?.value ?? "")) return false;
  return hides(words.slice(at), input, 0);
}

const MAX_DEPTH = 8;
const SCOPE = { cwd: "/", home: "/" };

function hides(words: readonly ShellWord[], input: string | undefined, depth: number): boolean {
  if (depth > MAX_DEPTH) return true;
  return innerOf(words, input).some((inner) => {
    if (inner.type === "opaque") return true;
    if (inner.type === "script") return readShell(inner.text, SCOPE).isOpaque;
    return hides(inner.words, input, depth + 1);
  });
}
