/** Finds a model that the user can start with: one they have a key for, or one on their machine. */

import type { World } from "../shared/world.ts";

const OLLAMA = "127.0.0.1:11434";
/** A local server answers within this time. */
const MOST_MS = 300;

/** Returns one line that says how to start, or undefined if there is no model. */
export async function howToStart({ env }: World): Promise<string | undefined> {
  for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"])
    if ((env[name] ?? "") !== "") return `${name} is set. Run \`runahead\` in your own project.`;
  const host = env["OLLAMA_HOST"] || OLLAMA;
  const model = await firstModel(host.includes("://") ? host : `http://${host}`);
  if (model === undefined) return undefined;
  const set = (env["OLLAMA_HOST"] ?? "") === "" ? `OLLAMA_HOST=${OLLAMA} ` : "";
  return `Ollama is running. Run \`${set}runahead --model ${model}\` in your own project.`;
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
