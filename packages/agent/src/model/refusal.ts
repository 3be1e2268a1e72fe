/** What a server that refuses a request means: its words are all that tells. */

/** How Anthropic, OpenAI, and servers that speak like them, say that the conversation is too long. */
const TOO_LONG = [
  /prompt is too long/i,
  /exceeds? (?:the )?(?:available )?context (?:limit|window|size|length)/i,
  /exceeds? the context window/i,
  /maximum context length/i,
  /context_length_exceeded|request_too_large/,
];

/** How they say that something in it is wrong. What is said of tools' definitions and of options is not of this kind. */
const WRONG_HISTORY = [
  /\bmessages(?:\.\d+|\[\d+\])/,
  /\bmessages: (?:roles|text|final|first)/,
  /text content blocks must/i,
  /tool_use`? ids|tool_use_id|tool_result`? blocks?/,
  /`(?:redacted_)?thinking`? blocks?|thinking blocks?\b|`?signature`? in `?thinking/i,
  /could not process (?:image|pdf|document)/i,
  /surrogate|body is not valid json|could not parse the json body|invalid (?:utf-?8|unicode)/i,
  /role '?"?tool'?"? must|must be followed by tool messages/i,
  /no tool (?:output|call) found/i,
  /of type '(?:reasoning|function_call)' was provided without/i,
];

export function kindOfRefusal(text: string): "context-overflow" | "bad-history" | "bad-request" {
  if (TOO_LONG.some((words) => words.test(text))) return "context-overflow";
  return WRONG_HISTORY.some((words) => words.test(text)) ? "bad-history" : "bad-request";
}
