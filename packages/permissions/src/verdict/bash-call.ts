/** A shell command taken apart for the rules: every command in it, with its files, loops and patterns. */

import type { ShellCommand, ShellScript } from "../bash/script.ts";
import { readShell } from "../bash/walk.ts";
import { collapseBlanks } from "../rules/bash-pattern.ts";
import { type CommandFile, filesOf } from "../paths/command-files.ts";
import { allowForms, denyTexts } from "./command-text.ts";
import { printable } from "./file-tools.ts";
import { changesPatterns, expandCommand } from "../paths/globs.ts";
import { hasUnknownTarget, variantsOf } from "./loops.ts";
import { spellingsOf } from "./spellings.ts";
import type { Judge } from "./judge.ts";
import { plantsOf, unsurePlace } from "../paths/planted.ts";
import type { Asked } from "./permit.ts";

/** One command with everything that rules match against. */
export interface Seen extends Asked {
  readonly texts: readonly string[];
  readonly files: readonly CommandFile[];
  /** Why the files that it touches or the folder it runs in cannot be determined. */
  readonly unsure: string | undefined;
  /** The command with each value of a loop variable substituted. */
  readonly variants: readonly Seen[];
  /** The command with each file name pattern replaced by the names that currently match. */
  readonly expanded?: Seen;
  /** A link out of the workspace that one of the patterns passes through. */
  readonly crossed?: string;
}

export interface BashCall {
  readonly input: unknown;
  readonly text: string;
  readonly script: ShellScript;
  readonly seen: readonly Seen[];
  /** Every command as written, with its patterns expanded, and as a loop runs it. */
  readonly all: readonly Seen[];
}

/** What a reason calls the command. */
export function nameOf({ text }: BashCall): string {
  return `The command ${printable(text)}`;
}

export function readCall(text: string, input: unknown, judge: Judge): BashCall {
  const { workspace, ignoresCase } = judge;
  const script = readShell(text, workspace);
  const whole = collapseBlanks(text);
  const plants = plantsOf(script.commands, workspace);
  const look = (command: ShellCommand, written: ShellCommand, loops = script.loops): Seen => {
    const files = filesOf(command, workspace);
    const variants = variantsOf(command, loops, workspace);
    const forms = command.isInner ? [] : allowForms(command);
    const others = plants.filter(({ by }) => by !== written || written.isRepeated);
    return {
      command,
      whole,
      forms,
      texts: denyTexts(command, spellingsOf(command, workspace), ignoresCase),
      files,
      unsure: unsurePlace(command, files, { plants: others, workspace }),
      hasUnknownTarget: [command, ...forms].some((form) => hasUnknownTarget(form, variants)),
      variants: variants.map((one) => look(one, written, new Map())),
    };
  };
  const isUnusual = script.commands.some(changesPatterns);
  const seen = script.commands.map((command): Seen => {
    const given = look(command, command);
    const expanded = expandCommand(command, workspace);
    if (expanded === undefined) return given;
    if (isUnusual)
      return {
        ...given,
        unsure:
          "Cannot determine which files the patterns match: the command changes how patterns are expanded.",
      };
    const { crossed } = expanded.type === "command" ? expanded : {};
    if (expanded.type === "command")
      return {
        ...given,
        expanded: look(expanded.command, command),
        ...(crossed === undefined ? {} : { crossed }),
      };
    const unsure = `Cannot determine which files ${printable(expanded.word.raw)} matches.`;
    return { ...given, unsure: given.unsure ?? unsure };
  });
  return { input, text, script, seen, all: allOf(seen) };
}

function allOf(seen: readonly Seen[]): Seen[] {
  return seen.flatMap((one) => [
    one,
    ...one.variants,
    ...(one.expanded === undefined ? [] : [one.expanded, ...one.expanded.variants]),
  ]);
}
