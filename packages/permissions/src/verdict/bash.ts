/** Verdicts on shell commands: every command in it must be allowed, any that is denied denies all. */

import { posix } from "node:path";
import { baseName } from "../bash/inner.ts";
import type { Reach } from "../bash/read-only.ts";
import type { ShellCommand, ShellRedirect, ShellScript } from "../bash/script.ts";
import { readShell } from "../bash/walk.ts";
import { collapseBlanks, matchesBash } from "../rules/bash-pattern.ts";
import { type CommandFile, filesOf, isFree, writesProtected } from "../paths/command-files.ts";
import { allowForms, denyTexts } from "./command-text.ts";
import { criticalRemoval } from "./critical.ts";
import { findDeniedName } from "./denied-names.ts";
import { type Exposure, exposureOf, hiddenFiles, keptFiles } from "../paths/exposure.ts";
import { printable, settled } from "./file-tools.ts";
import { mayTouch } from "../paths/glob-touch.ts";
import { changesPatterns, expandCommand } from "../paths/globs.ts";
import { hasUnknownTarget, variantsOf } from "./loops.ts";
import { coversCall, coversFile, hasRestrictions, type Judge } from "./judge.ts";
import { coversTool, type Rule } from "../rules/rule.ts";
import { limitOf } from "../rules/rule-limits.ts";
import { shapeOf } from "@runahead/base";
import { plantsOf, unsurePlace } from "../paths/planted.ts";
import { allows, allowsExactly, type Asked, type Permit, permitCommand } from "./permit.ts";
import { shadowedProgram } from "./shadowed.ts";
import { deniedBelow } from "../paths/tree.ts";
import { landsInProtected } from "../paths/trees.ts";
import { byMode, byRule, mustAsk, type Verdict } from "./verdict.ts";
import { mayBeRestricted } from "./unknown-words.ts";
import { runsWritten } from "./written-code.ts";

/** One command with all that rules look at. */
interface Seen extends Asked {
  readonly texts: readonly string[];
  readonly files: readonly CommandFile[];
  /** Why it is not known what it touches or where it runs. */
  readonly unsure: string | undefined;
  /** With each value of a loop's variable put in. */
  readonly variants: readonly Seen[];
  /** With each file name pattern replaced by the names that it matches now. */
  readonly expanded?: Seen;
  /** A link out of the workspace that one of the patterns goes through. */
  readonly crossed?: string;
}

export interface BashCall {
  readonly input: unknown;
  readonly text: string;
  readonly script: ShellScript;
  readonly seen: readonly Seen[];
}

export function decideBash(input: unknown, judge: Judge): Verdict {
  const text = shapeOf(input)["command"];
  if (typeof text !== "string" || text.trim() === "")
    return { behavior: "deny", reason: "Bash needs a command.", by: { type: "input" } };
  const folder = folderOf(shapeOf(input), judge.workspace.cwd);
  if (folder === undefined) return decideCommand(text, input, judge);
  // The tool may or may not run it there, so that it must be allowed in either folder.
  const there = { ...judge, workspace: { ...judge.workspace, cwd: folder } };
  const verdicts = [judge, there].map((one) => decideCommand(text, input, one));
  return (
    verdicts.find(({ behavior }) => behavior === "deny") ??
    verdicts.find(({ behavior }) => behavior === "ask") ??
    (verdicts[0] as Verdict)
  );
}

function decideCommand(text: string, input: unknown, judge: Judge): Verdict {
  const call = readCall(text, input, judge);
  return forbidden(call, judge) ?? permitted(call, judge);
}

/** A working directory that the model gives; it does not widen the workspace. */
function folderOf(input: Record<string, unknown>, cwd: string): string | undefined {
  const given = ["cwd", "workdir", "working_directory", "workingDirectory"]
    .map((name) => input[name])
    .find((value) => value !== undefined && value !== null);
  if (given === undefined) return undefined;
  // What is not a text leads nowhere that is known.
  return posix.resolve(cwd, typeof given === "string" ? given : "/");
}

/** Whether the model wants this command to run outside the sandbox; any value but a plain no is a yes. */
function leavesSandbox(input: Record<string, unknown>): boolean {
  const isSet = (name: string, plain: unknown): boolean =>
    input[name] !== undefined && input[name] !== null && input[name] !== plain;
  return isSet("dangerouslyDisableSandbox", false) || isSet("sandbox", true);
}

