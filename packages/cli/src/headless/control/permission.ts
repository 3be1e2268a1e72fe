/** `can_use_tool`: the host answers permission questions and the model's own questions. */

import {
  type CodingAgent,
  type Listeners,
  type PersonAnswer,
  type PersonQuestion,
  ignoredUpdates,
  permissionSuggestions,
  personAnswer,
} from "@runahead/harness";
import { wordsOf as messageOf } from "../../shared/failure.ts";
import type { HostLink } from "./link.ts";
import { type Members, isMembers, textIn } from "./members.ts";

interface Asking extends Pick<CodingAgent, "gate" | "mcp"> {
  readonly onNotice: (message: string) => void;
}

/** Asks the host about a call. An answer that is not valid denies it. */
export async function askHost(
  link: HostLink,
  question: PersonQuestion,
  asking: Asking,
): Promise<PersonAnswer> {
  const { toolName, input, description, reason, callId, signal, from } = question;
  const server = serverOf(toolName, asking.mcp);
  const agentId = / \((\S+)\)$/.exec(from ?? "")?.[1];
  const request = {
    subtype: "can_use_tool",
    tool_name: toolName,
    display_name: toolName,
    input,
    description,
    decision_reason: reason,
    permission_suggestions: permissionSuggestions(question),
    tool_use_id: callId,
    ...(server === undefined ? {} : { mcp_server: server }),
    ...(agentId === undefined ? {} : { agent_id: agentId }),
  };
  try {
    return answerIn(await link.request(request, signal), question, asking);
  } catch (error) {
    if (signal.aborted) return { type: "withdrawn" };
    return { type: "no", message: `The host did not answer the permission question: ${messageOf(error)}` };
  }
}

function serverOf(tool: string, mcp: CodingAgent["mcp"]): object | undefined {
  const found = mcp.servers().find(({ tools }) => tools.includes(tool));
  return found === undefined ? undefined : { name: found.name, source: found.source ?? "dynamic" };
}

function answerIn(answer: Members, question: PersonQuestion, { gate, onNotice }: Asking): PersonAnswer {
  const { behavior, updatedInput, updatedPermissions, interrupt } = answer;
  if (behavior === "deny") {
    const message = textIn(answer, "message") ?? "The host denied the call.";
    return personAnswer({ behavior, message, interrupt: interrupt === true }, question, gate);
  }
  if (behavior === "defer") return { type: "defer" };
  if (behavior !== "allow")
    return { type: "no", message: "The host returned an invalid answer, so the call is denied." };
  const decision = {
    behavior,
    ...(isMembers(updatedInput) ? { updatedInput } : {}),
    ...(Array.isArray(updatedPermissions)
      ? { updatedPermissions: updatedPermissions.filter(isMembers) }
      : {}),
  } as const;
  for (const words of ignoredUpdates(decision, gate)) onNotice(`canUseTool: ${words}`);
  return personAnswer(decision, question, gate);
}

type AskUser = NonNullable<Listeners["askUser"]>;
type Questions = Parameters<AskUser>[0];

/** Passes the questions on as a call of AskUserQuestion, whose answers the host adds to the input. */
export function askUserBy(link: Pick<HostLink, "request">): AskUser {
  return async (questions, signal) => {
    const request = {
      subtype: "can_use_tool",
      tool_name: "AskUserQuestion",
      display_name: "AskUserQuestion",
      input: { questions },
      tool_use_id: "",
    };
    const answer = await link.request(request, signal);
    const { updatedInput } = answer;
    const answers = isMembers(updatedInput) ? updatedInput["answers"] : undefined;
    if (answer["behavior"] !== "allow" || !isMembers(answers))
      return { type: "declined", words: textIn(answer, "message") ?? "" };
    return { type: "answered", answers: questions.map((one) => answerTo(one, answers)) };
  };
}

function answerTo({ question }: Questions[number], answers: Members) {
  const words = textIn(answers, question);
  return words === undefined ? ({ type: "skipped" } as const) : ({ type: "said", text: words } as const);
}
