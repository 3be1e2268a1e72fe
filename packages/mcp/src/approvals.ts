/**
 * Approvals of tools, each bound to the definition that was approved (H05). Until a person has approved one, the
 * definition that was there first in this session counts, so that a tool that changes while we work is always noticed.
 */

export interface McpApprovals {
  /** The fingerprint under which a tool, by the name that it is offered under, was approved. */
  approved(toolName: string): string | undefined;
  approve(toolName: string, fingerprint: string): void;
  /** By name, for good. Throws where it cannot. */
  keep(approved: ReadonlyMap<string, string>): Promise<void>;
}

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

  /** For good, and as they were approved: one that has changed since is not approved by that. */
  keep(tools: ReadonlyMap<string, string>): Promise<void> {
    return this.#approvals.keep(
      new Map([...tools].map(([toolName, fingerprint]) => [toolName, this.#approved(toolName, fingerprint)])),
    );
  }

  #approved(toolName: string, fingerprint: string): string {
    return this.#approvals.approved(toolName) ?? this.#first.get(toolName) ?? fingerprint;
  }
}