/** The one rule that answers it: nothing that allows the command itself does. */
const OPT_OUT = /^Bash\(\s*(?:dangerouslyDisableSandbox\s*:\s*true|sandbox\s*:\s*false)\s*\)$/;

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
      texts: denyTexts(command, ignoresCase),
      files,
      unsure: unsurePlace(command, files, { plants: others, workspace }),
      hasUnknownTarget: [command, ...forms].some(({ words }) =>
        hasUnknownTarget({ ...command, words }, variants),
      ),
      variants: variants.map((one) => look(one, written, new Map())),
    };
  };
  const isUnusual = script.commands.some(changesPatterns);
  const seen = script.commands.map((command): Seen => {
    const given = look(command, command);
    const expanded = expandCommand(command, workspace);
    if (expanded === undefined) return given;
    if (isUnusual) return { ...given, unsure: "The command changes which files patterns match." };
    const { crossed } = expanded.type === "command" ? expanded : {};
    if (expanded.type === "command")
      return {
        ...given,
        expanded: look(expanded.command, command),
        ...(crossed === undefined ? {} : { crossed }),
      };
    const unsure = `It cannot be determined which files ${printable(expanded.word.raw)} matches.`;
    return { ...given, unsure: given.unsure ?? unsure };
  });
  return { input, text, script, seen };
}

/** Every command as it is written, as its patterns expand, and as a loop runs it. */
function allOf({ seen }: BashCall): Seen[] {
  return seen.flatMap((one) => [
    one,
    ...one.variants,
    ...(one.expanded === undefined ? [] : [one.expanded, ...one.expanded.variants]),
  ]);
}

/** What no allow rule can change: denies, then protected places and critical removals, then asks. */
function forbidden(call: BashCall, judge: Judge): Verdict | undefined {
  const { book, mode } = judge;
  const denied = book.deny.find((rule) => isCovered(rule, call));
  if (denied !== undefined) return byRule(denied, nameOf(call));
  if (leavesSandbox(shapeOf(call.input)) && !book.allow.some(({ text }) => OPT_OUT.test(text)))
    return mustAsk("The command asks to run outside the sandbox.", { type: "unclear" }, mode);
  for (const { command, files } of allOf(call)) {
    const place = writesProtected(files) ?? landsInProtected(command, judge.workspace);
    if (place === "unknown")
      return mustAsk("The command copies too many files to look at.", { type: "unclear" }, mode);
    if (place !== undefined)
      return mustAsk(
        `The command writes to ${place.place}, which is protected.`,
        { type: "protected", place: place.place },
        mode,
      );
    const removal = criticalRemoval(command, judge.workspace);
    if (removal !== undefined)
      return mustAsk(`The command is dangerous: ${printable(removal)}.`, { type: "critical" }, mode);
  }
  const asked = book.ask.find((rule) => isCovered(rule, call));
  if (asked !== undefined) return settled(byRule(asked, nameOf(call)), judge, true);
  const ordered = call.seen.flatMap((one) => firstOrdered(one, call, judge) ?? []);
  const strict =
    ordered.find(({ action }) => action === "deny") ?? ordered.find(({ action }) => action === "ask");
  if (strict !== undefined) return settled(byRule(strict, nameOf(call)), judge, true);
  return hidden(call, judge);
}

/** What cannot be seen may be what is denied. */
function hidden(call: BashCall, judge: Judge): Verdict | undefined {
  const { script, text } = call;
  const { book, mode } = judge;
  const seen = allOf(call);
  const doubt = script.doubts[0] ?? script.hides[0] ?? "";
  if (script.isUnreadable)
    return mustAsk(`The command cannot be understood: ${printable(doubt)}.`, { type: "unclear" }, mode);
  if (script.isOpaque && hasRestrictions(book))
    return mustAsk(`Cannot determine what the command runs: ${printable(doubt)}.`, { type: "unclear" }, mode);
  const written = hasRestrictions(book) ? runsWritten(seen) : undefined;
  if (written !== undefined)
    return mustAsk(
      `Cannot determine what the command runs: it writes ${printable(written)} and runs it.`,
      { type: "unclear" },
      mode,
    );
  const named = findDeniedName(script.commands, text, judge);
  if (named !== undefined)
    return mustAsk(
      `${printable(named.by)} is given ${printable(named.name)}, which ${printable(named.rule.text)} restricts, and may run it.`,
      { type: "unclear" },
      mode,
    );
  const meant = mayBeRestricted(script.commands, book);
  if (meant !== undefined)
    return mustAsk(
      `A word of the command is not known before it runs, so that it may be what ${printable(meant.text)} restricts.`,
      { type: "unclear" },
      mode,
    );
  const unsure = seen.find((one) => one.unsure !== undefined && isRestricted(one, book))?.unsure;
  if (unsure !== undefined) return mustAsk(unsure, { type: "unclear" }, mode);
  const touched = seen
    .flatMap(({ files }) => files)
    .find((file) => book.deny.some((rule) => mayTouch(rule, file)));
  if (touched === undefined) return undefined;
  return mustAsk(`${printable(touched.word.raw)} may mean a file that is denied.`, { type: "unclear" }, mode);
}

