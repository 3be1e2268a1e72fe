/**
 * Commands in bubblewrap: the whole system to be seen but not changed, the workspace and a temporary folder writable,
 * secrets and the sockets of other programs hidden, no network, no process outside to be seen, and all of it gone when
 * the agent is. Asked for and not to be had, it is refused (F17).
 */

import { type ExecFileException, execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, realpathSync, renameSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { type Environment, HIDDEN, PROTECTED } from "./sandbox-places.ts";

export interface SandboxOptions {
  /** Folders that commands may write to, beside the workspace and `/tmp`. */
  readonly writable?: readonly string[];
  /** Places that stay as they are although they are in a writable folder; relative ones are in the workspace. */
  readonly protected?: readonly string[];
  /** Files and folders that are not to be seen, beside the usual places of secrets. `~/` is the person's home. */
  readonly hidden?: readonly string[];
  /** All or nothing in this version: there is no list of hosts. */
  readonly network?: boolean;
  /** Where bubblewrap is: `bwrap` where absent. */
  readonly program?: string;
}

interface SandboxPlace {
  readonly root: string;
  /** The agent's own folder: not to be seen, but for its `tmp`. */
  readonly stateFolder: string;
  /** Where long outputs are kept, which the model may read. */
  readonly outputFolder: string;
  readonly env: Environment;
}

const ALONE = ["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"];
/** Sockets below `/run` lead to programs that run outside. */
const SYSTEM = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"];

export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #place: SandboxPlace;
  #probe: Promise<string | undefined> | undefined;

  constructor(options: SandboxOptions, place: SandboxPlace) {
    this.#options = options;
    this.#place = place;
  }

  /** In words for the model, what it may do. */
  get rules(): string {
    const { network = false, writable = [] } = this.#options;
    const folders = [this.#place.root, ...writable, "/tmp (one of its own)"].join(", ");
    const net = network ? "The network can be used." : "There is no network.";
    return `Commands run in a sandbox: they can write only to ${folders}, and cannot change settings and git hooks there. ${net}`;
  }

  /** Why it cannot be started here, if so; looked up once. */
  unavailable(): Promise<string | undefined> {
    this.#probe ??= this.#try();
    return this.#probe;
  }

  /** What goes before the shell. */
  wrapper(cwd: string): string[] {
    const { network = false, program = "bwrap" } = this.#options;
    return [
      program,
      ...ALONE,
      ...(network ? [] : ["--unshare-net"]),
      ...SYSTEM,
      ...(network ? resolver() : []),
      ...this.#hidden((path) => isWithin(this.#root, path)),
      ...this.#writable(),
      ...this.#hidden((path) => !isWithin(this.#root, path)),
      ...this.#readable(),
      ...this.#protected(),
      "--chdir",
      cwd,
      "--",
    ];
  }

  get #root(): string {
    return realPath(this.#place.root);
  }

  /** The temporary folder is the agent's own: that of the system has sockets of programs that run outside. */
  #writable(): string[] {
    const temporary = join(this.#place.stateFolder, "tmp");
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    const more = (this.#options.writable ?? []).map((path) => resolve(this.#root, path)).filter(existsSync);
    return ["--bind", temporary, "/tmp", ...[this.#root, ...more].flatMap((path) => ["--bind", path, path])];
  }

  #readable(): string[] {
    const { outputFolder } = this.#place;
    return existsSync(outputFolder) ? ["--ro-bind", realPath(outputFolder), realPath(outputFolder)] : [];
  }

  /** What is below `/tmp` and `/run` is not there to be seen, unless it is in the workspace. */
  #hidden(isWanted: (path: string) => boolean): string[] {
    const home = this.#place.env["HOME"] ?? homedir();
    return [...HIDDEN, ...(this.#options.hidden ?? []), this.#place.stateFolder]
      .map((path) => (path.startsWith("~/") ? join(home, path.slice(2)) : path))
      .filter((path) => isAbsolute(path) && existsSync(path))
      .map(realPath)
      .filter((path) => isWithin(path, this.#root) || !/^\/(?:tmp|run)\//.test(path))
      .filter(isWanted)
      .flatMap((path) =>
        statSync(path).isDirectory() ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path],
      );
  }

  /** The folders above each are mounts too: those cannot be renamed, to put others in their place. */
  #protected(): string[] {
    const places = this.#protectedPlaces()
      .filter((path) => existsSync(path))
      .map(realPath);
    const above = places.flatMap((path) => foldersBetween(this.#root, path));
    return [
      ...[...new Set(above)].flatMap((path) => ["--bind", path, path]),
      ...places.flatMap((path) => ["--ro-bind", path, path]),
    ];
  }

  /** In a linked worktree `.git` is a file that says where the repository is. */
  #protectedPlaces(): string[] {
    const git = join(this.#root, ".git");
    const isFile = statSync(git, { throwIfNoEntry: false })?.isFile() === true;
    const places = (this.#options.protected ?? PROTECTED).map((path) => resolve(this.#root, path));
    return isFile ? [...places.filter((path) => !isWithin(path, git)), git] : places;
  }

  /**
   * Protected places that are not there can be made by a command. What it makes is put aside when it ends: gives the
   * function to call then. A whole new repository is left alone.
   */
  watchMissing(): () => string[] {
    const missing = this.#protectedPlaces().filter((path) => !existsSync(path) && existsSync(dirname(path)));
    return () => missing.filter((path) => existsSync(path)).flatMap(putAside);
  }

  async #try(): Promise<string | undefined> {
    if (process.platform !== "linux") return "The sandbox works on Linux only in this version.";
    const [program, ...args] = [...this.wrapper(this.#root), "true"];
    const problem = await failureOf(program, args);
    if (problem === undefined) return undefined;
    const hint = problem.code === "ENOENT" ? NOT_INSTALLED : NOT_PERMITTED;
    return `The sandbox cannot be started: ${problem.message}. ${hint}`;
  }
}

const NOT_INSTALLED = "To install bubblewrap: apt-get install -y bubblewrap";
const NOT_PERMITTED =
  "Where the system forbids user namespaces: sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0";
const PROBE_MS = 10_000;

interface Failure {
  readonly code: unknown;
  readonly message: string;
}

function failureOf(program: string, args: readonly string[]): Promise<Failure | undefined> {
  const options = { timeout: PROBE_MS, killSignal: "SIGKILL" } as const;
  return new Promise((settle) => {
    const done = (error: ExecFileException | null, _stdout: string, stderr: string): void =>
      settle(error === null ? undefined : toFailure(error, program, stderr));
    execFile(program, args, options, done);
  });
}

function toFailure({ code, message }: ExecFileException, program: string, stderr: string): Failure {
  const isMissing = (code as unknown) === "ENOENT";
  return { code, message: isMissing ? `there is no ${program}` : stderr.trim() || message };
}

/** Names of hosts are often looked up by a file below `/run`. */
function resolver(): string[] {
  const path = realPath("/etc/resolv.conf");
  return path.startsWith("/run/") && existsSync(path) ? ["--ro-bind", path, path] : [];
}

function putAside(path: string): string[] {
  const aside = `${path}.from-sandbox-${randomUUID().slice(0, 8)}`;
  try {
    renameSync(path, aside);
    return [`(The sandbox: ${path} is a protected place, so what the command made there is now ${aside}.)`];
  } catch (error) {
    return [
      `(The sandbox: the command made ${path}, a protected place, and it could not be put aside: ${(error as Error).message})`,
    ];
  }
}

/** From the outermost inwards. */
function foldersBetween(root: string, path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== root && isWithin(folder, root); folder = dirname(folder))
    folders.unshift(folder);
  return folders;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
