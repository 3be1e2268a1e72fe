/** Reports prompts that waited when the session's previous process ended: without a terminal, nobody can be asked. */

import type { Prompt } from "@runahead/harness";

const SHOWN_CHARS = 200;

export function unsentNotice(prompts: readonly Prompt[]): string | undefined {
  if (prompts.length === 0) return undefined;
  const texts = prompts.map((prompt) => {
    const first = typeof prompt === "string" ? prompt : prompt.find(({ type }) => type === "text")?.["text"];
    const text = typeof first === "string" ? first : "";
    return JSON.stringify(text.slice(0, SHOWN_CHARS).toWellFormed());
  });
  const what = prompts.length === 1 ? "A queued prompt was" : `${prompts.length} queued prompts were`;
  return `${what} not sent before the session ended: ${texts.join(", ")}. Send it again if you still want it.`;
}
