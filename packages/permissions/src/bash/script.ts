/** What is known of a shell command before it runs: the commands in it, and what could not be understood. */

import type { RealPath } from "./links.ts";

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

export interface ShellAssignment {
  readonly name: string;
  readonly raw: string;
  readonly isStatic: boolean;
  /** What the variable gets; undefined if that is not known before it runs. */
  readonly value: string | undefined;
}

export type ShellRedirect =
  | { readonly type: "file"; readonly mode: "read" | "write" | "both"; readonly target: ShellWord }
  /** Between descriptors, or closing one: touches no file. */
  | { readonly type: "descriptor" };

export interface ShellCommand {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
  /** The folders it may run in; undefined where that is not known. */
  folders: readonly string[] | undefined;
  /** A change of folder came before it. */
  moved: boolean;
  /** May run more than once, or later than what stands behind it. */
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

export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  /** Why it cannot be proved what this runs; empty where it can. */
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

export interface ShellScope {
  readonly cwd: string;
  readonly home: string;
  /** Where links lead; without it, every name is taken for what it says. */
  readonly realpath?: RealPath;
}
