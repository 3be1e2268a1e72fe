/** Switches the model, with the hooks before and after it. */

import type { CodingAgent } from "@runahead/harness";

interface Switch {
  /** What was asked for; undefined for the model of the start. */
  readonly name: string | undefined;
  readonly source: "command" | "picker" | "sdk";
  /** Switches the model, perhaps in another agent. */
  readonly run: () => Promise<void>;
  /** The agent, before and after the switch. */
  readonly made: () => CodingAgent;
}

/** Rejects if a PreModelSwitch hook refuses. */
export async function switchModel({ name, source, run, made }: Switch): Promise<void> {
  const { hooks, model } = made();
  const from = model.name;
  const facts = { from_model: from, to_model: name ?? from, requested_model: name ?? null, source };
  if (hooks.has("PreModelSwitch")) {
    const { blocked } = await hooks.happen("PreModelSwitch", facts);
    if (blocked !== undefined) throw new Error(`A hook refused to switch the model: ${blocked.reason}`);
  }
  await run();
  const after = made();
  if (after.hooks.has("PostModelSwitch"))
    await after.hooks.happen("PostModelSwitch", { ...facts, to_model: after.model.name });
}
