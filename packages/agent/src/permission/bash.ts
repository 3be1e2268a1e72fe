/** Verdicts on shell commands: every command in it must be allowed, any that is denied denies all. */

import type { Reach } from "../shell/read-only.ts";
import type { ShellRedirect, ShellScript } from "../shell/script.ts";
import { readShell } from "../shell/walk.ts";
import { collapseBlanks, matchesBash } from "./bash-pattern.ts";
import { type CommandFile, filesOf, isFree, writesProtected } from "./command-files.ts";
import { allowForms, denyTexts } from "./command-text.ts";
import { criticalRemoval } from "./critical.ts";
import { printable, settled } from "./file-tools.ts";
import { mayTouch } from "./glob-touch.ts";
import { coversCall, coversFile, hasRestrictions, type Judge } from "./judge.ts";
import { coversTool, type Rule } from "./rule.ts";
import { shapeOf } from "../system/shape.ts";
import { plantsOf, unsurePlace } from "./planted.ts";
import { allows, type Asked, type Permit, permitCommand } from "./permit.ts";
import { byMode, byRule, mustAsk, type Verdict } from "./verdict.ts";

/** One command with all that rules look at. */
interface Seen extends Asked {
  readonly texts: readonly string[];
  readonly files: readonly CommandFile[];
  /** What it touches, or where it runs, may be behind a link that the same text puts there. */
  readonly unsure: string | undefined;
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
  const call = readCall(text, input, judge);
  return forbidden(call, judge) ?? permitted(call, judge);
}

export function readCall(text: string, input: unknown, judge: Judge): BashCall {
  const { workspace, ignoresCase } = judge;
  const script = readShell(text, workspace);
  const whole = collapseBlanks(text);
  const plants = plantsOf(script.commands, workspace);
  const seen = script.commands.map((command) => {
    const files = filesOf(command, workspace);
    return {
      command,
      whole,
      forms: command.isInner ? [] : allowForms(command),
      texts: denyTexts(command, ignoresCase),
      files,
      unsure: unsurePlace(command, files, { plants, workspace }),
    };
  });
  return { input, text, script, seen };
}

/** What no allow rule can change: denies, then protected places and critical removals, then asks. */
function forbidden(call: BashCall, judge: Judge): Verdict | undefined {
  const { book, mode } = judge;
  const denied = book.deny.find((rule) => isCovered(rule, call));
  if (denied !== undefined) return byRule(denied, nameOf(call));
  for (const { command, files } of call.seen) {
    const place = writesProtected(files);
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
function hidden({ script, seen }: BashCall, { book, mode }: Judge): Verdict | undefined {
  const doubt = script.doubts[0] ?? "";
  if (script.isUnreadable)
    return mustAsk(`The command cannot be understood: ${printable(doubt)}.`, { type: "unclear" }, mode);
  if (script.isOpaque && hasRestrictions(book))
    return mustAsk(
      `It cannot be told what the command runs: ${printable(doubt)}.`,
      { type: "unclear" },
      mode,
    );
  const unsure = seen.find((one) => one.unsure !== undefined && isRestricted(one, book))?.unsure;
  if (unsure !== undefined)
    return mustAsk(
      `${printable(unsure)} may be behind a link that the command makes.`,
      { type: "unclear" },
      mode,
    );
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
  return call.seen.some((one) => isSeen(rule, one));
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
    rule.action === "allow" ? allows(rule, one) : coversCall(rule, "Bash", call.input) || isSeen(rule, one),
  );
}

function permitted(call: BashCall, judge: Judge): Verdict {
  const confined = judge.confinesReads ? permitsOf(call, judge, "confined") : undefined;
  if (
    confined?.every(({ type }) => type === "reading") === true &&
    confined.length > 0 &&
    call.script.doubts.length === 0
  )
    return {
      behavior: "allow",
      reason: "The command only reads, and runs in the read-only sandbox.",
      by: { type: "reading" },
      confinement: { hidden: () => [] },
    };
  // What only reads beside a command that may write runs outside the read-only sandbox.
  return unconfined(call, judge, permitsOf(call, judge, "strict"));
}

/** Every command that is not run by another one needs a permit of its own; ends at the first that has none. */
function permitsOf(call: BashCall, judge: Judge, reach: Reach): Permit[] {
  const permits: Permit[] = [];
  for (const one of call.seen) {
    if (one.command.isInner) continue;
    const permit: Permit =
      one.unsure === undefined
        ? permitCommand(one, judge, reach)
        : {
            type: "none",
            why: `${printable(one.unsure)} may be behind a link that the command makes.`,
          };
    permits.push(permit);
    if (permit.type === "none") break;
  }
  return permits;
}

function unconfined(call: BashCall, { mode }: Judge, permits: readonly Permit[]): Verdict {
  const last = permits.at(-1);
  if (last?.type === "none") return isClear(call) ? byMode(last.why, mode, true) : unclear(last.why, mode);
  const doubt = call.script.doubts[0];
  if (doubt !== undefined && !permits.every((permit) => permit.type === "rule" && permit.isWhole))
    return unclear(`It cannot be told what the command does: ${printable(doubt)}.`, mode);
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
