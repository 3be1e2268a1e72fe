/** Asks the user in the editor about one call. */

import { readFile, stat } from "node:fs/promises";
import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallContent,
} from "@agentclientprotocol/sdk";
import type { Mode, PersonAnswer, PersonQuestion, RuleChoice } from "@runahead/harness";
import { reveal, strip } from "../shared/safe-text.ts";
import { PLAN_TOOL } from "../shared/words.ts";
import { fenced, kindOf, locationsOf, rawInputOf, textContent, titleOf } from "./call.ts";

/** A larger file is not read to show what would change. */
const MOST_BYTES = 1_000_000;

/** Asks the client. Rejects if that fails or if the question is withdrawn. */
export type Request = (
  request: Omit<RequestPermissionRequest, "sessionId">,
  signal: AbortSignal,
) => Promise<RequestPermissionResponse>;

export interface AskingPlace {
  readonly cwd: string;
  readonly setMode: (mode: Mode) => void;
  /** Called with the reason if the client could not ask. */
  readonly onFailure: (why: string) => void;
}

/** No answer, an unknown answer and a disconnected client all mean that the call is not run. */
export async function askClient(
  question: PersonQuestion,
  { cwd, setMode, onFailure }: AskingPlace,
  request: Request,
): Promise<PersonAnswer> {
  const toolCall = await callOf(question, cwd);
  if (question.signal.aborted) return { type: "withdrawn" };
  const isPlan = question.toolName === PLAN_TOOL;
  const offers = offersOf(question.choices);
  try {
    const options = isPlan ? PLAN_OPTIONS : optionsOf(offers);
    const { outcome } = await request({ toolCall, options: [...options] }, question.signal);
    const chosen = outcome.outcome === "selected" ? outcome.optionId : "no";
    const mode = isPlan ? PLAN_MODES.find((one) => one === chosen) : undefined;
    if (mode !== undefined) setMode(mode);
    if (chosen === "once" || mode !== undefined) return { type: "once" };
    return offers.find(({ id }) => id === chosen)?.answer ?? { type: "no" };
  } catch (error) {
    if (question.signal.aborted) return { type: "withdrawn" };
    onFailure(error instanceof Error ? error.message : String(error));
    return { type: "no" };
  }
}

/** The modes to go on in after a plan was approved; each is the id of its option. */
const PLAN_MODES: readonly Mode[] = ["acceptEdits", "default"];
const PLAN_OPTIONS: readonly PermissionOption[] = [
  { optionId: "acceptEdits", kind: "allow_always", name: "Approve, and change files without asking" },
  { optionId: "default", kind: "allow_once", name: "Approve, and ask before each change" },
  { optionId: "no", kind: "reject_once", name: "Keep planning" },
];

/** An answer that adds rules. The first choice has the ids "session" and "always", the second "session-2", … */
interface Offer {
  readonly id: string;
  readonly name: string;
  readonly answer: PersonAnswer;
}

function offersOf(choices: readonly RuleChoice[]): Offer[] {
  return choices.flatMap(({ label, rules, scopes }, at) =>
    scopes.map((type) => {
      const long = type === "session" ? "for this session" : "always";
      const words = `${reveal(label)}, ${long}: ${rules.map((rule) => reveal(rule)).join(", ")}`;
      return { id: at === 0 ? type : `${type}-${at + 1}`, name: words, answer: { type, rules } };
    }),
  );
}

function optionsOf(offers: readonly Offer[]): PermissionOption[] {
  return [
    { optionId: "once", kind: "allow_once", name: "Allow once" },
    ...offers.map(({ id, name }): PermissionOption => ({ optionId: id, kind: "allow_always", name })),
    { optionId: "no", kind: "reject_once", name: "Reject and end the turn" },
  ];
}

/** Includes the whole input, because a title alone could hide what the call does. */
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
  if (toolName === PLAN_TOOL) return [textContent(strip(text("plan") ?? ""))];
  const [gone, come] = [text("old_string"), text("new_string") ?? text("content")];
  if (kindOf(toolName) === "edit" && path !== undefined && come !== undefined)
    return [{ type: "diff", path, oldText: gone ?? (await textIn(path)), newText: come }];
  return [textContent(fenced(reveal(JSON.stringify(input, null, 2) ?? "")))];
}

/** Returns null if the file does not exist or is too large to show. */
async function textIn(path: string): Promise<string | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MOST_BYTES ? await readFile(path, "utf8") : null;
  } catch {
    return null;
  }
}
