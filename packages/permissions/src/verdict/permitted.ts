/** Whether everything in a shell command is allowed: each of its commands needs a permit of its own. */

import { baseName } from "../bash/inner.ts";
import type { Reach } from "../bash/read-only.ts";
import { type Exposure, exposureOf, hiddenFiles, keptFiles } from "../paths/exposure.ts";
import { printable } from "./file-tools.ts";
import type { Judge } from "./judge.ts";
import type { Rule } from "../rules/rule.ts";
import { limitOf } from "../rules/rule-limits.ts";
import { allowsExactly, type Permit, permitCommand } from "./permit.ts";
import { shadowedProgram } from "./shadowed.ts";
import { deniedBelow } from "../paths/tree.ts";
import { byMode, byRule, mustAsk, type Verdict } from "./verdict.ts";
import { type BashCall, type Seen, nameOf } from "./bash-call.ts";

export function permitted(call: BashCall, judge: Judge): Verdict {
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
