/** Makes the built-in tools of a coding agent. */

import type { AnyTool } from "@runahead/engine";
import type { Model, PermissionGate } from "@runahead/agent";
import { readOnlyCommand } from "@runahead/permissions";
import {
  type FileMemory,
  type LanguageServers,
  type ShellTools,
  type Tasks,
  askUserTool,
  fileTools,
  reapOrphans,
  searchProvider,
  shellTools,
  taskTools,
  webTools,
} from "@runahead/tools";
import { runaheadHome } from "../../home.ts";
import type { LoadedSettings } from "../../settings/loaded.ts";
import type { Around } from "../around.ts";
import { askAboutPage } from "../mcp/ask-page.ts";
import type { RunsOutside } from "../permissions/excluded-commands.ts";
import { readingOptions, sandboxOptions } from "../permissions/sandbox.ts";
import { bashOptions } from "./bash-options.ts";
import { timeoutAction } from "./timeout-action.ts";

interface ToolParts extends Around {
  /** Where long outputs are kept. */
  readonly outputFolder: string;
  readonly model: Model;
  readonly gate: PermissionGate;
  readonly settings: LoadedSettings;
  readonly memory: FileMemory;
  readonly tasks: Tasks;
  readonly languageServers: LanguageServers;
  /** Whether the model's provider searches the web itself. */
  readonly hasSearch: boolean;
  /** Whether a command runs outside of the sandbox. */
  readonly runsOutside: RunsOutside;
  /** Variables of shell commands; hooks can add some. */
  readonly added: Readonly<Record<string, string>>;
}

export function builtInTools(parts: ToolParts): { readonly tools: AnyTool[]; readonly shell: ShellTools } {
  const { world, flags, listeners, outputFolder, model, gate, settings, memory, tasks } = parts;
  const { cwd, env } = world;
  const home = runaheadHome(world);
  void reapOrphans(home).catch(() => {});
  const shell = shellTools({
    root: cwd,
    home,
    env,
    addedEnv: parts.added,
    passEnv: settings.passEnv,
    isReadOnlyCommand: readOnlyCommand,
    outputFolder,
    sandbox: sandboxOptions(flags, settings),
    runsOutside: parts.runsOutside,
    worktrees: () => gate.copies.map(({ path }) => path),
    reading: readingOptions(settings),
    onCommand: (command) => memory.noteCommand(command),
    timeoutAction: timeoutAction(settings, listeners.onNotice),
    ...bashOptions(env, settings),
    ...(listeners.terminals === undefined ? {} : { terminals: listeners.terminals }),
  });
  // Until the result is known, commands are judged as if unconfined.
  if (settings.sandbox.confinesReads) void shell.checkReadConfinement().then(() => gate.judgeAgain());
  const isSearchOffered = parts.hasSearch || searchProvider(env) !== undefined;
  const web = webTools({
    fetch: { ask: askAboutPage(model) },
    search: isSearchOffered ? { environment: env } : false,
  });
  const { languageServers } = parts;
  const files = fileTools(memory, {
    home,
    mayShow: (path) => gate.permissions.mayShow(path),
    languageServers,
    ...(listeners.editorFiles === undefined ? {} : { editor: listeners.editorFiles }),
  });
  const asking = listeners.askUser === undefined ? [] : [askUserTool(listeners.askUser)];
  return { tools: [...files, ...shell.tools, ...web, ...taskTools(tasks), ...asking], shell };
}
