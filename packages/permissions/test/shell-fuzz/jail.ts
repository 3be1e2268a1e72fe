/** Real bash in a jail: bubblewrap, no network, and every program replaced by a shim that records how it was called. */

import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeWorld } from "./world.ts";

/** One program that was run, or that bash tried to run. */
export interface Ran {
  readonly program: string;
  readonly folder: string;
  readonly args: readonly string[];
  readonly environment: readonly string[];
}

export interface Change {
  readonly path: string;
  readonly how: "made" | "changed" | "removed";
}

/** What a command did. */
export interface Deed {
  readonly ran: readonly Ran[];
  readonly changed: readonly Change[];
  readonly output: string;
  /** It was killed because it took too long. */
  readonly isCut: boolean;
}

export interface Jail {
  /** Runs each command in a fresh world, in order. */
  run(commands: readonly string[]): Promise<Deed[]>;
  remove(): void;
}

/** If the system has them, the shims run the real programs, so that their effects and child processes are recorded. */
const REAL =
  "sh bash env xargs find timeout nice nohup stdbuf setsid flock ionice time cat head tail sort uniq wc tee sed awk grep " +
  "cut tr ls cp mv rm mkdir rmdir touch ln chmod dd diff comm cmp paste nl tac rev stat du basename dirname realpath " +
  "readlink seq git setarch linux64 choom prlimit test [ echo printf pwd true false tar md5sum split truncate install unlink column od base64";
/** These only record that they were called. */
const SILENT =
  "curl wget npm npx node python python3 perl ruby make cargo ssh sudo su doas which file tree rg gh docker jq kill sleep " +
  "less more man vim parallel watch strace busybox rsync scp zip gzip date whoami id egrep fgrep";
/** No network, process, variable or file of the host. */
const WALLS = (
  "--unshare-all --die-with-parent --new-session --clearenv --proc /proc --dev /dev --symlink usr/bin /bin " +
  "--tmpfs /home/u --tmpfs /tmp --tmpfs /log"
).split(" ");
const HERE = dirname(fileURLToPath(import.meta.url));
const INSTALL = join(HERE, "../../../../scripts/install-program.mjs");
const START_LIMIT_MS = 600_000;

const NO_RIGHT =
  "bubblewrap is not allowed to create a jail here. Run: sudo sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0\n";

class NoJail extends Error {
  override readonly name = "NoJail";
}

/** Throws an error with the install command if bubblewrap is missing or cannot create a jail. */
export function makeJail(): Jail {
  const { status, stderr } = spawnSync(process.execPath, [INSTALL, "bwrap"], { encoding: "utf8" });
  if (status !== 0) throw new NoJail(stderr.trim());
  const folder = mkdtempSync(join(tmpdir(), "shell-fuzz-"));
  try {
    const programs = realPrograms();
    makeWorld(join(folder, "home"));
    makeShims(join(folder, "bin"));
    copyFileSync(join(HERE, "shim.bash"), join(folder, "shim"));
    chmodSync(join(folder, "shim"), 0o755);
    const options = [...walls(folder), ...programs.flatMap(([from, to]) => ["--ro-bind", from, to])];
    return {
      run: (commands) => runBatch([...options, "--remount-ro", "/"], commands),
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function makeShims(folder: string): void {
  mkdirSync(folder);
  for (const name of `${REAL} ${SILENT}`.split(" ")) symlinkSync("/jail/shim", join(folder, name));
}

function walls(folder: string): string[] {
  const bind = (from: string, to: string): string[] => ["--ro-bind", from, to];
  return [
    ...WALLS,
    ...bind(join(folder, "bin"), "/usr/bin"),
    ...bind(join(folder, "shim"), "/jail/shim"),
    ...bind(join(folder, "home"), "/jail/home"),
    ...bind(join(HERE, "in-jail.mjs"), "/jail/in-jail.mjs"),
  ];
}

/** Programs and the libraries that they need, as source and target paths. */
function realPrograms(): (readonly [from: string, to: string])[] {
  const found = REAL.split(" ").flatMap((name) => {
    const path = ["/usr/bin", "/bin"].map((bin) => `${bin}/${name}`).find((file) => existsSync(file));
    return path === undefined ? [] : [[realpathSync(path), `/real/${name}`] as const];
  });
  const bash = found.find(([, to]) => to === "/real/bash")?.[0];
  if (bash === undefined) throw new NoJail("Neither /usr/bin/bash nor /bin/bash exists.");
  const own = [
    [bash, "/jail/bash"],
    [process.execPath, "/jail/node"],
  ] as const;
  const programs = [...found, ...own];
  const libraries = librariesOf(programs.map(([from]) => from)).map(
    (path) => [realpathSync(path), path] as const,
  );
  return [...programs, ...libraries];
}

function librariesOf(programs: readonly string[]): string[] {
  // ldd prints an error for programs without libraries.
  const { stdout } = spawnSync("ldd", [...new Set(programs)], { encoding: "utf8" });
  return [...new Set([...stdout.matchAll(/(?:=> |^\s+)(\/\S+) \(/gm)].map((match) => match[1] as string))];
}

function runBatch(options: readonly string[], commands: readonly string[]): Promise<Deed[]> {
  const child = spawn("bwrap", [...options, "/jail/node", "/jail/in-jail.mjs"], {
    stdio: ["pipe", "pipe", "pipe"],
    timeout: START_LIMIT_MS,
    killSignal: "SIGKILL",
  });
  const output: Buffer[] = [];
  const complaint: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => output.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => complaint.push(bytes));
  // It can exit before it has read its input; the exit code says so.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(commands));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      const text = Buffer.concat(output).toString("utf8").trimEnd();
      const deeds = text === "" ? [] : text.split("\n").map((line) => JSON.parse(line) as Deed);
      if (code === 0 && deeds.length === commands.length) return resolve(deeds);
      const why = Buffer.concat(complaint).toString("utf8").slice(0, 2_000);
      const isOurs = why.includes("in-jail.mjs") || deeds.length > 0;
      reject(
        isOurs
          ? new Error(`The jail exited after ${deeds.length} commands: ${why}`)
          : new NoJail(`${NO_RIGHT} ${why}`),
      );
    });
  });
}
