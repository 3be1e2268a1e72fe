/** Keeps the facts about one sub-agent up to date from its events, and says what it did. */

import { relative } from "node:path";
import type { AnyTool, Claim, Outcome } from "@runahead/engine";
import type { AgentEvent } from "../loop/event.ts";
import type { Usage } from "../model/event.ts";
import { initialView, reduce } from "../view/reduce.ts";
import type { AgentView, CallView } from "../view/view.ts";
import type { AgentInfo, AgentState } from "./agent-info.ts";

const LISTED_CALLS = 12;
const LISTED_FILES = 12;
const DESCRIBED_CHARS = 80;
const FILE = "fs:";

/** A call that has not ended. */
interface OpenCall {
  readonly description: string;
  /** What it writes; undefined if it only reads. */
  readonly writes: readonly string[] | undefined;
  hasStarted: boolean;
}

export type RecordFacts = Pick<
  AgentInfo,
  "id" | "type" | "description" | "parent" | "callId" | "isBackground"
>;

export class AgentRecord implements AgentInfo {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  readonly parent: string | undefined;
  readonly callId: string;
  isBackground: boolean;
  state: AgentState = "waiting";
  startedAt = Date.now();
  endedAt: number | undefined;
  costUsd: number | undefined = 0;
  calls = 0;
  readonly #view = initialView({ keepsContent: false });
  readonly #done: string[] = [];
  readonly #open = new Map<CallView, OpenCall>();
  readonly #files = new Set<string>();
  /** Calls that can have changed more than the files they declare. */
  readonly #writers: string[] = [];

  constructor(facts: RecordFacts) {
    this.id = facts.id;
    this.type = facts.type;
    this.description = facts.description;
    this.parent = facts.parent;
    this.callId = facts.callId;
    this.isBackground = facts.isBackground;
  }

  get isOver(): boolean {
    return this.state !== "waiting" && this.state !== "running";
  }

