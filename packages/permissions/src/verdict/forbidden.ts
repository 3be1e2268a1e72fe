/** What no allow rule can override in a shell command: denies, protected places, critical removals, asks, and hidden parts. */

import type { ShellRedirect } from "../bash/script.ts";
import { hiddenBelow } from "../bash/unknown-runners.ts";
import { collapseBlanks, matchesBash, matchesOne } from "../rules/bash-pattern.ts";
import { isFree, writesProtected } from "../paths/command-files.ts";
import { criticalRemoval } from "./critical.ts";
import { findDeniedName } from "./denied-names.ts";
import { printable, settled } from "./file-tools.ts";
import { mayTouch } from "../paths/glob-touch.ts";
import { coversCall, coversFile, hasRestrictions, type Judge } from "./judge.ts";
import { coversTool, type Rule } from "../rules/rule.ts";
import { restrictedUse } from "../paths/restricted-writes.ts";
import { shapeOf } from "@runahead/base";
import { allows, allowsExactly } from "./permit.ts";
import { landsInProtected } from "../paths/trees.ts";
import { byRule, mustAsk, type Verdict } from "./verdict.ts";
import { mayBeRestricted } from "./unknown-words.ts";
import { runsWritten } from "./written-code.ts";
import { type BashCall, type Seen, nameOf } from "./bash-call.ts";

/** Whether the model wants this command to run outside the sandbox; only an explicit "no" counts as one. */
function leavesSandbox(input: Record<string, unknown>): boolean {
  const isSet = (name: string, plain: unknown): boolean =>
    input[name] !== undefined && input[name] !== null && input[name] !== plain;
  return isSet("dangerouslyDisableSandbox", false) || isSet("sandbox", true);
}

/** The only rule that allows leaving the sandbox; a rule that allows the command itself does not. */
const OPT_OUT = /^Bash\(\s*(?:dangerouslyDisableSandbox\s*:\s*true|sandbox\s*:\s*false)\s*\)$/;

/** Checks that no allow rule can override: denies, then protected places and critical removals, then asks. */
export function forbidden(call: BashCall, judge: Judge): Verdict | undefined {
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
