/**
 * Approvals of tools, each bound to the definition that was approved (H05). Until the user approves a tool, the first
 * definition seen in this session counts, so that a change during the session is always noticed.
 */

/** Keeps approvals of tools, each bound to the definition that was approved. */
export interface McpApprovals {
  /** Returns the fingerprint of the definition that was approved; undefined if the tool has no approval. */
  approved(toolName: string): string | undefined;
  /** Approves a definition for this session. */
  approve(toolName: string, fingerprint: string): void;
  /** Saves fingerprints by tool name for later sessions. Rejects if they cannot be saved. */
  keep(approved: ReadonlyMap<string, string>): Promise<void>;
}

/**
 * Creates approvals that are kept in memory, until the process ends.
 *
 * @example
 * ```ts
 * const mcp = connectMcp({ servers: [], approvals: memoryApprovals(), onNotice: console.error });
 * ```
 */
export function memoryApprovals(): McpApprovals {
  const approved = new Map<string, string>();
  return {
    approved: (toolName) => approved.get(toolName),
    approve: (toolName, fingerprint) => void approved.set(toolName, fingerprint),
    async keep(more) {
      for (const [toolName, fingerprint] of more) approved.set(toolName, fingerprint);
    },
  };
}

export class Definitions {
  readonly #approvals: McpApprovals;
  readonly #first = new Map<string, string>();

  constructor(approvals: McpApprovals) {
    this.#approvals = approvals;
  }

  seen(toolName: string, fingerprint: string): void {
    if (!this.#first.has(toolName)) this.#first.set(toolName, fingerprint);
  }

  hasChanged(toolName: string, fingerprint: string): boolean {
    return this.#approved(toolName, fingerprint) !== fingerprint;
  }

  approve(toolName: string, fingerprint: string): void {
    this.#first.set(toolName, fingerprint);
    this.#approvals.approve(toolName, fingerprint);
  }

  /** Saves the definitions that were approved, so a tool that changed since then is not approved. */
  keep(tools: ReadonlyMap<string, string>): Promise<void> {
    return this.#approvals.keep(
      new Map([...tools].map(([toolName, fingerprint]) => [toolName, this.#approved(toolName, fingerprint)])),
    );
  }

  #approved(toolName: string, fingerprint: string): string {
    return this.#approvals.approved(toolName) ?? this.#first.get(toolName) ?? fingerprint;
  }
}