/** It writes, so that a protected place may be meant, or a rule denies some file. */
function isRestricted({ files }: Seen, { deny, ask }: Judge["book"]): boolean {
  return files.some(({ mode }) => mode === "write") || [...deny, ...ask].some(({ type }) => type === "file");
}

function nameOf({ text }: BashCall): string {
  return `The command ${printable(text)}`;
}

/** Whether a deny or an ask is for this call, or for any command in it. */
function isCovered(rule: Rule, call: BashCall): boolean {
  if (coversCall(rule, "Bash", call.input)) return true;
  if (rule.type === "command" && isWhole(rule, call.text)) return true;
  return allOf(call).some((one) => isSeen(rule, one));
}

/** A pattern with operators in it is about the whole text. */
function isWhole(rule: Extract<Rule, { type: "command" }>, text: string): boolean {
  return /[|&;<>\n]/.test(rule.text) && matchesBash(rule.pattern, collapseBlanks(text));
}

function isSeen(rule: Rule, { command, texts, files }: Seen): boolean {
  if (rule.type === "tool") return command.redirects.some((redirect) => isRedirected(rule, redirect));
  if (rule.type === "command") return texts.some((text) => matchesBash(rule.pattern, text));
  return (
    rule.type === "file" && files.some((file) => coversFile(rule, file) || mayTouch(rule, file) === "surely")
  );
}

/** A redirection reads or writes as the tools would. */
function isRedirected(rule: Extract<Rule, { type: "tool" }>, redirect: ShellRedirect): boolean {
  if (redirect.type === "descriptor" || isFree(redirect.target)) return false;
  return (
    (redirect.mode !== "write" && coversTool(rule, "Read")) ||
    (redirect.mode !== "read" && coversTool(rule, "Edit"))
  );
}

/** Of the ordered list, the rule that is first for this command. */
function firstOrdered(one: Seen, call: BashCall, { book }: Judge): Rule | undefined {
  return book.ordered.find((rule) =>
    rule.action === "allow"
      ? allows(rule, one)
      : coversCall(rule, "Bash", call.input) ||
        isSeen(rule, one) ||
        (one.expanded !== undefined && isSeen(rule, one.expanded)),
  );
}

function permitted(call: BashCall, judge: Judge): Verdict {
  const exposures = exposuresOf(call, judge);
  const onlyReads = (judge.confinesReads || judge.mode === "plan") && isConfinedRead(call, judge);
  const confined = onlyReads && judge.confinesReads ? confinedRead(call, exposures, judge) : undefined;
  if (confined !== undefined) return confined;
  // What only reads beside a command that may write runs outside the read-only sandbox.
  const verdict = withoutShadowed(call, judge, unconfined(call, judge, permitsOf(call, judge, "strict")));
  const exposure = exposures[0];
  if (exposure !== undefined && (verdict.behavior === "allow" || onlyReads)) return exposed(exposure, judge);
  // Planning does not refuse a command that would be read-only in the sandbox.
  return onlyReads && verdict.behavior === "deny"
    ? byMode("The command only reads, but there is no read-only sandbox to run it in.", judge.mode, false)
    : verdict;
}

/** What is harmless by its name is asked about where the name is that of a program in the workspace. */
function withoutShadowed({ seen }: BashCall, judge: Judge, verdict: Verdict): Verdict {
  if (verdict.behavior !== "allow") return verdict;
  const isByRule = (one: Seen): boolean =>
    verdict.by.type === "rule" && (one.command.isInner || permitSeen(one, judge, "strict").type === "rule");
  const commands = seen.filter((one) => !isByRule(one)).map(({ command }) => command);
  const program = shadowedProgram(commands, judge.workspace);
  if (program === undefined) return verdict;
  return unclear(`The command would start ${printable(program)}, a program of the workspace.`, judge.mode);
}

function exposed({ why }: Exposure, { mode }: Judge): Verdict {
  const reason = `A rule keeps a file from being read: ${printable(why)}.`;
  return mustAsk(reason, { type: "unclear" }, mode === "plan" ? "default" : mode);
}

/** Ways to a file that a rule keeps from being read, except where a rule allows just this command. */
function exposuresOf(call: BashCall, { book, ...judge }: Judge): Exposure[] {
  const kept = keptFiles(book);
  if (kept.length === 0) return [];
  const allowing = [...book.allow, ...book.ordered].filter(({ action }) => action === "allow");
  return call.seen
    .filter((one) => !allowing.some((rule) => allowsExactly(rule, one)))
    .flatMap((one) => [one.expanded ?? one, ...one.variants])
    .flatMap((one) => exposureOf(one, kept, { book, ...judge }) ?? []);
}

