/** Tools of MCP servers that need approval for every call, as the entry of their server says. */

import type { PermissionGate } from "@runahead/agent";
import { type FoundMcpServer, mcpToolName } from "@runahead/mcp";

type Gate = Pick<PermissionGate, "addRules">;

/** Servers can be known before there is a gate, and others are added later. */
export class AskedTools {
  #gate: Gate | undefined;
  readonly #rules = new Set<string>();

  note(servers: readonly FoundMcpServer[]): void {
    const fresh = servers.flatMap(rulesOf).filter((rule) => !this.#rules.has(rule));
    for (const rule of fresh) this.#rules.add(rule);
    if (fresh.length > 0) this.#gate?.addRules({ ask: fresh });
  }

  askBy(gate: Gate): void {
    this.#gate = gate;
    if (this.#rules.size > 0) gate.addRules({ ask: [...this.#rules] });
  }
}

function rulesOf({ name, tools }: FoundMcpServer): readonly string[] {
  const start = mcpToolName(name, "x").slice(0, -1);
  return (tools?.ask ?? []).map((tool) => (tool.includes("*") ? `${start}${tool}` : mcpToolName(name, tool)));
}
