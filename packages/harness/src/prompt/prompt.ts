/** Assembles what the model of one agent reads besides the conversation. */

import type { AgentDefinition, Model, PermissionGate } from "@runahead/agent";
import type { AgentIdentity } from "@runahead/engine";
import type { FileMemory, ShellTools, Tasks } from "@runahead/tools";
import { type Instruction, type Instructions, NestedInstructions } from "../instructions/instructions.ts";
import type { LoadedSettings } from "../settings/loaded.ts";
import type { Surroundings } from "../surroundings.ts";
import { type Environment, today } from "./environment.ts";
import type { GitState } from "./git-state.ts";
import { openingText } from "./opening.ts";
import { RecentFiles } from "./recent-files.ts";
import type { OutputStyle } from "./output-style.ts";
import { SessionReminders } from "./reminders.ts";
import { ResumeNote } from "./resumed.ts";
import { mainAgentPrompt, subAgentPrompt, systemPrompt } from "./system.ts";

/** What the prompt is made from. */
export interface PromptFacts {
  readonly world: Surroundings;
  /** Read while the rest of the agent is being put together. */
  readonly git: Promise<GitState | undefined>;
  readonly settings: LoadedSettings;
  readonly instructions: Instructions;
  /** Patterns of instruction files that are left out. */
  readonly excludes: readonly string[];
  /** Whether instructions of folders below the working directory are added when they are touched. */
  readonly hasNested: boolean;
  readonly model: string;
  readonly gate: PermissionGate;
  readonly style: OutputStyle | undefined;
  /** Text at the end of the system prompt. */
  readonly appended: string;
  readonly canAsk: boolean;
  readonly shell: ShellTools;
  readonly memory: FileMemory;
  readonly tasks: Tasks;
  /** What language servers reported since, about files that the agent wrote. */
  readonly takeDiagnostics: (agent: AgentIdentity | undefined) => string | undefined;
  /** Called with instruction files that were read because something near them was touched, and what was touched. */
  readonly onNested?: (
    files: readonly (Instruction & { readonly isRule: boolean })[],
    touched: readonly string[],
  ) => void;
  /** Returns folders that were added since it was last called. */
  readonly takeFolders?: () => readonly string[];
  /** Returns what hooks say about denied calls. */
  readonly takeDenied?: () => Promise<readonly string[]>;
  /** Returns whether sub-agents of this type work without instruction files. */
  readonly omitsInstructions?: (type: string) => boolean;
  /** Returns whether sub-agents of this type can load skills. */
  readonly canLoadSkills?: (type: string) => boolean;
  /** The list of skills for the model. */
  readonly skills: () => Promise<string | undefined>;
}

/** The prompt of an agent and of its sub-agents, and its reminders. */
export interface AgentPrompt {
  readonly system: string;
  readonly opening: string | undefined;
  /** The system prompt of a sub-agent that works in `cwd` with `model`. */
  readonly systemOf: (definition: AgentDefinition, cwd: string, model: Pick<Model, "name">) => string;
  /** The system prompt of a main agent that has a definition. */
  readonly mainSystemOf: (definition: AgentDefinition) => string;
  readonly reminders: SessionReminders;
  /** Saves and restores what the note about a resumed session needs. */
  readonly resumption: ResumeNote;
}

/** Builds the prompt as soon as the state of the repository is known. */
export async function agentPrompt(facts: PromptFacts): Promise<AgentPrompt> {
  const { world, settings, instructions, gate, shell, memory, tasks } = facts;
  const git = await facts.git;
  const environment: Environment = {
    cwd: world.cwd,
    additionalDirectories: directoriesOf(settings),
    git,
    shell: shell.shellName,
    date: today(new Date()),
    model: facts.model,
    mode: gate.mode,
    canAsk: facts.canAsk,
  };
  const nested = (agent?: AgentIdentity): (() => Promise<readonly Instruction[]>) => {
    const found = new NestedInstructions(
      { ...world, isTrusted: settings.isTrusted, excludes: facts.excludes },
      instructions,
    );
    let seen = 0;
    return async () => {
      const files = memory.touchedFiles(agent);
      const added = files.slice(seen);
      seen = files.length;
      const loaded = facts.hasNested ? await found.touched(added) : [];
      if (loaded.length > 0)
        facts.onNested?.(
          loaded.map((file) => ({ ...file, isRule: found.isRule(file.path) })),
          added,
        );
      return loaded;
    };
  };
  const opening = openingText(git, instructions.files);
  const resumption = new ResumeNote({
    now: () => new Date(),
    runningJobs: () => shell.background.list().filter(({ isRunning }) => isRunning),
    branch: git?.branch,
  });
  const recent = new RecentFiles(
    (path) => gate.permissions.decide("Read", { file_path: path }, world.cwd).behavior === "allow",
  );
  const reminders = new SessionReminders({
    opening,
    takeRecentFiles: (moment) => recent.take(moment),
    takeResumed: () => resumption.take(),
    subAgentOpening: openingText(undefined, instructions.files),
    mode: () => gate.mode,
    today: () => today(new Date()),
    takeChangedFiles: () => memory.takeChangedFiles(),
    takeEndedJobs: shell.takeEndedJobs,
    nestedInstructions: nested,
    tasks: () => tasks.list(),
    takeDiagnostics: facts.takeDiagnostics,
    takeFolders: facts.takeFolders ?? (() => []),
    takeDenied: facts.takeDenied ?? (() => Promise.resolve([])),
    omitsInstructions: facts.omitsInstructions ?? (() => false),
    canLoadSkills: facts.canLoadSkills ?? (() => true),
    skills: facts.skills,
  });
  return {
    system: systemPrompt(environment, facts.appended, facts.style),
    opening,
    systemOf: ({ prompt, permissionMode: own }, cwd, { name: model }) =>
      subAgentPrompt(prompt, { ...environment, cwd, model, mode: strictestMode(own, gate.mode) }),
    mainSystemOf: ({ prompt }) => mainAgentPrompt(prompt, environment, facts.appended),
    reminders,
    resumption,
  };
}

/** The mode that a sub-agent works in: a definition only restricts, except that it can accept edits. */
function strictestMode(own: AgentDefinition["permissionMode"], callers: string): string {
  const isStrict = callers === "plan" || (callers === "dontAsk" && own !== "plan");
  const isLooser = own === "acceptEdits" && callers !== "default";
  return own === undefined || isStrict || isLooser ? callers : own;
}

/** Directories from untrusted settings grant nothing, so they are not listed. */
function directoriesOf({ sources }: LoadedSettings): string[] {
  return sources.flatMap(({ trusted, additionalDirectories }) => (trusted ? additionalDirectories : []));
}
