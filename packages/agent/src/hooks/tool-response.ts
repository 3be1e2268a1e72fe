/** `tool_response`: the output of a built-in tool with the members that hook scripts know. */

import { STATUS_CODES } from "node:http";
import { type Shape, isShape, stringOf } from "@runahead/base";
import type { ResultContent } from "@runahead/engine";
import type { Usage } from "../model/event.ts";
import { editResponse, notebookResponse, readResponse, writeResponse } from "./file-response.ts";

/** A sub-agent that works or has worked for a call of Agent. */
export interface CalledAgent {
  /** Unique within the session. */
  readonly id: string;
  /** The name of its definition. */
  readonly type: string;
  /** Its task in a few words. */
  readonly description: string;
  /** Its state, such as `finished` or `stopped`. */
  readonly state: string;
  /** When it started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** When it ended; undefined before that. */
  readonly endedAt: number | undefined;
  /** The tokens of its own turns. */
  readonly usage: Usage;
  /** How many calls it has made. */
  readonly calls: number;
}

export interface FinishedTool {
  readonly toolName: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly content: ResultContent;
  readonly ranMs: number;
  /** The sub-agent that worked for the call. */
  readonly agent?: CalledAgent | undefined;
}

export interface KnownCall extends FinishedTool {
  readonly input: Shape;
  /** Empty if the output of the tool is not an object. */
  readonly output: Shape;
  /** The output, whatever it is. */
  readonly returned: unknown;
  /** The result as one text. */
  readonly text: string;
}

/** The members of the tool's own output stay beside the documented ones. */
export async function toolResponse(call: FinishedTool): Promise<unknown> {
  const { toolName, output, content } = call;
  if (toolName.startsWith("mcp__")) return content;
  if (!isWritable(output)) return content;
  const input = isShape(call.input) ? call.input : {};
  const own = isShape(output) ? output : {};
  const known = { ...call, input, output: own, returned: output, text: contentText(content) };
  const documented = await DOCUMENTED[toolName]?.(known);
  if (documented === undefined) return output;
  return Array.isArray(documented) ? documented : { ...own, ...documented };
}

function isWritable(output: unknown): boolean {
  try {
    return JSON.stringify(output) !== undefined;
  } catch {
    return false;
  }
}

type Response = Shape | readonly Shape[];

const DOCUMENTED: Readonly<Record<string, (call: KnownCall) => Response | Promise<Response>>> = {
  Bash: ({ output: { text, type, id, outputPath } }) => ({
    stdout: text,
    stderr: "",
    interrupted: false,
    isImage: false,
    ...(type === "background" ? { backgroundTaskId: id } : {}),
    ...(outputPath === undefined ? {} : { persistedOutputPath: outputPath }),
  }),
  Read: readResponse,
  Write: writeResponse,
  Edit: editResponse,
  NotebookEdit: notebookResponse,
  Glob: ({ output: { files, total }, ranMs }) => ({
    durationMs: Math.round(ranMs),
    numFiles: listOf(files).length,
    filenames: files,
    truncated: Number(total) > listOf(files).length,
    totalMatches: Number(total),
    countIsComplete: true,
  }),
  Grep: grepResponse,
  WebFetch: ({ input, output, text, ranMs }) => {
    const { answer, status = 200, to } = output;
    const result = typeof answer === "string" ? answer : text;
    const bytes = Buffer.byteLength(result);
    const code = typeof status === "number" ? status : 200;
    const codeText = STATUS_CODES[code] ?? "";
    return { bytes, code, codeText, result, durationMs: Math.round(ranMs), url: to ?? input["url"] };
  },
  WebSearch: ({ output: { query, results }, ranMs }) => ({
    query,
    results: [{ tool_use_id: "", content: results }],
    durationSeconds: ranMs / 1000,
    searchCount: 1,
  }),
  Agent: agentResponse,
  TaskCreate: ({ output: { task } }) => {
    const { id, subject, description } = isShape(task) ? task : {};
    return { task: { id, subject, description } };
  },
  TaskUpdate: taskUpdateResponse,
  TaskList: ({ output: { tasks } }) => ({
    tasks: listOf(tasks)
      .filter(isShape)
      .map((task) => ({ ...task, blockedBy: [] })),
  }),
  TaskStop: ({ input: { task_id: id }, text }) => ({
    message: text,
    task_id: id,
    task_type: stringOf(id, "").startsWith("agent-") ? "local_agent" : "local_bash",
  }),
  TaskOutput: ({ input: { task_id: id }, text }) => ({ task_id: id, output: text }),
  BashOutput: ({ output: { text, isRunning } }) => ({
    output: text,
    status: isRunning === true ? "running" : "completed",
  }),
  KillShell: ({ input: { shell_id: id }, text }) => ({ message: text, shell_id: id }),
  AskUser: answersResponse,
  ExitPlanMode: ({ output: { plan, path } }) => ({
    plan,
    isAgent: false,
    ...(typeof path === "string" ? { filePath: path } : {}),
  }),
  ListMcpResources: ({ returned }) => resourcesIn(returned),
  ReadMcpResource: ({ input: { uri }, content }) => ({
    contents: (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block) =>
      "text" in block ? { uri, text: block.text } : { uri },
    ),
  }),
};