/** Whether every command only reads, as far as the read-only sandbox is needed to say so. */
function isConfinedRead(call: BashCall, judge: Judge): boolean {
  const permits = permitsOf(call, judge, "confined");
  return (
    permits.length > 0 && permits.every(({ type }) => type === "reading") && call.script.doubts.length === 0
  );
}

/** An allow for the read-only sandbox; undefined where the command shows what cannot be hidden. */
function confinedRead(call: BashCall, exposures: readonly Exposure[], judge: Judge): Verdict | undefined {
  if (exposures.some(({ folders }) => folders === undefined)) return undefined;
  const denies = keptFiles(judge.book).filter(({ action }) => action === "deny");
  const folders = exposures.flatMap((one) => one.folders ?? []);
  // To git, a file that is hidden is one that has been deleted.
  const hasGit = call.seen.some(({ command }) => baseName(command.words[0]?.value ?? "") === "git");
  if (hasGit && folders.length > 0) return undefined;
  if (deniedBelow(folders, denies, judge.workspace).gap !== undefined) return undefined;
  return {
    behavior: "allow",
    reason: "The command only reads, and runs in the read-only sandbox.",
    by: { type: "reading" },
    confinement: { hidden: () => (hasGit ? [] : hiddenFiles(folders, denies, judge.workspace)) },
  };
}

/** Every command that is not run by another one needs a permit of its own; ends at the first that has none. */
function permitsOf(call: BashCall, judge: Judge, reach: Reach): Permit[] {
  const permits: Permit[] = [];
  for (const one of call.seen) {
    if (one.command.isInner) continue;
    const permit = permitSeen(one, judge, reach);
    permits.push(permit);
    if (permit.type === "none") break;
  }
  return permits;
}

/** A rule is about what is written; without one, what the patterns expand to must be harmless as well. */
function permitSeen(one: Seen, judge: Judge, reach: Reach): Permit {
  const unsure = one.unsure ?? one.expanded?.unsure;
  if (unsure !== undefined) return { type: "none", why: unsure };
  const permit = permitCommand(one, judge, reach);
  const limit = permit.type === "rule" ? ruleLimit(one, permit.rule, judge) : undefined;
  if (limit !== undefined) return { type: "none", why: `${printable(limit)}.` };
  if (one.expanded === undefined || permit.type === "rule" || permit.type === "none") return permit;
  if (one.crossed !== undefined)
    return {
      type: "none",
      why: `A pattern goes through the link ${printable(one.crossed)}, which leads out.`,
    };
  const expanded = permitCommand(one.expanded, judge, reach);
  return expanded.type === "none" || permit.type === "reading" ? expanded : permit;
}

function ruleLimit(one: Seen, rule: Rule, { workspace }: Judge): string | undefined {
  if (rule.type !== "command" || allowsExactly(rule, one)) return undefined;
  const all = [one, ...one.variants, ...(one.expanded === undefined ? [] : [one.expanded])];
  const why = all
    .map(({ command, files }) => limitOf(command, files, workspace))
    .find((found) => found !== undefined);
  return why === undefined ? undefined : `${one.command.words[0]?.raw ?? "The command"} ${why}`;
}

function unconfined(call: BashCall, { mode }: Judge, permits: readonly Permit[]): Verdict {
  const last = permits.at(-1);
  if (last?.type === "none") return isClear(call) ? byMode(last.why, mode, true) : unclear(last.why, mode);
  const doubt = call.script.doubts[0];
  if (doubt !== undefined && !permits.every((permit) => permit.type === "rule" && permit.isWhole))
    return unclear(`Cannot determine what the command does: ${printable(doubt)}.`, mode);
  if (permits.length === 0) return byMode("The command runs nothing.", mode, true);
  const rule = permits.find((permit) => permit.type === "rule");
  const changes = permits.some((permit) => permit.type !== "reading");
  if (changes && mode === "plan") return byMode("The command may change something.", mode, true);
  if (rule !== undefined) return byRule(rule.rule, nameOf(call));
  if (changes) return { behavior: "allow", reason: `The mode is ${mode}.`, by: { type: "mode", mode } };
  return {
    behavior: "allow",
    reason: "The command only looks, and inside the workspace.",
    by: { type: "reading" },
  };
}

function isClear({ script, seen }: BashCall): boolean {
  return script.doubts.length === 0 && seen.every(({ unsure }) => unsure === undefined);
}

/** Nothing but a person decides in auto mode on a command that cannot be understood. */
function unclear(reason: string, mode: Judge["mode"]): Verdict {
  return mode === "auto" ? mustAsk(reason, { type: "unclear" }, mode) : byMode(reason, mode, true);
}
