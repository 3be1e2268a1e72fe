/** A call in the protocol's terms: its kind, locations and result. */

import { isAbsolute, resolve } from "node:path";
import type { ContentBlock, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "@runahead/harness";
import { strip } from "../shared/safe-text.ts";
import { arrivingWords } from "../shared/words.ts";
import { changedFile } from "../shared/outputs.ts";
import { diffsOf } from "./diff.ts";

type Settled = Pick<Extract<AgentEvent, { type: "call-settled" }>, "toolName" | "outcome" | "output">;
type ResultContent = Extract<Settled["outcome"], { type: "succeeded" }>["content"];

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: "read",
  FileRead: "read",
  ListMcpResources: "read",
  ReadMcpResource: "read",
  Write: "edit",
  FileWrite: "edit",
  Edit: "edit",
  FileEdit: "edit",
  NotebookEdit: "edit",
  Glob: "search",
  Grep: "search",
  Bash: "execute",
  BashOutput: "execute",
  KillShell: "execute",
  WebFetch: "fetch",
  WebSearch: "fetch",
  Agent: "think",
  Task: "think",
  TaskCreate: "think",
  TaskUpdate: "think",
  TaskList: "think",
  ExitPlanMode: "switch_mode",
};

/** Tools whose results are prose and need no code fence. */
const PROSE = new Set(["Agent", "Task", "WebFetch", "ExitPlanMode"]);
const PATHS = ["file_path", "notebook_path", "path"];
/** A larger input is not sent; only its title is shown. */
const MOST_INPUT_CHARS = 1_000_000;

export function kindOf(toolName: string): ToolKind {
  return KINDS[toolName] ?? "other";
}

/** A command is shown itself, because the model's description of it can hide something. */
export function titleOf(toolName: string, input: unknown, description: string): string {
  return kindOf(toolName) === "execute" ? arrivingWords(toolName, input) : description;
}

/** The file that an input names. */
export function locationsOf(toolName: string, input: unknown, cwd: string): ToolCallLocation[] {
  if (KINDS[toolName] === undefined || typeof input !== "object" || input === null) return [];
  const members = input as Readonly<Record<string, unknown>>;
  const path = PATHS.map((name) => members[name]).find((value) => typeof value === "string" && value !== "");
  if (typeof path !== "string") return [];
  const line = members["offset"];
  return [
    { path: isAbsolute(path) ? path : resolve(cwd, path), ...(isLine(toolName, line) ? { line } : {}) },
  ];
}

function isLine(toolName: string, line: unknown): line is number {
  return KINDS[toolName] === "read" && typeof line === "number" && Number.isInteger(line) && line > 0;
}

export function rawInputOf(input: unknown): { readonly rawInput?: unknown } {
  const chars = JSON.stringify(input)?.length ?? 0;
  return chars === 0 || chars > MOST_INPUT_CHARS ? {} : { rawInput: input };
}

/** The content of a call that has ended. */
export function settledContent({ toolName, outcome, output }: Settled): ToolCallContent[] {
  if (outcome.type === "failed") return [textContent(fenced(outcome.message))];
  if (outcome.type === "denied") return [textContent(`Denied by ${outcome.by}. ${outcome.reason}`.trimEnd())];
  if (outcome.type === "aborted") {
    if (outcome.effect === "none") return [textContent(notRunWords(outcome))];
    const printed = outcome.output === "" ? [] : [textContent(fenced(outcome.output))];
    return [...printed, textContent("Stopped. Changes made before that are not undone.")];
  }
  const changed = changedFile(output);
  const diffs = changed === undefined ? [] : diffsOf(changed);
  return diffs.length > 0 ? diffs : resultContent(toolName, outcome.content);
}

function notRunWords({ cause }: Extract<Settled["outcome"], { type: "aborted" }>): string {
  return cause.kind === "sibling-error"
    ? `Not run, because an earlier call of ${cause.toolName} failed.`
    : "Not run.";
}

export function resultContent(toolName: string, content: ResultContent): ToolCallContent[] {
  const shown = (text: string): string => (PROSE.has(toolName) ? text : fenced(text));
  if (typeof content === "string") return content === "" ? [] : [textContent(shown(content))];
  return content.map((block) => {
    if (block.type === "text") return textContent(shown(block.text));
    const image = imageOf(block);
    return image === undefined ? textContent(`[${block.type}]`) : { type: "content", content: image };
  });
}

/** Converts an image block of the history. */
export function imageOf(block: object): ContentBlock | undefined {
  const { type, source } = block as { type?: unknown; source?: Readonly<Record<string, unknown>> };
  const data = source?.["data"];
  const mimeType = source?.["media_type"];
  if (type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return undefined;
  return { type: "image", data, mimeType };
}

/** The changed file and its first changed line. */
export function changedLocations(output: unknown): { readonly locations?: ToolCallLocation[] } {
  const changed = changedFile(output);
  if (changed === undefined) return {};
  const { path, diff } = changed;
  const first = diff.type === "hunks" ? diff.hunks[0] : undefined;
  const before = first?.lines.findIndex((line) => !line.startsWith(" ")) ?? 0;
  return { locations: [{ path, ...(first === undefined ? {} : { line: first.newStart + before }) }] };
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** Wraps output in a code fence, because clients render text as markdown. */
export function fenced(text: string): string {
  const plain = strip(text).replace(/\n+$/, "");
  const longest = Math.max(2, ...[...plain.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${plain}\n${fence}`;
}
