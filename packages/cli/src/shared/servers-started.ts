/** Waiting for MCP servers before the first request. */

import { setTimeout as pause } from "node:timers/promises";
import type { CodingAgent } from "@runahead/harness";
import { unless } from "./unless.ts";

/** Servers that need longer join when they are ready. */
const MOST_WAIT_MS = 5_000;

/** Resolves when each server has connected or failed, after a few seconds, or when the signal is aborted. */
export async function serversStarted(mcp: CodingAgent["mcp"], signal: AbortSignal): Promise<void> {
  const waited = new AbortController();
  const limit = pause(MOST_WAIT_MS, undefined, { signal: waited.signal }).catch(() => {});
  await unless(signal, Promise.race([mcp.settled(), limit]));
  waited.abort();
}

/** Names the servers whose tools are not in the first request because they are still starting. */
export function startingNotice(mcp: CodingAgent["mcp"]): string | undefined {
  const names = mcp
    .servers()
    .filter(({ state }) => state.type === "connecting")
    .map(({ name }) => name);
  if (names.length === 0) return undefined;
  const [are, their] = names.length === 1 ? ["MCP server", "its"] : ["MCP servers", "their"];
  return `Still starting: ${are} ${names.join(", ")}. The first request goes out without ${their} tools.`;
}

const STATUS: Readonly<Record<string, string>> = {
  ready: "connected",
  connecting: "pending",
  waiting: "pending",
  untrusted: "disabled",
  closed: "disabled",
};

/** The state of a server in the words of stream-json. */
export function statusOf({ type }: { readonly type: string }): string {
  return STATUS[type] ?? type;
}
