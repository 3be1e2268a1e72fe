/** Keeps the facts about one sub-agent up to date from its events, and says what it did. */

import { relative } from "node:path";
import type { AnyTool, Claim, Outcome } from "@runahead/engine";
import type { AgentEvent } from "../loop/event.ts";
import { NO_USAGE, type Usage, addUsage } from "../model/token-usage.ts";
import type { AgentInfo, AgentState } from "./agent-info.ts";

const LISTED_CALLS = 12;
const LISTED_FILES = 12;
const DESCRIBED_CHARS = 80;
const FILE = "fs:";

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
  usage: Usage = NO_USAGE;
  costUsd: number | undefined = 0;
  calls = 0;
  readonly #done: string[] = [];
  readonly #open = new Map<string, OpenCall>();
  readonly #files = new Set<string>();
  /** Calls that can have changed more than the files they declare. */
  readonly #writers: string[] = [];
  #phase = "";

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
    const running = [...this.#open.values()].filter(({ hasStarted }) => hasStarted);
    return running.at(-1)?.description ?? [...this.#open.values()].at(-1)?.description ?? this.#phase;
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
    this.#phase = "starting";
  }

  end(state: AgentState): void {
    this.state = state;
    this.endedAt = Date.now();
  }

  /** Takes an event of the agent. `tools` and `cwd` say what its calls write. */
  hear(event: AgentEvent, tools: readonly AnyTool[], cwd: string): void {
    switch (event.type) {
      case "message-started":
        this.#phase = "writing";
        return;
      case "thinking":
        this.#phase = "thinking";
        return;
      case "call-arrived": {
        const { callId, toolName, input } = event;
        const description = callWords(toolName, event.description);
        this.#open.set(callId, {
          description,
          writes: writesOf(toolName, input, { tools, cwd }),
          hasStarted: false,
        });
        return;
      }
      case "call-started": {
        const call = this.#open.get(event.callId);
        if (call === undefined || call.hasStarted) return;
        call.hasStarted = true;
        this.calls++;
        this.#done.push(call.description);
        return;
      }
      case "call-settled":
        return this.#settled(event.callId, event.outcome);
      case "turn-ended":
        this.usage = addUsage(this.usage, event.usage);
        this.#phase = "waiting for its model";
        return;
      default:
    }
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

  #settled(callId: string, outcome: Outcome): void {
    const call = this.#open.get(callId);
    this.#open.delete(callId);
    if (call?.writes === undefined || !call.hasStarted || !canHaveEffects(outcome)) return;
    // A file tool writes completely or not at all, so one that failed has changed nothing.
    if (outcome.type !== "failed") for (const path of call.writes.flatMap(fileOf)) this.#files.add(path);
    if (isOpenEnded(call)) this.#writers.push(call.description);
  }
}

function canHaveEffects(outcome: Outcome): boolean {
  return (
    outcome.type === "succeeded" ||
    outcome.type === "failed" ||
    (outcome.type === "aborted" && outcome.effect === "unknown")
  );
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

/** The places that a call writes; undefined if it only reads or starts sub-agents, which are recorded on their own. */
function writesOf(
  toolName: string,
  input: unknown,
  { tools, cwd }: { readonly tools: readonly AnyTool[]; readonly cwd: string },
): readonly string[] | undefined {
  const tool = tools.find(({ name, aliases = [] }) => name === toolName || aliases.includes(toolName));
  if (tool === undefined || tool.delegates === true) return undefined;
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
