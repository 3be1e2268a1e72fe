/** `runahead permissions replay`: shows what other rules or another mode would have decided in past sessions. */

import {
  createPermissionGate,
  type PermissionGate,
  type PermissionVerdict,
  type SessionSummary,
  type VerdictBy,
  confinesReadsHere,
  isSandboxed,
} from "@runahead/harness";
import { type RecordedCall, recordedCalls } from "@runahead/harness/internal";
import { EXIT } from "../shared/exit.ts";
import { reveal } from "../shared/safe-text.ts";
import type { World } from "../shared/world.ts";
import { findSession, sessionsHere } from "./find-session.ts";
import { type SettingsFlags, asJson, complainOf, load } from "./load.ts";

export interface ReplayFlags extends SettingsFlags {
  readonly mode?: string;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly all?: boolean;
  readonly changed?: boolean;
}

/** `judged`: in auto mode a model would decide. */
type Now = "allowed" | "judged" | "asked" | "denied";

interface Replayed extends RecordedCall {
  readonly session: string;
  readonly now: Now;
  /** The rule, mode or place that decides now. */
  readonly by: string;
  readonly reason: string;
  readonly isChanged: boolean;
}

const KINDS: readonly Now[] = ["allowed", "judged", "asked", "denied"];
const SHOWN_CHARS = 80;

export async function replayPermissions(
  world: World,
  wanted: string | undefined,
  flags: ReplayFlags,
): Promise<number> {
  const chosen = flags.all === true ? await sessionsHere(world) : [await findSession(world, wanted)];
  const gate = await gateFor(world, flags);
  const replayed: Replayed[] = [];
  let skipped = 0;
  for (const { id, path } of chosen)
    for (const call of await recordedCalls(path)) {
      if (call.verdict === "failed" || call.verdict === "not judged") skipped++;
      else replayed.push(decided(call, id, gate));
    }
  const shown = flags.changed === true ? replayed.filter(({ isChanged }) => isChanged) : replayed;
  const totals = totalsOf(replayed);
  if (flags.json === true) world.print(asJson({ calls: shown, totals, skipped }));
  else world.print([...linesOf(shown, chosen), totalsLine(replayed.length, totals, skipped)].join("\n"));
  return EXIT.done;
}

async function gateFor(world: World, flags: ReplayFlags): Promise<PermissionGate> {
  const { mode, allow = [], ask = [], deny = [] } = flags;
  const loaded = await load(world, flags);
  complainOf(loaded, world);
  const given = { name: "command line", root: world.cwd, trusted: true, allow, ask, deny };
  const confinesReads = await confinesReadsHere(world, loaded);
  const gate = createPermissionGate({
    confinesReads: () => confinesReads,
    settings: { mode: mode ?? loaded.mode, sources: [given, ...loaded.sources], isTrusted: loaded.isTrusted },
    cwd: world.cwd,
    home: world.home,
    isSandboxed: isSandboxed({}, loaded) && loaded.sandbox.mayRunUnasked,
  });
  for (const warning of gate.permissions.warnings) world.complain(`warning: ${warning}`);
  return gate;
}

function decided(call: RecordedCall, session: string, gate: PermissionGate): Replayed {
  const { toolName, input, cwd, verdict } = call;
  const decision = gate.decide(toolName, input, { cwd, hookDecision: undefined });
  const now = nowOf(decision);
  const isChanged = kindOf(verdict) !== now;
  return { ...call, session, now, by: byWords(decision.by), reason: decision.reason, isChanged };
}

function nowOf({ behavior, by }: PermissionVerdict): Now {
  if (behavior === "allow") return "allowed";
  if (behavior === "deny") return "denied";
  return by.type === "mode" && by.mode === "auto" ? "judged" : "asked";
}

function kindOf(verdict: RecordedCall["verdict"]): Now {
  if (verdict.startsWith("asked")) return "asked";
  return verdict === "denied" ? "denied" : "allowed";
}

function byWords(by: VerdictBy): string {
  switch (by.type) {
    case "rule":
      return `rule ${by.rule} (${by.source})`;
    case "mode":
      return `mode ${by.mode}`;
    case "protected":
      return `protected place ${by.place}`;
    case "critical":
      return "critical removal";
    case "reading":
      return "no permission needed";
    case "unclear":
      return "unclear command";
    case "input":
      return "invalid input";
  }
}

function linesOf(calls: readonly Replayed[], chosen: readonly SessionSummary[]): string[] {
  return chosen.flatMap(({ id }) => {
    const own = calls.filter(({ session }) => session === id);
    const heading = chosen.length > 1 && own.length > 0 ? [`Session ${id}`] : [];
    return [...heading, ...own.map(lineOf)];
  });
}

function lineOf({ toolName, input, verdict, now, by, isChanged }: Replayed): string {
  const mark = isChanged ? "*" : " ";
  const what = `${toolName} ${subjectOf(input)}`.trimEnd();
  return reveal(`${mark} ${verdict.padEnd(17)} → ${now.padEnd(7)}  ${what}  [${by}]`);
}

/** The part of an input that distinguishes calls of one tool, in one line. */
function subjectOf(input: unknown): string {
  const fields: Readonly<Record<string, unknown>> =
    typeof input === "object" && input !== null ? { ...input } : {};
  const main = ["command", "file_path", "notebook_path", "path", "url", "pattern", "subagent_type"]
    .map((name) => fields[name])
    .find((value) => typeof value === "string");
  const text = typeof main === "string" ? main : JSON.stringify(input);
  const line = (text ?? "").replaceAll(/\s+/g, " ").trim();
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
}

type Totals = Readonly<Record<Now, { readonly now: number; readonly was: number }>>;

function totalsOf(calls: readonly Replayed[]): Totals {
  const count = (kind: Now) => ({
    now: calls.filter(({ now }) => now === kind).length,
    was: calls.filter(({ verdict }) => kindOf(verdict) === kind).length,
  });
  return {
    allowed: count("allowed"),
    judged: count("judged"),
    asked: count("asked"),
    denied: count("denied"),
  };
}

/** `142 calls: 120 allowed (was 97), 20 asked (was 43), 2 denied` */
function totalsLine(count: number, totals: Totals, skipped: number): string {
  const parts = KINDS.filter((kind) => kind !== "judged" || totals.judged.now > 0).map((kind) => {
    const { now, was } = totals[kind];
    const name = kind === "judged" ? "judged by a model" : kind;
    return `${now} ${name}${now === was || kind === "judged" ? "" : ` (was ${was})`}`;
  });
  const rest = skipped === 0 ? "" : `\n${skipped} more failed before a verdict and were skipped`;
  return `${count} ${count === 1 ? "call" : "calls"}: ${parts.join(", ")}${rest}`;
}
