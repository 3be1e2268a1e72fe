/** The question about one call, put to the person in the editor. */

import { readFile, stat } from "node:fs/promises";
import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallContent,
} from "@agentclientprotocol/sdk";
import type { PersonAnswer, PersonQuestion } from "@runahead/agent";
import { reveal } from "../repl/safe-text.ts";
import { fenced, kindOf, locationsOf, rawInputOf, textContent, titleOf } from "./call.ts";

/** A file that is larger is not read to show what would change in it. */
const MOST_BYTES = 1_000_000;

/** How the client is asked; rejected where it cannot be, or when the question is withdrawn. */
export type Request = (
  request: Omit<RequestPermissionRequest, "sessionId">,
  signal: AbortSignal,
) => Promise<RequestPermissionResponse>;

/** No answer, a strange one and a client that is gone mean that it is not run. */
export async function askClient(
  question: PersonQuestion,
  cwd: string,
  request: Request,
): Promise<PersonAnswer> {
  const toolCall = await callOf(question, cwd);
  if (question.signal.aborted) return { type: "no" };
  const options = optionsOf(question.suggestions);
  try {
    const { outcome } = await request({ toolCall, options }, question.signal);
    const chosen = outcome.outcome === "selected" ? outcome.optionId : "no";
    if (chosen === "once") return { type: "once" };
    const isOffered = options.some(({ optionId }) => optionId === chosen);
    return (chosen === "session" || chosen === "always") && isOffered ? { type: chosen } : { type: "no" };
  } catch {
    return { type: "no" };
  }
}

function optionsOf(suggestions: readonly string[]): PermissionOption[] {
  const rules = suggestions.map((rule) => reveal(rule)).join(", ");
  const keep: PermissionOption[] = [
    { optionId: "session", kind: "allow_always", name: `Allow for this session: ${rules}` },
    { optionId: "always", kind: "allow_always", name: `Always allow: ${rules}` },
  ];
  return [
    { optionId: "once", kind: "allow_once", name: "Allow once" },
    ...(suggestions.length > 0 ? keep : []),
    { optionId: "no", kind: "reject_once", name: "Reject" },
  ];
}

/** With all of what would be done: a title alone could hide it. */
async function callOf(question: PersonQuestion, cwd: string): Promise<RequestPermissionRequest["toolCall"]> {
  const { callId, toolName, input, description, reason, from } = question;
  const locations = locationsOf(toolName, input, cwd);
  return {
    toolCallId: callId,
    title: `${from === undefined ? "" : `${from}: `}${reveal(titleOf(toolName, input, description))}`,
    kind: kindOf(toolName),
    status: "pending",
    locations,
    content: [...(await wouldDo(question, locations[0]?.path)), textContent(reveal(reason))],
    ...rawInputOf(input),
  };
}

async function wouldDo(
  { toolName, input }: PersonQuestion,
  path: string | undefined,
): Promise<ToolCallContent[]> {
  const members = (input ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string): string | undefined => {
    const value = members[name];
    return typeof value === "string" ? value : undefined;
  };
  if (toolName === "Bash") return [textContent(fenced(reveal(text("command") ?? "")))];
  const [gone, come] = [text("old_string"), text("new_string") ?? text("content")];
  if (kindOf(toolName) === "edit" && path !== undefined && come !== undefined)
    return [{ type: "diff", path, oldText: gone ?? (await textIn(path)), newText: come }];
  return [textContent(fenced(reveal(JSON.stringify(input, null, 2) ?? "")))];
}

/** Null where there is nothing, or nothing to show. */
async function textIn(path: string): Promise<string | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MOST_BYTES ? await readFile(path, "utf8") : null;
  } catch {
    return null;
  }
}
