/** Classifies a rejected request by the server's words: the status alone does not say what is wrong. */

/** How Anthropic, OpenAI and compatible servers report that the conversation is too long. */
const TOO_LONG = [
  /prompt is too long/i,
  /exceeds? (?:the )?(?:available )?context (?:limit|window|size|length)/i,
  /exceeds? the context window/i,
  /maximum context length/i,
  /context_length_exceeded|request_too_large/,
];

/** How they report that a part of it is invalid. Complaints about tool definitions and options do not match. */
const WRONG_HISTORY = [
  /\bmessages(?:\.\d+|\[\d+\])/,
  /\bmessages: (?:roles|text|final|first)/,
  /text content blocks must/i,
  /tool_use`? ids|tool_use_id|tool_result`? blocks?/,
  /`(?:redacted_)?thinking`? blocks?|thinking blocks?\b|`?signature`? in `?thinking/i,
  /could not process (?:image|pdf|document)/i,
  /\breasoning(?:_content|_details)\b/,
  /surrogate|body is not valid json|could not parse the json body|invalid (?:utf-?8|unicode)/i,
  /role '?"?tool'?"? must|must be followed by tool messages/i,
  /no tool (?:output|call) found/i,
  /of type '\w+' was provided without/i,
  /\bencrypted content\b|invalid_encrypted_content|\bitem with id '\w+' not found/i,
];

export function kindOfRefusal(text: string): "context-overflow" | "bad-history" | "bad-request" {
  if (TOO_LONG.some((words) => words.test(text))) return "context-overflow";
  return WRONG_HISTORY.some((words) => words.test(text)) ? "bad-history" : "bad-request";
}
