/** Folders that become part of the workspace while the agent works: `/add-dir`, or a request of the host. */

import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { aString, oneOf, required } from "@runahead/base";
import type { HookRunner, PermissionGate } from "@runahead/agent";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { UsageError } from "../error.ts";

/** How a folder was added, for DirectoryAdded hooks. */
export type FolderSource = "slash_command" | "register_repo_root";

interface Ports {
  readonly cwd: string;
  readonly gate: Pick<PermissionGate, "grant">;
  readonly hooks: Pick<HookRunner, "has" | "happen">;
  readonly settings: Pick<LoadedSettings, "sources">;
}

export class AddedFolders {
  readonly #ports: Ports;
  readonly #added: string[] = [];
  #news: string[] = [];

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** The folders that were added, without those of the settings. */
  get all(): readonly string[] {
    return this.#added;
  }

  /** Resolves with the absolute path. Rejects if it is not a folder, or is part of the workspace already. */
  async add(path: string, source: FolderSource): Promise<string> {
    required(aString)(path, "addFolder: the path");
    required(oneOf("slash_command", "register_repo_root"))(source, "addFolder: the source");
    const { cwd, gate, hooks } = this.#ports;
    const folder = resolve(
      cwd,
      path.trim().replace(/^~(?=\/|$)/, () => homedir()),
    );
    if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true)
      throw new UsageError(`${folder} is not a folder`);
    const real = await realpath(folder);
    if ((await this.#known()).includes(real))
      throw new UsageError(`${folder} is part of the workspace already`);
    gate.grant({ name: "this session", additionalDirectories: [real] });
    this.#added.push(real);
    this.#news.push(real);
    if (hooks.has("DirectoryAdded"))
      void hooks.happen("DirectoryAdded", { directory: real, source }).catch(() => {});
    return real;
  }

  /** Returns what was added since it was last called. */
  take(): readonly string[] {
    return this.#news.splice(0);
  }

  async #known(): Promise<readonly string[]> {
    const { cwd, settings } = this.#ports;
    const listed = settings.sources.flatMap((one) => (one.trusted ? one.additionalDirectories : []));
    const paths = [cwd, ...listed.map((path) => resolve(cwd, path))];
    return [...this.#added, ...(await Promise.all(paths.map((path) => realpath(path).catch(() => path))))];
  }
}
