/**
 * Commands in bubblewrap: the whole system to be seen but not changed, the workspace and a temporary folder writable,
 * secrets and the sockets of other programs hidden, no network but to the hosts of a list, no process outside to be
 * seen, and all of it gone when the agent is. Asked for and not to be had, it is refused (F17).
 */

import { type ExecFileException, execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, realpathSync, renameSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { NetworkProxy } from "./sandbox-network-proxy.ts";
import { LAUNCHER, SOCKET, proxyVariables } from "./sandbox-network-relay.ts";
import { NetworkRules, type SandboxNetwork } from "./sandbox-network.ts";
import { type Environment, HIDDEN, PROTECTED, sandboxEnvironment } from "./sandbox-places.ts";

/** Relative paths are in the workspace, and `~/` is the person's home. */
export interface SandboxOptions {
  /** Folders that commands may write to, beside the workspace and `/tmp`. */
  readonly writable?: readonly string[];
  /** Places that stay as they are although they are in a writable folder, in place of the usual ones. */
  readonly protected?: readonly string[];
  /** More of these, beside the usual ones. */
  readonly readOnly?: readonly string[];
  /** Files and folders that are not to be seen, beside the usual places of secrets. */
  readonly hidden?: readonly string[];
  /** All of it, or these hosts; none where absent. */
  readonly network?: boolean | SandboxNetwork;
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
  readonly #network: NetworkRules | undefined;
  #probe: Promise<string | undefined> | undefined;

  /** Throws where the list of hosts is not one. */
  constructor(options: SandboxOptions, place: SandboxPlace) {
    const { network } = options;
    this.#options = options;
    this.#place = place;
    this.#network = typeof network === "object" ? new NetworkRules(network) : undefined;
  }

  /** In words for the model, what it may do. */
  get rules(): string {
    const folders = [this.#place.root, ...(this.#options.writable ?? []), "/tmp (one of its own)"].join(", ");
    return `Commands run in a sandbox: they can write only to ${folders}, and cannot change settings and git hooks there. ${this.#networkWords}`;
  }

  get #networkWords(): string {
    if (this.#network !== undefined)
      return `Of the network only these hosts can be reached, through the proxy that HTTPS_PROXY names: ${this.#network.words}.`;
    return this.#options.network === true ? "The network can be used." : "There is no network.";
  }

  /** Why it cannot be started here, if so; looked up once. Throws where only the machine has no room for it now. */
  unavailable(): Promise<string | undefined> {
    this.#probe ??= this.#try().catch((error: unknown) => {
      this.#probe = undefined;
      throw error;
    });
    return this.#probe;
  }

  /** The way to the hosts of the list, for one command; undefined where there is no list. */
  async openNetwork(): Promise<NetworkProxy | undefined> {
    const rules = this.#network;
    return rules && NetworkProxy.open({ folder: this.#place.stateFolder, rules });
  }

  /** What a command's variables are in it. */
  environment(env: Environment): Environment {
    const rules = this.#network;
    return { ...sandboxEnvironment(env), ...(rules && proxyVariables(rules.own)) };
  }

  /** What went on in the network that the model should know of. */
  networkNotes({ refused }: NetworkProxy): string[] {
    if (refused.length === 0) return [];
    return [
      `(The sandbox refused: ${refused.join(", ")}. ${this.#networkWords} ` +
        "Go on without them, or ask the person to add them to sandbox.network.allowedDomains.)",
    ];
  }

  /** What goes before the shell. */
  wrapper(cwd: string, proxy?: NetworkProxy): string[] {
    const { network, program = "bwrap" } = this.#options;
    const isOpen = network === true;
    return [
      program,
      ...ALONE,
      ...(isOpen ? [] : ["--unshare-net"]),
      ...SYSTEM,
      ...(isOpen ? resolver() : []),
      ...(proxy === undefined ? [] : ["--ro-bind", proxy.path, SOCKET]),
      ...this.#hidden((path) => isWithin(this.#root, path)),
      ...this.#writable(),
      ...this.#hidden((path) => !isWithin(this.#root, path)),
      ...this.#readable(),
      ...this.#protected(),
      "--chdir",
      cwd,
      "--",
      ...(proxy === undefined ? [] : LAUNCHER),
    ];
  }

  #resolve(path: string): string {
    const home = this.#place.env["HOME"] ?? homedir();
    return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(this.#root, path);
  }

  get #root(): string {
    return realPath(this.#place.root);
  }

  /** The temporary folder is the agent's own: that of the system has sockets of programs that run outside. */
  #writable(): string[] {
    const temporary = join(this.#place.stateFolder, "tmp");
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    const more = (this.#options.writable ?? []).map((path) => this.#resolve(path)).filter(existsSync);
    return ["--bind", temporary, "/tmp", ...[this.#root, ...more].flatMap((path) => ["--bind", path, path])];
  }

  #readable(): string[] {
    const { outputFolder } = this.#place;
    return existsSync(outputFolder) ? ["--ro-bind", realPath(outputFolder), realPath(outputFolder)] : [];
  }

  /** What is below `/tmp` and `/run` is not there to be seen, unless it is in the workspace. */
  #hidden(isWanted: (path: string) => boolean): string[] {
    return [...HIDDEN, ...(this.#options.hidden ?? []), this.#place.stateFolder]
      .map((path) => this.#resolve(path))
      .filter((path) => existsSync(path))
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
    const { protected: usual = PROTECTED, readOnly = [] } = this.#options;
    const places = [...usual, ...readOnly].map((path) => this.#resolve(path));
    return isFile ? [...places.filter((path) => !isWithin(path, git)), git] : places;
  }

  /**
   * Protected places that are not there can be made by a command. What it makes is put aside when it ends: gives the
   * function to call then. A whole new repository is left alone.
   */
  watchMissing(): () => string[] {
    const writable = [this.#root, ...(this.#options.writable ?? []).map((path) => this.#resolve(path))];
    const missing = this.#protectedPlaces()
      .filter((path) => !existsSync(path) && existsSync(dirname(path)))
      .filter((path) => writable.some((folder) => isWithin(path, folder)));
    return () => missing.filter((path) => existsSync(path)).flatMap(putAside);
  }

  async #try(): Promise<string | undefined> {
    if (process.platform !== "linux") return "The sandbox works on Linux only in this version.";
    const [program, ...args] = [...this.wrapper(this.#root), "true"];
    const problem = await failureOf(program, args);
    if (problem === undefined) return undefined;
    if (SHORTAGES.has(problem.code)) throw new Error(problem.message);
    const hint = MISSING.has(problem.code) ? NOT_INSTALLED : NOT_PERMITTED;
    return `The sandbox cannot be started: ${problem.message}. ${hint}`;
  }
}

const NOT_INSTALLED = "To install bubblewrap: apt-get install -y bubblewrap";
const NOT_PERMITTED =
  "Where the system forbids user namespaces: sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0";
const PROBE_MS = 10_000;
const MISSING = new Set<unknown>(["ENOENT", "ENOTDIR"]);
/** They say nothing of the sandbox, and pass (F12). */
const SHORTAGES = new Set<unknown>(["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"]);

interface Failure {
  readonly code: unknown;
  readonly message: string;
}

function failureOf(program: string, args: readonly string[]): Promise<Failure | undefined> {
  const options = { timeout: PROBE_MS, killSignal: "SIGKILL" } as const;
  return new Promise((settle) => {
    const done = (error: ExecFileException | null, _stdout: string, stderr: string): void =>
      settle(error === null ? undefined : toFailure(error, program, stderr));
    try {
      execFile(program, args, options, done);
    } catch (error) {
      // Some of what the system says is thrown at once.
      done(error as ExecFileException, "", "");
    }
  });
}

function toFailure({ code, message }: ExecFileException, program: string, stderr: string): Failure {
  return { code, message: MISSING.has(code) ? `there is no ${program}` : stderr.trim() || message };
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
