/** What OpenAI's two APIs refuse of a history: a call without its output, an output without its call. */

type Item = Readonly<Record<string, unknown>>;

/** The words of the refusal, if it would be refused. */
export function chatRefusal(messages: readonly Item[]): string | undefined {
  let owed = new Set<unknown>();
  for (const { role, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === "tool") {
      if (!owed.delete(id))
        return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
      continue;
    }
    if (owed.size > 0)
      return `tool_call_ids did not have response messages, must be followed by tool messages: ${[...owed].join(", ")}`;
    owed = new Set(((calls ?? []) as readonly Item[]).map((call) => call["id"]));
  }
  return owed.size > 0 ? "must be followed by tool messages" : undefined;
}

export function responsesRefusal(input: readonly Item[]): string | undefined {
  const idsOf = (type: string): unknown[] =>
    input.flatMap((item) => (item["type"] === type ? [item["call_id"]] : []));
  const calls = idsOf("function_call");
  const outputs = idsOf("function_call_output");
  if (new Set(calls).size !== calls.length) return "Duplicate function_call id";
  const missing = calls.find((id) => !outputs.includes(id));
  if (missing !== undefined) return `No tool output found for function call ${String(missing)}.`;
  const orphan = outputs.find((id) => !calls.includes(id));
  return orphan === undefined ? undefined : `No tool call found for function call output ${String(orphan)}.`;
}
