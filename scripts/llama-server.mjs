/**
 * `node scripts/llama-server.mjs FOLDER` prints the command that starts llama.cpp's server with FOLDER readable, as JSON.
 * If the server is not installed, it is taken from Debian's unstable packages, in a folder of its own: nothing on the
 * machine changes. Needs apt-get, dpkg and bwrap for that.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = "llama.cpp-tools";
const CACHE = fileURLToPath(new URL("../node_modules/.cache/llama-server", import.meta.url));
const ROOT = join(CACHE, "root");
/** The folder of the models, as the server sees it. */
const INSIDE = "/models";

function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    maxBuffer: 100_000_000,
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args[0]} failed: ${error?.message ?? stderr.trim().slice(-500)}`);
}

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** The line for Debian's unstable packages, at the address of the configured sources. */
function source() {
  const lines = run("apt-get", ["indextargets", "--format", "$(REPO_URI) $(ORIGIN)"]).split("\n");
  const isMain = ([uri, origin]) => origin === "Debian" && /\/debian\/?$/.test(uri);
  const [uri] = lines.map((line) => line.split(" ")).find(isMain) ?? [];
  if (uri === undefined) throw new Error("no source of Debian packages is configured");
  return `deb ${existsSync(KEYRING) ? `[signed-by=${KEYRING}] ` : ""}${uri} sid main\n`;
}

/** Downloads the package and everything that it needs, and unpacks it. */
function unpack() {
  const work = join(CACHE, "work");
  rmSync(work, { recursive: true, force: true });
  for (const folder of ["parts", "state/lists/partial", "cache/archives/partial", "root"])
    mkdirSync(join(work, folder), { recursive: true });
  writeFileSync(join(work, "sources.list"), source());
  writeFileSync(join(work, "status"), "");
  const options = {
    "Dir::Etc::sourcelist": join(work, "sources.list"),
    "Dir::Etc::sourceparts": join(work, "parts"),
    "Dir::State": join(work, "state"),
    "Dir::State::status": join(work, "status"),
    "Dir::Cache": join(work, "cache"),
    "APT::Sandbox::User": "root",
    "APT::Get::List-Cleanup": "false",
  };
  const given = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  run("apt-get", ["update", ...given]);
  run("apt-get", ["install", "--download-only", "--no-install-recommends", "-y", ...given, PACKAGE]);
  const archives = join(work, "cache/archives");
  const files = readdirSync(archives).filter((name) => name.endsWith(".deb"));
  for (const file of files) run("dpkg", ["-x", join(archives, file), join(work, "root")]);
  // A base system has these links; packages only have what is in /usr.
  for (const name of ["bin", "lib", "lib64"])
    if (!existsSync(join(work, "root", name))) symlinkSync(`usr/${name}`, join(work, "root", name));
  for (const name of ["proc", "dev", "tmp", INSIDE.slice(1)])
    mkdirSync(join(work, "root", name), { recursive: true });
  rmSync(ROOT, { recursive: true, force: true });
  renameSync(join(work, "root"), ROOT);
  rmSync(work, { recursive: true, force: true });
}

const isInstalled = () => spawnSync("llama-server", ["--version"], { stdio: "ignore" }).status === 0;

function command(folder) {
  if (isInstalled()) return { command: ["llama-server"], folder };
  if (!existsSync(ROOT)) unpack();
  const mounts = ["--ro-bind", ROOT, "/", "--ro-bind", folder, INSIDE, "--proc", "/proc", "--dev", "/dev"];
  const sandbox = ["bwrap", ...mounts, "--tmpfs", "/tmp", "--die-with-parent"];
  return { command: [...sandbox, "/usr/bin/llama-server"], folder: INSIDE };
}

try {
  console.log(JSON.stringify(command(resolve(process.argv[2] ?? "."))));
} catch (error) {
  console.error(
    `llama-server is missing and cannot be downloaded: ${error.message}\nInstall llama.cpp so that llama-server is in the PATH.`,
  );
  process.exit(1);
}
