/** Escapes tags, so that text of another model cannot pose as the system's or a tool's. */
export function asData(text: string): string {
  return text.replaceAll(
    /<(\/?)(system-reminder|system|tool_use_error|function_calls|invoke|tool_result|tool_use)\b/gi,
    "&lt;$1$2",
  );
}
