/** What every step that composes a coding agent gets. */

import type { AnyTool } from "@runahead/engine";
import type { Agent, HookRunner } from "@runahead/agent";
import type { ShellTools } from "@runahead/tools";
import type { LoadedSettings } from "../../settings/loaded.ts";
import type { Problem } from "../../settings/setting.ts";
import type { Around } from "../around.ts";
import { Plans } from "../permissions/plans.ts";

/** Parts that earlier steps refer to before a later step makes them. */
interface Later {
  agent?: Agent;
  hooks?: HookRunner;
  shell?: ShellTools;
  /** The built-in tools, for hooks. */
  ownTools: readonly AnyTool[];
  /** The name of the definition that the main agent works as. */
  mainName?: string;
  /** The state of the task list, for hooks. */
  tasks: () => unknown;
  /** Where long outputs are kept. */
  outputFolder?: string;
  /** Reads the skills and commands again. */
  reloadSkills: () => void;
  /** Whether the definition of a tool is left to a search. */
  isDeferred: (tool: { readonly name: string }) => boolean;
  /** Called when a settings file has changed. */
  onSettings: (settings: LoadedSettings) => void;
}

export interface Composition extends Around {
  readonly later: Later;
  readonly plans: Plans;
  /** Close what steps have started. They are called in reverse order. */
  readonly closers: (() => unknown)[];
  /** Reports problems. Notes about what is lost nowhere are shown by `/doctor` and `runahead settings` only. */
  readonly report: (problems: readonly Problem[]) => void;
}

export function newComposition(around: Around): Composition {
  return {
    ...around,
    later: {
      ownTools: [],
      tasks: () => undefined,
      reloadSkills: () => {},
      isDeferred: () => false,
      onSettings: () => {},
    },
    plans: new Plans(),
    closers: [],
    report: (problems) => {
      for (const { severity, message } of problems)
        if (severity !== "note") around.listeners.onNotice(message);
    },
  };
}
