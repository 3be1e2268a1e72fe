/** Verdicts on shell commands. Every command in the text must be allowed; one denied command denies the whole text. */

import { posix } from "node:path";
import { baseName } from "../bash/inner.ts";
import type { Reach } from "../bash/read-only.ts";
import type { ShellRedirect } from "../bash/script.ts";
import { hiddenBelow } from "../bash/unknown-runners.ts";
import { collapseBlanks, matchesBash, matchesOne } from "../rules/bash-pattern.ts";
import { isFree, writesProtected } from "../paths/command-files.ts";
import { criticalRemoval } from "./critical.ts";
import { findDeniedName } from "./denied-names.ts";
import { type Exposure, exposureOf, hiddenFiles, keptFiles } from "../paths/exposure.ts";
import { printable, settled } from "./file-tools.ts";
import { mayTouch } from "../paths/glob-touch.ts";
import { coversCall, coversFile, hasRestrictions, type Judge } from "./judge.ts";
import { coversTool, type Rule } from "../rules/rule.ts";
import { limitOf } from "../rules/rule-limits.ts";
import { restrictedUse } from "../paths/restricted-writes.ts";
import { shapeOf } from "@runahead/base";
import { allows, allowsExactly, type Permit, permitCommand } from "./permit.ts";
import { shadowedProgram } from "./shadowed.ts";
import { deniedBelow } from "../paths/tree.ts";
import { landsInProtected } from "../paths/trees.ts";
import { byMode, byRule, mustAsk, type Verdict } from "./verdict.ts";
import { mayBeRestricted } from "./unknown-words.ts";
import { runsWritten } from "./written-code.ts";
import { type BashCall, type Seen, readCall } from "./bash-call.ts";

