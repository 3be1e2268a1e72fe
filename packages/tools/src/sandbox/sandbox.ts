/**
 * Runs commands in bubblewrap with one of two profiles. `workspace`: the system is read-only, the workspace and a
 * temporary folder are writable, and the network reaches only listed hosts. `read-only`: for commands that are allowed
 * because they only read; nothing can be written and there is no network. Both hide secrets, the sockets of other
 * programs and processes outside, and everything ends with the command. If the sandbox cannot start, the command is
 * refused (F17).
 */

import { createHash } from "node:crypto";
import { closeSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "@runahead/base";
import { Refusal } from "../shared/refusal.ts";
import { readingEnvironment, sandboxEnvironment, splitEnvironment } from "./sandbox-environment.ts";
import { hide, seal } from "./sandbox-hidden.ts";
import { KnownRepositories, type Repositories } from "./sandbox-git-folders.ts";
import { SandboxLayout, readOnlyMounts } from "./sandbox-layout.ts";
import { GitGuard, guardedIn } from "./sandbox-git-guard.ts";
import { NetworkProxy } from "./sandbox-network-proxy.ts";
import { LAUNCHER, SOCKET, proxyVariables } from "./sandbox-network-relay.ts";
import { NetworkRules } from "./sandbox-network.ts";
import type { CommandPlace, SandboxOptions, SandboxPlace, SandboxProfile } from "./sandbox-options.ts";
import { isWithin, realPath } from "./sandbox-paths.ts";
import { probe } from "./sandbox-probe.ts";
import {
  type ProtectedPlace,
  type Protection,
  frozenWords,
  placesBeside,
  protectingMounts,
  protectionOf,
} from "./sandbox-protected.ts";
import { openReadingFilter, readingFilter } from "./sandbox-seccomp.ts";
import { systemSockets } from "./sandbox-opened.ts";
import { watchReplaced } from "./sandbox-replaced.ts";
import { foreignSockets } from "./sandbox-sockets.ts";
import { excludes } from "./sandbox-stand-ins.ts";
import { NESTED_SYSTEM, SYSTEM, findBubblewrap, kernelSettings, resolver } from "./sandbox-system.ts";

/** A command that is ready to run. */
export interface Prepared {
  /** Program and arguments before the shell. */
  readonly wrapper: readonly string[];
  readonly env: Environment;
  /** Passed to the child from descriptor 4 on; the caller closes them once it has started. */
  readonly descriptors: readonly number[];
  /** Whether all processes inside end before bubblewrap does. */
  readonly endsTogether: boolean;
  /** Call when the command has ended. Cleans up and returns notes for the model. */
  end(): string[];
}

const ALONE = ["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"];
/** The sandbox's own memory file system, from `--dev`. */
const TEMPORARY = "/dev/shm";
const FILTER_DESCRIPTOR = 4;
/** The command's shell is process 1: bubblewrap's own init would not be under the filter and could be taken over. */
const READING = ["--unshare-net", "--as-pid-1", "--seccomp", String(FILTER_DESCRIPTOR)];
/** Each hidden file is a mount, and the kernel's work grows with the square of their number. */
const MOST_HIDDEN = 500;

export class Sandbox {
  readonly profile: SandboxProfile;
  readonly #options: SandboxOptions;
  readonly #place: SandboxPlace;
  readonly #network: NetworkRules | undefined;
  readonly #layout: SandboxLayout;
  readonly #program: string;
  readonly #open = new Set<NetworkProxy>();
  readonly #guard: GitGuard;
  /** Found when the first command starts. */
  #known: KnownRepositories | undefined;
  #running = 0;
  /** Paths that existed while no command ran. */
  #settled: ReadonlySet<string> = new Set();
  #probe: Promise<string | undefined> | undefined;

  /** Throws if the list of hosts is invalid. */
  constructor(options: SandboxOptions, place: SandboxPlace) {
    const { network } = options;
    this.profile = place.profile;
    this.#options = options;
    this.#place = place;
    this.#guard = new GitGuard(place.stateFolder);
    this.#layout = new SandboxLayout(options, place);
    this.#program = options.program ?? findBubblewrap(this.#layout.root, place.env["PATH"]);
    this.#network = typeof network === "object" && !this.#isReading ? new NetworkRules(network) : undefined;
  }

  /** Describes the restrictions for the model. */
  get rules(): string {
    if (this.#isReading)
      return (
        "This command was allowed without asking because it only reads, so it ran in a read-only sandbox: " +
        "nothing can be written, there is no network, and secrets are hidden."
      );
    const folders = [this.#place.root, ...(this.#options.writable ?? []), "a private /tmp"].join(", ");
    return `Commands run in a sandbox. They can write only to ${folders}, but cannot create or change agent settings, git hooks or git configuration there. ${this.#frozenWords}${this.#networkWords}`;
  }

  get #frozenWords(): string {
    try {
      return frozenWords(this.#protection());
    } catch {
      // The command is refused with an error that says why.
      return "";
    }
  }

  get #isReading(): boolean {
    return this.profile === "read-only";
  }

  get #networkWords(): string {
    if (this.#network !== undefined)
      return `The network reaches only these hosts, through the proxy in HTTPS_PROXY: ${this.#network.words}.`;
    return this.#options.network === true ? "The network is available." : "There is no network.";
  }

  /** The only places that a command can change, besides its temporary folder; undefined if it has a network. */
  get claimedFolders(): readonly string[] | undefined {
    const { network = false } = this.#options;
    return network === false && !this.#isReading ? this.#layout.writableFolders : undefined;
  }

  /** Resolves with why it cannot start here; undefined if it can. Checked once. Rejects on a temporary shortage. */
  unavailable(): Promise<string | undefined> {
    this.#probe ??= this.#try().catch((error: unknown) => {
      this.#probe = undefined;
      throw error;
    });
    return this.#probe;
  }

  /** Discards the result of the check, after a start has failed. */
  forget(): void {
    this.#probe = undefined;
  }

  /** Throws if the command cannot be confined; then it must not run. */
  async prepare(command: CommandPlace): Promise<Prepared> {
    return this.#isReading ? this.#prepareReading(command) : this.#prepareWriting(command);
  }

  /** Closes the network proxies of running commands. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((proxy) => proxy.close()));
    this.#open.clear();
  }

  #prepareReading({ cwd, env, added = {}, hidden = [] }: CommandPlace): Prepared {
    const files = [...new Set(hidden)];
    if (files.length > MOST_HIDDEN)
      throw new Refusal(
        `Not run: permission rules hide ${files.length} files from this command, more than the ${MOST_HIDDEN} that the ` +
          "read-only sandbox can hide. Ask the user to deny a folder instead, or to add an allow rule for the command.",
      );
    // Settings must not override these variables.
    const own = { ...sandboxEnvironment(env, this.#options.passEnv), ...readingEnvironment(TEMPORARY) };
    const { outside, inside } = splitEnvironment({ ...added, ...own });
    return {
      wrapper: [...this.#reading(files), ...inside, "--chdir", cwd, "--"],
      env: outside,
      descriptors: [this.#openFilter()],
      // The shell is process 1 of its namespace, and bubblewrap waits for it.
      endsTogether: true,
      end: () => [],
    };
  }

  #reading(files: readonly string[]): string[] {
    const { around, others, all } = this.#layout.hiding(files);
    const revealed = this.#layout.revealed(files);
    const isCovered = around.length > 0 || this.#layout.root.startsWith("/run/");
    return [
      this.#program,
      ...ALONE,
      ...READING,
      ...SYSTEM,
      "--remount-ro",
      "/proc",
      ...hide(around),
      ...readOnlyMounts(revealed.around),
      ...this.#layout.output("around", files),
      ...(isCovered ? ["--ro-bind", this.#layout.root, this.#layout.root] : []),
      ...hide(others),
      ...readOnlyMounts(revealed.others),
      ...hide(revealed.inside),
      ...this.#layout.output("beside", files),
      ...seal([...all, ...revealed.inside]),
    ];
  }

  #openFilter(): number {
    const filter = openReadingFilter(this.#place.stateFolder);
    if (filter === undefined) throw new Refusal(`Not run: ${NO_FILTER}`);
    return filter;
  }

  async #prepareWriting({ cwd, env, added = {} }: CommandPlace): Promise<Prepared> {
    const { standIns } = this.#place;
    this.#known ??= new KnownRepositories(this.#layout.writableFolders);
    if (this.#running === 0) this.#settle();
    // If the settings list the protected paths, any other name can be created.
    const guarded = guardedIn(this.#repositories, this.#options.protected === undefined);
    this.#guard.hold(guarded);
    let made: readonly ProtectedPlace[] = [];
    try {
      const protection = this.#protection();
      made = standIns.hold(protection.places);
      const replaced = watchReplaced(protection.places.map(({ path }) => path));
      const proxy = await this.#openNetwork();
      const sockets = this.#foreignSockets();
      const { outside, inside } = splitEnvironment({ ...this.#environment(env), ...added });
      this.#running++;
      return {
        wrapper: this.#writing(cwd, { protection, made, proxy, variables: inside, sockets }),
        env: outside,
        descriptors: [],
        endsTogether: false,
        end: () => [...replaced(), ...this.#guard.release(guarded), ...this.#ended(made, proxy)],
      };
    } catch (error) {
      standIns.release(made);
      this.#guard.release(guarded);
      throw error;
    }
  }

  /** Cleans up in repositories when the program exits while commands run. */
  endNow(): void {
    this.#guard.releaseAll();
  }

  #settle(): void {
    const scope = {
      root: this.#layout.root,
      home: this.#layout.home,
      writable: this.#layout.writableFolders,
    };
    this.#settled = new Set([
      ...placesBeside(scope),
      ...this.#layout.hiding([]).others.map(({ path }) => path),
    ]);
  }

  #foreignSockets(): readonly string[] {
    if (this.#options.sockets === "all") return [];
    const opened = new Set(this.#layout.openSockets);
    return foreignSockets(this.#layout.writableFolders).filter((path) => !opened.has(realPath(path)));
  }

  #ended(made: readonly ProtectedPlace[], proxy: NetworkProxy | undefined): string[] {
    this.#running--;
    this.#place.standIns.release(made);
    if (proxy === undefined) return [];
    this.#open.delete(proxy);
    void proxy.close();
    return this.#networkNotes(proxy);
  }

  async #openNetwork(): Promise<NetworkProxy | undefined> {
    const rules = this.#network;
    if (rules === undefined) return undefined;
    const proxy = await NetworkProxy.open({ folder: this.#place.stateFolder, rules });
    this.#open.add(proxy);
    return proxy;
  }

  #environment(env: Environment): Environment {
    const rules = this.#network;
    return {
      ...sandboxEnvironment(env, this.#options.passEnv),
      ...(rules && proxyVariables(rules.own)),
    };
  }

  /** Notes for the model about refused connections. */
  #networkNotes({ refused }: NetworkProxy): string[] {
    if (refused.length === 0) return [];
    return [
      `(The sandbox blocked connections to ${refused.join(", ")}. ${this.#networkWords} ` +
        "Continue without them, or ask the user to add them to sandbox.network.allowedDomains.)",
    ];
  }

  #writing(cwd: string, { protection, made, proxy, variables, sockets }: Writing): string[] {
    const { network } = this.#options;
    const isOpen = network === true;
    const { around, others, all } = this.#layout.hiding(sockets);
    const revealed = this.#layout.revealed(sockets);
    return [
      this.#program,
      ...ALONE,
      ...(isOpen ? [] : ["--unshare-net"]),
      ...(this.#options.nested === true ? NESTED_SYSTEM : SYSTEM),
      ...(this.#options.sockets === "all" ? systemSockets() : []),
      ...kernelSettings(),
      ...(isOpen ? resolver() : []),
      ...(proxy === undefined ? [] : ["--ro-bind", proxy.path, SOCKET]),
      ...hide(around),
      ...readOnlyMounts(revealed.around),
      ...this.#writableMounts(sockets),
      ...protectingMounts({
        ...protection,
        hidden: others.map(({ path }) => path).filter((path) => this.#settled.has(path)),
        writable: this.#layout.writableFolders,
      }),
      ...excludes(made, { root: this.#layout.root, copy: join(this.#place.stateFolder, this.#excludeName) }),
      // Last, because each earlier mount shows its folder unhidden.
      ...hide(others),
      ...readOnlyMounts(revealed.others),
      ...hide(revealed.inside),
      ...this.#layout.output("beside", sockets),
      ...readOnlyMounts(this.#layout.openSockets),
      ...seal([...all, ...revealed.inside]),
      ...variables,
      "--chdir",
      cwd,
      "--",
      ...(proxy === undefined ? [] : LAUNCHER),
    ];
  }

  /** Each workspace has its own, because it can be mounted by commands of others. */
  get #excludeName(): string {
    return `exclude-${createHash("sha256").update(this.#layout.root).digest("hex").slice(0, 16)}`;
  }

  /** A private temporary folder: the system's one has sockets of programs that run outside. */
  #writableMounts(hidden: readonly string[]): string[] {
    const temporary = join(this.#place.stateFolder, "tmp");
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    // Folders in the workspace are writable anyway, and a running command could replace one with a link.
    const folders = this.#layout.writableFolders.filter(
      (path) => path === this.#layout.root || !isWithin(path, this.#layout.root),
    );
    return [
      "--bind",
      temporary,
      "/tmp",
      ...this.#layout.output("around", hidden),
      ...folders.flatMap((path) => ["--bind", path, path]),
    ];
  }

  get #repositories(): Repositories {
    const known = this.#known ?? new KnownRepositories(this.#layout.writableFolders);
    return known.now(this.#layout.writableFolders.filter((folder) => isWithin(this.#layout.root, folder)));
  }

  #protection(): Protection {
    const { protected: usual, readOnly = [] } = this.#options;
    return protectionOf({
      root: this.#layout.root,
      home: this.#layout.home,
      writable: this.#layout.writableFolders,
      protected: usual?.map((path) => this.#layout.resolve(path)),
      readOnly: this.#layout.places(readOnly),
      repositories: this.#repositories,
      kept: this.#guard.kept,
      settled: this.#settled,
    });
  }

  async #try(): Promise<string | undefined> {
    if (process.platform !== "linux") return "The sandbox supports only Linux.";
    if (this.#isReading && readingFilter() === undefined) return NO_FILTER;
    const { wrapper, descriptors } = this.#bare();
    try {
      // Descriptor 3 is reserved for the report of a run.
      return await probe({ command: [...wrapper, "true"], descriptors: ["ignore", ...descriptors] });
    } finally {
      for (const one of descriptors) closeSync(one);
    }
  }

  /** The sandbox without the parts that depend on a command. */
  #bare(): Pick<Prepared, "wrapper" | "descriptors"> {
    const cwd = this.#layout.root;
    if (this.#isReading) return this.#prepareReading({ cwd, env: {} });
    return { wrapper: this.#writing(cwd, BARE), descriptors: [] };
  }
}

const NOTHING: Protection = { places: [], opened: [], frozen: [] };
const BARE: Writing = { protection: NOTHING, made: [], proxy: undefined, variables: [], sockets: [] };
const NO_FILTER = `The read-only sandbox does not support ${process.arch} (no system call filter).`;

interface Writing {
  readonly protection: Protection;
  readonly made: readonly ProtectedPlace[];
  readonly proxy: NetworkProxy | undefined;
  /** Options that set variables. */
  readonly variables: readonly string[];
  /** Sockets to hide. */
  readonly sockets: readonly string[];
}
