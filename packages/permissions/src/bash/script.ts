/** What is known of a shell command before it runs: the commands in it, and what could not be understood. */

import type { RealPath } from "./links.ts";

/** One word of a command. */
export interface ShellWord {
  /** As it is written. */
  readonly raw: string;
  /** Without quotes and escapes; what is not known before it runs stays as it is written. */
  readonly value: string;
  /** `static`: the value is what the command gets; `glob`: the value is a pattern of file names. */
  readonly type: "static" | "glob" | "dynamic";
  /** May become several words, or none. */
  readonly splits: boolean;
  /** Began with `~`. */
  readonly fromTilde: boolean;
}

/** `NAME=value` before a command. */
export interface ShellAssignment {
  /** The name of the variable. */
  readonly name: string;
  /** As it is written: `NAME=value`. */
  readonly raw: string;
  /** The value is known before the command runs. */
  readonly isStatic: boolean;
  /** What the variable gets; undefined if that is not known before it runs. */
  readonly value: string | undefined;
}

/** A redirection of a command: `> file`, `< file`, `2>&1`. */
export type ShellRedirect =
  /** From or to a file. */
  | { readonly type: "file"; readonly mode: "read" | "write" | "both"; readonly target: ShellWord }
  /** Between descriptors, or closing one: touches no file. */
  | { readonly type: "descriptor" };

/** One simple command, wherever it stands in the text. */
export interface ShellCommand {
  /** The program and its arguments; empty for assignments or redirections alone. */
  readonly words: readonly ShellWord[];
  /** The variables that are set before the program. */
  readonly assignments: readonly ShellAssignment[];
  /** The redirections, in their order. */
  readonly redirects: readonly ShellRedirect[];
  /** The folders that it can run in; undefined if they are not known. */
  folders: readonly string[] | undefined;
  /** A change of folder came before it. */
  moved: boolean;
  /** Can run more than once, or later than what follows it. */
  isRepeated: boolean;
  /** The words that are not the name of the program, nor part of a command in the list that it runs. */
  unread: readonly ShellWord[];
  /** What it reads from its input, if that stands in the text. */
  readonly input?: string;
  /** Run by another command that is in the list (`sudo`, `sh -c`, `find -exec`): it is looked at for denies only. */
  readonly isInner: boolean;
}

/** What a command consists of, without where and how it runs. */
export type ShellCommandParts = Pick<ShellCommand, "words" | "assignments" | "redirects" | "input">;

/** All commands of a text, and what could not be determined about it. */
export interface ShellScript {
  /** Every command, also those in substitutions and those that other commands run. */
  readonly commands: readonly ShellCommand[];
  /** Why it cannot be determined what this runs; empty if it can. */
  readonly doubts: readonly string[];
  /** Some command that it runs cannot be seen in the text. */
  readonly isOpaque: boolean;
  /** Why a program that a rule may allow can run something that cannot be seen: code for an interpreter, a container. */
  readonly hides: readonly string[];
  /** The variables that loops set, with the words that they go through; undefined if these are not known. */
  readonly loops: ReadonlyMap<string, readonly ShellWord[] | undefined>;
  /** It could not be parsed at all, or not to its end. */
  readonly isUnreadable: boolean;
}

/** Where a command runs. */
export interface ShellScope {
  /** The working directory, an absolute path. */
  readonly cwd: string;
  /** What `~` and `$HOME` stand for. */
  readonly home: string;
  /** Resolves links. Default: every path is taken as it is written. */
  readonly realpath?: RealPath;
}