export function decideBash(input: unknown, judge: Judge): Verdict {
  const text = shapeOf(input)["command"];
  if (typeof text !== "string" || text.trim() === "")
    return {
      behavior: "deny",
      reason: "Bash was called without a command. Set `command` to the shell command to run.",
      by: { type: "input" },
    };
  const folder = folderOf(shapeOf(input), judge.workspace.cwd);
  if (folder === undefined) return decideCommand(text, input, judge);
  // The tool may ignore the folder, so the command must be allowed in both.
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

/** Returns the working directory that the model passed; it does not extend the workspace. */
function folderOf(input: Record<string, unknown>, cwd: string): string | undefined {
  const given = ["cwd", "workdir", "working_directory", "workingDirectory"]
    .map((name) => input[name])
    .find((value) => value !== undefined && value !== null);
  if (given === undefined) return undefined;
  // A value that is not a string could be interpreted as any folder, so assume one outside the workspace.
  return posix.resolve(cwd, typeof given === "string" ? given : "/");
}

/** Whether the model wants this command to run outside the sandbox; only an explicit "no" counts as one. */
function leavesSandbox(input: Record<string, unknown>): boolean {
  const isSet = (name: string, plain: unknown): boolean =>
    input[name] !== undefined && input[name] !== null && input[name] !== plain;
  return isSet("dangerouslyDisableSandbox", false) || isSet("sandbox", true);
}

/** The only rule that allows leaving the sandbox; a rule that allows the command itself does not. */
const OPT_OUT = /^Bash\(\s*(?:dangerouslyDisableSandbox\s*:\s*true|sandbox\s*:\s*false)\s*\)$/;

/** Checks that no allow rule can override: denies, then protected places and critical removals, then asks. */
function forbidden(call: BashCall, judge: Judge): Verdict | undefined {
  const { book, mode } = judge;
  const denied = book.deny.find((rule) => isCovered(rule, call));
  if (denied !== undefined) return byRule(denied, nameOf(call));
  if (leavesSandbox(shapeOf(call.input)) && !book.allow.some(({ text }) => OPT_OUT.test(text)))
    return mustAsk("The command asks to run outside the sandbox.", { type: "unclear" }, mode);
  for (const { command, files } of call.all) {
    const place = writesProtected(files) ?? landsInProtected(command, judge.workspace);
    if (place === "unknown")
      return mustAsk("The command copies too many files to check.", { type: "unclear" }, mode);
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

/** Asks about commands whose hidden parts could be what a rule denies. */
function hidden(call: BashCall, judge: Judge): Verdict | undefined {
  const { script, text, all: seen } = call;
  const { book, mode } = judge;
  const doubt = script.doubts[0] ?? script.hides[0] ?? "";
  if (script.isUnreadable)
    return mustAsk(`Cannot check the command: ${printable(doubt)}.`, { type: "unclear" }, mode);
  if (script.isOpaque && hasRestrictions(book))
    return mustAsk(
      `Cannot determine what this command runs: ${printable(doubt)}.`,
      { type: "unclear" },
      mode,
    );
  const written = hasRestrictions(book) ? runsWritten(seen) : undefined;
  if (written !== undefined)
    return mustAsk(
      `Cannot determine what this command runs: it writes ${printable(written)} and runs it.`,
      { type: "unclear" },
      mode,
    );
  const below = hasRestrictions(book)
    ? script.commands.map(hiddenBelow).find((why) => why !== undefined)
    : undefined;
  if (below !== undefined)
    return mustAsk(
      `Cannot determine what this command runs: ${printable(below)}.`,
      { type: "unclear" },
      mode,
    );
  const named = findDeniedName(script.commands, text, judge);
  if (named !== undefined)
    return mustAsk(
      `${printable(named.by)} could run ${printable(named.name)}, which the rule ${printable(named.rule.text)} restricts.`,
      { type: "unclear" },
      mode,
    );
  const meant = mayBeRestricted(script.commands, book);
  if (meant !== undefined)
    return mustAsk(
      `Part of the command is unknown until it runs, so it could be what the rule ${printable(meant.text)} restricts.`,
      { type: "unclear" },
      mode,
    );
  const used = restrictedIn(call, judge);
  if (used !== undefined)
    return mustAsk(
      `The command could use a file that a rule restricts: ${printable(used)}.`,
      { type: "unclear" },
      mode,
    );
  const unsure = seen.find((one) => one.unsure !== undefined && isRestricted(one, book))?.unsure;
  if (unsure !== undefined) return mustAsk(unsure, { type: "unclear" }, mode);
  const touched = seen
    .flatMap(({ files }) => files)
    .find((file) => book.deny.some((rule) => mayTouch(rule, file)));
  if (touched === undefined) return undefined;
  return mustAsk(
    `${printable(touched.word.raw)} could match a file that a rule denies.`,
    { type: "unclear" },
    mode,
  );
}

/** Why the command could use a file that a rule restricts, except for commands that a rule allows exactly. */
function restrictedIn({ script, all }: BashCall, judge: Judge): string | undefined {
  const { book } = judge;
  if (script.runsUnknown && [...book.deny, ...book.ask, ...book.ordered].some(isFileRestriction))
    return script.doubts[0] ?? script.hides[0];
  const allowing = [...book.allow, ...book.ordered].filter(({ action }) => action === "allow");
  for (const one of all) {
    const why = restrictedUse(one, judge);
    if (why !== undefined && !allowing.some((rule) => allowsExactly(rule, one))) return why;
  }
  return undefined;
}

function isFileRestriction({ type, action }: Rule): boolean {
  return type === "file" && action !== "allow";
}

/**
 * Whether an unknown file matters: the command writes, so the file could be in a protected place, or a rule restricts
 * some file.
 */
function isRestricted({ files }: Seen, { deny, ask }: Judge["book"]): boolean {
  return files.some(({ mode }) => mode === "write") || [...deny, ...ask].some(({ type }) => type === "file");
}

function nameOf({ text }: BashCall): string {
  return `The command ${printable(text)}`;
}

/** Whether a deny or ask rule covers this call or any command in it. */
function isCovered(rule: Rule, call: BashCall): boolean {
  if (coversCall(rule, "Bash", call.input)) return true;
  if (rule.type === "command" && (isWhole(rule, call.text) || isPipeline(rule, call))) return true;
  for (const one of call.all) if (isSeen(rule, one)) return true;
  return false;
}

/** A pattern with operators in it applies to the whole text. */
function isWhole(rule: Extract<Rule, { type: "command" }>, text: string): boolean {
  return /[|&;<>\n]/.test(rule.text) && matchesBash(rule.pattern, collapseBlanks(text));
}

/** Whether the commands that a rule names all appear, in its order. */
function isPipeline({ pipeline }: Extract<Rule, { type: "command" }>, call: BashCall): boolean {
  if (pipeline === undefined) return false;
  let at = 0;
  for (const { texts } of call.all) {
    const wanted = pipeline[at];
    if (wanted !== undefined && matchesOne(wanted, texts)) at++;
  }
  return at === pipeline.length;
}

function isSeen(rule: Rule, { command, texts, files }: Seen): boolean {
  if (rule.type === "tool") return command.redirects.some((redirect) => isRedirected(rule, redirect));
  if (rule.type === "command") return matchesOne(rule.pattern, texts);
  return (
    rule.type === "file" && files.some((file) => coversFile(rule, file) || mayTouch(rule, file) === "surely")
  );
}

/** A redirection counts as a read or a write of the file tools. */
function isRedirected(rule: Extract<Rule, { type: "tool" }>, redirect: ShellRedirect): boolean {
  if (redirect.type === "descriptor" || isFree(redirect.target)) return false;
  return (
    (redirect.mode !== "write" && coversTool(rule, "Read")) ||
    (redirect.mode !== "read" && coversTool(rule, "Edit"))
  );
}

/** The first rule of the ordered list that covers this command. */
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
  const onlyReads = (judge.confinesReads || judge.mode === "plan") && isConfinedRead(call, judge);
  const confined =
    onlyReads && judge.confinesReads ? confinedRead(call, exposuresOf(call, judge), judge) : undefined;
  if (confined !== undefined) return confined;
  // Next to a command that can write, a read-only command also runs outside the read-only sandbox.
  const verdict = withoutShadowed(call, judge, unconfined(call, judge, permitsOf(call, judge, "strict")));
  const exposures = verdict.behavior === "allow" || onlyReads ? exposuresOf(call, judge) : [];
  const exposure = exposures.find(({ isEmpty }) => isEmpty !== true);
  if (exposure !== undefined) return readHidden(call, exposures, judge) ?? exposed(exposure, judge);
  // Plan mode asks about a command that would be read-only in the sandbox instead of denying it.
  return onlyReads && verdict.behavior === "deny"
    ? byMode("The command only reads, but the read-only sandbox is not available.", judge.mode, false)
    : verdict;
}

/** A rule allows the command to run outside the read-only sandbox, but inside, the restricted files can be hidden. */
function readHidden(call: BashCall, exposures: readonly Exposure[], judge: Judge): Verdict | undefined {
  if (!judge.confinesReads) return undefined;
  const { book } = judge;
  const ordered = book.ordered.filter(({ action }) => action !== "allow");
  const withoutRules = { ...judge, book: { ...book, ordered, allow: [] } };
  return isConfinedRead(call, withoutRules) ? confinedRead(call, exposures, judge) : undefined;
}

/** Asks about a command that is harmless by name if the name resolves to a program in the workspace. */
function withoutShadowed({ seen }: BashCall, judge: Judge, verdict: Verdict): Verdict {
  if (verdict.behavior !== "allow") return verdict;
  const isByRule = (one: Seen): boolean =>
    verdict.by.type === "rule" && (one.command.isInner || permitSeen(one, judge, "strict").type === "rule");
  const commands = seen.filter((one) => !isByRule(one)).map(({ command }) => command);
  const program = shadowedProgram(commands, judge.workspace);
  if (program === undefined) return verdict;
  return unclear(
    `The command would run ${printable(program)} from the workspace instead of the system program of that name.`,
    judge.mode,
  );
}

function exposed({ why }: Exposure, { mode }: Judge): Verdict {
  const reason = `The command could read a file that a rule restricts: ${printable(why)}.`;
  return mustAsk(reason, { type: "unclear" }, mode === "plan" ? "default" : mode);
}

/** The ways to read a restricted file, except for commands that a rule allows exactly. */
function exposuresOf(call: BashCall, { book, ...judge }: Judge): Exposure[] {
  const kept = keptFiles(book);
  if (kept.length === 0) return [];
  const allowing = [...book.allow, ...book.ordered].filter(({ action }) => action === "allow");
  return call.seen
    .filter((one) => !allowing.some((rule) => allowsExactly(rule, one)))
    .flatMap((one) => [one.expanded ?? one, ...one.variants])
    .flatMap((one) => exposureOf(one, kept, { book, ...judge }) ?? []);
}

/** Whether every command only reads, counting those that need the read-only sandbox for it. */
function isConfinedRead(call: BashCall, judge: Judge): boolean {
  const permits = permitsOf(call, judge, "confined");
  return (
    permits.length > 0 && permits.every(({ type }) => type === "reading") && call.script.doubts.length === 0
  );
}

/** An allow that holds in the read-only sandbox; undefined if the command can show a file that cannot be hidden. */
function confinedRead(call: BashCall, exposures: readonly Exposure[], judge: Judge): Verdict | undefined {
  if (exposures.some(({ folders }) => folders === undefined)) return undefined;
  const denies = keptFiles(judge.book).filter(({ action }) => action === "deny");
  const folders = exposures.flatMap((one) => one.folders ?? []);
  // Git would report a hidden file as deleted.
  const hasGit = call.seen.some(({ command }) => baseName(command.words[0]?.value ?? "") === "git");
  if (hasGit && folders.length > 0) return undefined;
  if (deniedBelow(folders, denies, judge.workspace).gap !== undefined) return undefined;
  return {
    behavior: "allow",
    reason: "The command only reads and runs in the read-only sandbox.",
    by: { type: "reading" },
    confinement: { hidden: () => (hasGit ? [] : hiddenFiles(folders, denies, judge.workspace)) },
  };
}

/** Returns the permit of each command that no other command runs, up to and including the first that has none. */
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

/** A rule matches the command as written; without a rule, the expanded patterns must be harmless too. */
function permitSeen(one: Seen, judge: Judge, reach: Reach): Permit {
  const unsure = one.unsure ?? one.expanded?.unsure;
  if (unsure !== undefined) return { type: "none", why: unsure };
  const permit = permitEach(one, judge, reach);
  const limit = permit.type === "rule" ? ruleLimit(one, permit.rule, judge) : undefined;
  if (limit !== undefined) return { type: "none", why: `${printable(limit)}.` };
  if (one.expanded === undefined || permit.type === "rule" || permit.type === "none") return permit;
  if (one.crossed !== undefined)
    return {
      type: "none",
      why: `A pattern goes through the link ${printable(one.crossed)}, which leads out of the workspace.`,
    };
  const expanded = permitCommand(one.expanded, judge, reach);
  return expanded.type === "none" || permit.type === "reading" ? expanded : permit;
}

/** If the values of a loop are known, each run of the command is judged. */
function permitEach(one: Seen, judge: Judge, reach: Reach): Permit {
  const permit = permitCommand(one, judge, reach);
  const { isRepeated, moved } = one.command;
  // In another folder, the patterns of the loop could match other names.
  if (one.variants.length === 0 || !isRepeated || moved || !/^(?:none|reading)$/.test(permit.type))
    return permit;
  const all = one.variants.map((variant) => permitSeen(variant, judge, reach));
  const refused = all.find(({ type }) => type === "none");
  if (refused !== undefined || permit.type === "reading") return refused ?? permit;
  return (
    all.find(({ type }) => type === "mode") ?? all.find(({ type }) => type === "rule") ?? { type: "reading" }
  );
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
    return unclear(`Cannot determine what this command does: ${printable(doubt)}.`, mode);
  if (permits.length === 0) return byMode("The command runs nothing.", mode, true);
  const rule = permits.find((permit) => permit.type === "rule");
  const changes = permits.some((permit) => permit.type !== "reading");
  if (mode === "plan" && permits.some(({ type }) => type === "mode"))
    return byMode("The command could make changes.", mode, true);
  if (rule !== undefined) return byRule(rule.rule, nameOf(call));
  if (changes)
    return { behavior: "allow", reason: `Mode ${mode} allows this command.`, by: { type: "mode", mode } };
  return {
    behavior: "allow",
    reason: "The command only reads files in the workspace.",
    by: { type: "reading" },
  };
}

function isClear({ script, seen }: BashCall): boolean {
  return script.doubts.length === 0 && seen.every(({ unsure }) => unsure === undefined);
}

/** In auto mode, only the user can decide about a command that cannot be analyzed. */
function unclear(reason: string, mode: Judge["mode"]): Verdict {
  return mode === "auto" ? mustAsk(reason, { type: "unclear" }, mode) : byMode(reason, mode, true);
}
