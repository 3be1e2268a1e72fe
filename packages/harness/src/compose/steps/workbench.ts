/** The third step: the tools, what they remember, and the library of skills and commands. */

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { AnyTool } from "@runahead/engine";
import type { Session, SessionState } from "@runahead/agent";
import {
  type FileMemory,
  type LanguageServers,
  type ShellTools,
  type Tasks,
  createFileMemory,
  createTasks,
} from "@runahead/tools";
import { runaheadHome } from "../../home.ts";
import type { PromptLibrary } from "../../skills/library.ts";
import { taskState } from "../session/session-state.ts";
import { builtInTools } from "../tools/built-in-tools.ts";
import { languageServers } from "../tools/language-servers.ts";
import { trustedAdded } from "../tools/added-skills.ts";
import { promptLibrary } from "../tools/prompt-library.ts";
import type { Composition } from "./composition.ts";
import type { Foundation } from "./foundation.ts";
import type { Guards } from "./guards.ts";

export interface Workbench {
  /** What each agent has read and written. */
  readonly memory: FileMemory;
  readonly tasks: Tasks;
  /** Saves and restores the tasks. */
  readonly taskList: SessionState;
  readonly lsp: LanguageServers;
  readonly tools: readonly AnyTool[];
  readonly shell: ShellTools;
  readonly library: PromptLibrary;
  /** Where long outputs are kept. */
  readonly outputFolder: string;
}

export async function workbench(made: Composition & Foundation & Guards): Promise<Workbench> {
  const { later, closers, report, gate, chosen, exchangeable, keyed } = made;
  const memory = createFileMemory();
  const { store, state: taskList } = taskState();
  const tasks = createTasks(store);
  later.tasks = () => taskList.save();
  const outputFolder = outputFolderOf(made);
  later.outputFolder = outputFolder;
  const lsp = languageServers({ ...made, mayShow: (path) => gate.permissions.mayShow(path) });
  closers.push(() => lsp.close());
  const { tools, shell } = builtInTools({ ...made, languageServers: lsp, outputFolder, memory, tasks });
  closers.push(() => shell.close());
  later.shell = shell;
  later.ownTools = tools;
  const library = promptLibrary({
    ...made,
    addedFolders: await trustedAdded(made),
    hooks: () => later.hooks,
    bash: () => tools.find(({ name }) => name === "Bash"),
    touchedFiles: () => memory.touchedFiles(),
    models: { usual: chosen, model: exchangeable, keyed },
  });
  later.reloadSkills = () => library.reload();
  await library.files();
  report(library.problems);
  return { memory, tasks, taskList, lsp, tools, shell, library, outputFolder };
}

/** Without a session on disk, nothing is left of it when the agent is closed. */
function outputFolderOf({
  world,
  session,
  closers,
}: Composition & { readonly session: Session | undefined }): string {
  if (session !== undefined) return session.path.replace(/\.jsonl$/, "");
  const folder = join(runaheadHome(world), "output", randomUUID());
  closers.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
