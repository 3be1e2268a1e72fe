/** What is known about a shell command before it runs: the commands in it, and what could not be determined. */

import type { RealPath } from "./links.ts";

/** One word of a command. */
export interface ShellWord {
  /** The word as written. */
  readonly raw: string;
  /** The word without quotes and escapes; parts that are unknown until it runs stay as written. */
  readonly value: string;
  /**
   * `static`: the value is what the command gets; `glob`: the value is a file name pattern; `dynamic`: the value is
   * unknown until the command runs.
   */
  readonly type: "static" | "glob" | "dynamic";
  /** It can become several words, or none. */
  readonly splits: boolean;
  /** It began with `~`. */
  readonly fromTilde: boolean;
  /** It is dynamic, and a pattern in it lists a folder that is unknown until the command runs. */
  readonly expands?: boolean;
}

/** `NAME=value` before a command. */
export interface ShellAssignment {
  /** The name of the variable. */
  readonly name: string;
  /** The assignment as written: `NAME=value`. */
  readonly raw: string;
  /** The value is known before the command runs. */
  readonly isStatic: boolean;
  /** The value of the variable; undefined if it is unknown until the command runs. */
  readonly value: string | undefined;
}

/** A redirection of a command: `> file`, `< file`, `2>&1`. */
export type ShellRedirect =
  /** From or to a file. */
  | {
      readonly type: "file";
      /** What happens to the file. */
      readonly mode: "read" | "write" | "both";
      /** The word that names the file. */
      readonly target: ShellWord;
    }
  /** Between descriptors, or closing one: no file is touched. */
  | { readonly type: "descriptor" };

/** One simple command, anywhere in the text. */
export interface ShellCommand {
  /** The program and its arguments; empty for assignments or redirections without a program. */
  readonly words: readonly ShellWord[];
  /** The assignments before the program. */
  readonly assignments: readonly ShellAssignment[];
  /** The redirections, in order. */
  readonly redirects: readonly ShellRedirect[];
  /** The folders that it can run in; undefined if unknown. */
  folders: readonly string[] | undefined;
  /** The folder was changed before it. */
  moved: boolean;
  /** It can run more than once, or later than the commands after it. */
  isRepeated: boolean;
  /** The words that are neither the program's name nor part of a listed command that it runs. */
  unread: readonly ShellWord[];
  /** Its standard input, if the text contains it. */
  readonly input?: string;
  /** A variable in its words or here-documents whose name says that it holds a secret. */
  readonly secret?: string;
  /** It is run by another listed command (`sudo`, `sh -c`, `find -exec`) and matters only to denies. */
  readonly isInner: boolean;
}

/** The parts of a command, without where and how it runs. */
export type ShellCommandParts = Pick<
  ShellCommand,
  "words" | "assignments" | "redirects" | "input" | "secret"
>;

/** All commands of a text, and what could not be determined about it. */
export interface ShellScript {
  /** Every command, including those in substitutions and those that other commands run. */
  readonly commands: readonly ShellCommand[];
  /** Why it cannot be determined what the text runs; empty if it can. */
  readonly doubts: readonly string[];
  /** It runs a command that is not visible in the text. */
  readonly isOpaque: boolean;
  /**
   * Why a program that a rule can allow could run something that is not visible: code for an interpreter, a container.
   */
  readonly hides: readonly string[];
  /** The variables that loops set, with the words that they iterate over; undefined if these are unknown. */
  readonly loops: ReadonlyMap<string, readonly ShellWord[] | undefined>;
  /** It could not be parsed completely. */
  readonly isUnreadable: boolean;
  /** A shell on this machine runs text or a program that is unknown until it runs. */
  readonly runsUnknown: boolean;
}

/** Where a command runs. */
export interface ShellScope {
  /** The working directory, an absolute path. */
  readonly cwd: string;
  /** What `~` and `$HOME` stand for. */
  readonly home: string;
  /** Resolves links. Default: paths are used as written. */
  readonly realpath?: RealPath;
}
