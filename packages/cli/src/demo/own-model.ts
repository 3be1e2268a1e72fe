/** Which model a person could start on: what they have a key for, or what runs on their machine. */

import type { World } from "../shared/world.ts";

const OLLAMA = "127.0.0.1:11434";
/** It is here or it is not. */
const MOST_MS = 300;

/** How to start on it, in a line; undefined where there is none. */
export async function howToStart({ env }: World): Promise<string | undefined> {
  for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"])
    if ((env[name] ?? "") !== "") return `${name} is set: start with \`runahead\` in a project of yours.`;
  const host = env["OLLAMA_HOST"] || OLLAMA;
  const model = await firstModel(host.includes("://") ? host : `http://${host}`);
  if (model === undefined) return undefined;
  const set = (env["OLLAMA_HOST"] ?? "") === "" ? `OLLAMA_HOST=${OLLAMA} ` : "";
  return `Ollama runs here: start with \`${set}runahead --model ${model}\` in a project of yours.`;
}

async function firstModel(address: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${address}/api/tags`, { signal: AbortSignal.timeout(MOST_MS) });
    const { models } = (await response.json()) as { models?: readonly { name?: unknown }[] };
    const name = models?.[0]?.name;
    return response.ok && typeof name === "string" && /^[\w.:/-]+$/.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}