function grepResponse({ output: { mode, lines, offset } }: KnownCall): Shape {
  const texts = (isShape(lines) ? listOf(lines["texts"]) : []).map(String);
  const skipped = typeof offset === "number" && offset > 0 ? { appliedOffset: offset } : {};
  if (mode === "files_with_matches") return { mode, numFiles: texts.length, filenames: texts, ...skipped };
  const content = texts.join("\n");
  if (mode !== "count")
    return { mode, numFiles: 0, filenames: [], content, numLines: texts.length, ...skipped };
  const counts = texts.map((line) => Number(/(\d+)$/.exec(line)?.[1] ?? 0));
  const numMatches = counts.reduce((sum, count) => sum + count, 0);
  return { mode, numFiles: texts.length, filenames: [], content, numMatches, ...skipped };
}

/** The result of a sub-agent, or that it works in the background. */
function agentResponse({ input, output, agent, text, ranMs }: KnownCall): Shape {
  const prompt = input["prompt"];
  if (agent === undefined)
    return { ...output, status: "completed", content: [{ type: "text", text }], prompt };
  const { id, type, usage, calls, startedAt, endedAt, state } = agent;
  const about = { agentId: id, agentType: type, prompt };
  if (endedAt === undefined)
    return {
      ...about,
      status: "async_launched",
      isAsync: true,
      description: agent.description,
      outputFile: "",
      canReadOutputFile: false,
    };
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    ...about,
    status: state === "finished" ? "completed" : state,
    content: [{ type: "text", text }],
    totalToolUseCount: calls,
    totalDurationMs: Math.max(0, endedAt - startedAt) || Math.round(ranMs),
    totalTokens: inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_creation_input_tokens: cacheWriteTokens,
      cache_read_input_tokens: cacheReadTokens,
      server_tool_use: null,
      service_tier: null,
      cache_creation: null,
    },
  };
}

function taskUpdateResponse({ input: { id, ...change }, output: { before } }: KnownCall): Shape {
  const { status } = change;
  const from = isShape(before) ? before["status"] : undefined;
  const isMoved = typeof status === "string" && typeof from === "string" && status !== from;
  return {
    success: true,
    taskId: id,
    updatedFields: Object.keys(change).filter((name) => change[name] !== undefined),
    ...(isMoved ? { statusChange: { from, to: status } } : {}),
  };
}

/** The answers by question, in words. */
function answersResponse({ output: { questions, answers } }: KnownCall): Shape {
  const given = isShape(answers) ? listOf(answers["answers"]) : [];
  const entries = listOf(questions).flatMap((question, at) => {
    const words = wordsOf(given[at]);
    return isShape(question) && words !== "" ? [[String(question["question"]), words] as const] : [];
  });
  return { questions, answers: Object.fromEntries(entries) };
}

function wordsOf(answer: unknown): string {
  if (!isShape(answer)) return "";
  if (answer["type"] === "said") return stringOf(answer["text"], "");
  return answer["type"] === "chosen" ? listOf(answer["labels"]).map(String).join(", ") : "";
}

/** The resources of all servers in one list. */
function resourcesIn(listings: unknown): readonly Shape[] {
  return listOf(listings)
    .filter(isShape)
    .flatMap(({ server, resources }) =>
      listOf(resources)
        .filter(isShape)
        .map(({ isTemplate: _isTemplate, ...resource }) => ({ ...resource, server })),
    );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function contentText(content: ResultContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