  get action(): string {
    if (this.isOver) return "";
    if (this.state === "waiting") return "waiting for a free slot";
    const open = [...this.#open.values()];
    const call = open.findLast(({ hasStarted }) => hasStarted) ?? open.at(-1);
    return call?.description ?? phaseOf(this.#view);
  }

  /** The tokens of its own turns. */
  get usage(): Usage {
    return this.#view.usage;
  }

  get changedFiles(): readonly string[] {
    return [...this.#files];
  }

  /** A copy that does not change. */
  get info(): AgentInfo {
    const { id, type, description, parent, callId, isBackground, state, startedAt, endedAt } = this;
    const { action, usage, costUsd, calls, changedFiles } = this;
    const facts = { id, type, description, parent, callId, isBackground, state, startedAt, endedAt };
    return { ...facts, action, usage, costUsd, calls, changedFiles };
  }

  begin(): void {
    this.state = "running";
    this.startedAt = Date.now();
    this.endedAt = undefined;
  }

  end(state: AgentState): void {
    this.state = state;
    this.endedAt = Date.now();
  }

  /** Takes an event of the agent. `tools` and `cwd` say what its calls write. */
  hear(event: AgentEvent, tools: readonly AnyTool[], cwd: string): void {
    const step = reduce(this.#view, event);
    if (step?.agent !== this.#view) return;
    for (const { what, call } of step.calls) {
      if (what === "input") this.#arrived(call, { tools, cwd });
      else if (what === "state") this.#moved(call);
      else if (what === "ended") this.#ended(call);
    }
  }

  #arrived(call: CallView, where: Where): void {
    const description = callWords(call.toolName, call.description);
    this.#open.set(call, { description, writes: writesOf(call, where), hasStarted: false });
  }

  #moved(call: CallView): void {
    const open = this.#open.get(call);
    if (open === undefined || open.hasStarted || call.startedMs === undefined) return;
    open.hasStarted = true;
    // Of a script, the summary names the script.
    if (call.parent !== undefined) return;
    this.calls++;
    this.#done.push(open.description);
  }

  /** `12 s, 2 calls: Read docs/api.md, Grep router; changed nothing` */
  summary(cwd: string): string {
    const seconds = Math.round(((this.endedAt ?? Date.now()) - this.startedAt) / 1_000);
    const { calls } = this;
    const listed = listOf(this.#done, LISTED_CALLS, (words) => words);
    const made = calls === 0 ? "no calls" : `${calls} ${calls === 1 ? "call" : "calls"}: ${listed}`;
    return `${seconds} s, ${made}; ${this.#changes(cwd)}`;
  }

  #changes(cwd: string): string {
    const running = [...this.#open.values()].filter((call) => call.hasStarted && call.writes !== undefined);
    const files = new Set([...this.#files, ...running.flatMap(({ writes = [] }) => writes.flatMap(fileOf))]);
    const writers = [...this.#writers, ...running.filter(isOpenEnded).map(({ description }) => description)];
    const parts = [
      ...(files.size > 0
        ? [`changed ${listOf([...files], LISTED_FILES, (path) => shortPath(path, cwd))}`]
        : []),
      ...(writers.length > 0
        ? [`can have changed files with: ${listOf(writers, LISTED_CALLS, (words) => words)}`]
        : []),
    ];
    return parts.length === 0 ? "changed nothing" : parts.join("; ");
  }

  #ended(call: CallView): void {
    const open = this.#open.get(call);
    this.#open.delete(call);
    const outcome = call.end?.outcome;
    if (open?.writes === undefined || !open.hasStarted || !canHaveEffects(outcome)) return;
    // A file tool writes completely or not at all, so one that failed has changed nothing.
    if (outcome?.type !== "failed") for (const path of open.writes.flatMap(fileOf)) this.#files.add(path);
    if (isOpenEnded(open)) this.#writers.push(open.description);
  }
}

/** What its model does between two calls. */
function phaseOf({ turn, isThinking }: AgentView): string {
  if (isThinking) return "thinking";
  if (turn === undefined) return "starting";
  return turn.stop === "open" ? "writing" : "waiting for its model";
}

/** A call without an outcome ended with its agent: it is unknown what it did. */
function canHaveEffects(outcome: Outcome | undefined): boolean {
  return outcome?.type !== "denied" && (outcome?.type !== "aborted" || outcome.effect === "unknown");
}

function isOpenEnded({ writes = [] }: OpenCall): boolean {
  return writes.some((place) => place === "*");
}

function fileOf(place: string): string[] {
  return place.startsWith(FILE) ? [place.slice(FILE.length)] : [];
}

function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith("..") ? path : short;
}

function listOf(items: readonly string[], most: number, words: (item: string) => string): string {
  const more = items.length - most;
  const shown = items.slice(0, most).map(words).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** The description of a call, with the tool's name if the description does not begin with it. */
function callWords(toolName: string, description: string): string {
  const line = description.replaceAll(/\s+/g, " ").trim();
  const words = line.startsWith(toolName) ? line : `${toolName} ${line}`;
  return words.length > DESCRIBED_CHARS ? `${words.slice(0, DESCRIBED_CHARS - 1)}…` : words;
}

interface Where {
  readonly tools: readonly AnyTool[];
  readonly cwd: string;
}

/** The places that a call writes; undefined if it only reads or starts sub-agents, which are recorded on their own. */
function writesOf(
  { toolName, input, parent }: CallView,
  { tools, cwd }: Where,
): readonly string[] | undefined {
  const tool = tools.find(({ name, aliases = [] }) => name === toolName || aliases.includes(toolName));
  // A script can have tools that the agent does not have.
  if (tool === undefined) return parent === undefined ? undefined : ["*"];
  if (tool.delegates === true) return undefined;
  try {
    const given = input as Record<string, unknown>;
    if (tool.isReadOnly?.(given) === true) return undefined;
    const claims: readonly Claim[] = tool.access?.(given, { cwd }) ?? [{ mode: "write", place: "*" }];
    const written = claims.filter(({ mode }) => mode === "write").map(({ place }) => place);
    return written.length === 0 ? undefined : written;
  } catch {
    return ["*"];
  }
}
