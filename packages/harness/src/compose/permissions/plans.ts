/** Plan mode of one session: which plans were shown to the user, and where approved plans are kept. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PermissionGate, PersonQuestion } from "@runahead/agent";
import type { PlanMode } from "@runahead/tools";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { plansDirectory } from "../../settings/plans-directory.ts";
import { today } from "../../prompt/environment.ts";

/** The tool that presents a plan. */
const PLAN_TOOL = "ExitPlanMode";
const MOST_SLUG_CHARS = 40;
const MOST_NAMES = 1000;

interface PlanParts {
  readonly gate: Pick<PermissionGate, "mode" | "setMode">;
  readonly settings: Pick<LoadedSettings, "root" | "other" | "mode">;
  readonly home: string;
  /** The session's own folder, where plans are kept by default. */
  readonly folder: string;
}

/** The plans of one session. */
export class Plans {
  /** Calls that the user was asked about. The answer can turn plan mode off before the call runs. */
  readonly #asked = new Set<string>();

  /** The user is asked about a call. */
  noteQuestion({ callId, toolName }: Pick<PersonQuestion, "callId" | "toolName">): void {
    if (toolName === PLAN_TOOL) this.#asked.add(callId);
  }

  /** What the tool needs. */
  mode({ gate, settings, home, folder }: PlanParts): PlanMode {
    return {
      isPlanning: (callId) => this.#asked.delete(callId) || gate.mode === "plan",
      leave: () => {
        if (gate.mode === "plan") gate.setMode(modeAfter(settings.mode));
        return gate.mode;
      },
      keep: async (plan) => keepPlan(plan, (await plansDirectory(settings, home)) ?? join(folder, "plans")),
    };
  }
}

/** The mode of the settings, unless that is plan mode or one that asks about nothing. */
function modeAfter(mode: string): string {
  return mode === "acceptEdits" || mode === "dontAsk" ? mode : "default";
}

/** Writes a new file, never over an existing one, and resolves with its path. */
async function keepPlan(plan: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = `${today(new Date())}-${slugOf(plan)}`;
  for (let count = 1; count <= MOST_NAMES; count++) {
    const path = join(folder, `${name}${count === 1 ? "" : `-${count}`}.md`);
    try {
      await writeFile(path, `${plan.trimEnd()}\n`, { flag: "wx", mode: 0o600 });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new Error(`${folder} has too many plans with the name ${name}`);
}

/** A file name from the first line of a plan: letters, digits and hyphens. */
function slugOf(plan: string): string {
  const [line = ""] = plan.trimStart().split("\n", 1);
  const words = line.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words.join("-").slice(0, MOST_SLUG_CHARS).replace(/-$/, "");
  return slug === "" ? "plan" : slug;
}
