/** Downloads plugins and marketplaces: from git, from a registry of npm packages, and single files. Nothing of them runs. */

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { UsageError } from "@runahead/harness";
import { readText } from "@runahead/harness/internal";

const run = promisify(execFile);
const MOST_MS = 120_000;

/** Of a file that lists plugins. */
export const MOST_JSON_BYTES = 10_000_000;

export interface FetchedPlugin {
  /** The folder of the plugin now. */
  readonly path: string;
  /** The name of the marketplace; empty without one. */
  readonly marketplace: string;
  /** Its entry in the marketplace; undefined without one. */
  readonly entry?: Readonly<Record<string, unknown>> | undefined;
  /** Resolves with the folder that the plugin stays in. */
  keep(): Promise<string>;
  /** Removes what was downloaded. */
  discard(): Promise<void>;
}

export interface Downloading {
  /** The folder for what is downloaded. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A repository, at a branch or tag, or at one commit. */
export interface Repository {
  readonly url: string;
  readonly ref?: string | undefined;
  readonly sha?: string | undefined;
}

/** Nothing of the repository runs: no hooks, no submodules, no filters of the address. */
export async function cloned({ url, ref, sha }: Repository, to: Downloading): Promise<FetchedPlugin> {
  if ([url, ref, sha].some((word) => word?.startsWith("-") === true))
    throw new UsageError(`invalid git address ${url}`);
  return downloaded(url, to, async (path) => {
    const git = (...args: readonly string[]): Promise<unknown> =>
      run("git", [...QUIET, ...args], { env: { ...to.env, GIT_TERMINAL_PROMPT: "0" }, timeout: MOST_MS });
    if (sha === undefined) {
      const branch = ref === undefined ? [] : ["--branch", ref];
      return git("clone", "-q", "--depth", "1", ...branch, "--", url, path);
    }
    if (!/^[0-9a-f]{40}$/i.test(sha)) throw new UsageError(`${sha} is not the whole id of a commit`);
    await git("init", "-q", path);
    await git("-C", path, "fetch", "-q", "--depth", "1", "--", url, sha);
    await git("-C", path, "checkout", "-q", "--detach", sha);
    return undefined;
  });
}

const QUIET = ["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never"];

export interface NpmPackage {
  readonly package: string;
  readonly version?: string | undefined;
  readonly registry?: string | undefined;
}

/** The files of a package. Its scripts do not run, and its dependencies are not installed. */
export async function packed(wanted: NpmPackage, to: Downloading): Promise<FetchedPlugin> {
  const { package: name, version = "latest", registry } = wanted;
  if (!/^(?:@[\w.-]+\/)?[a-z0-9][\w.-]*$/i.test(name) || !/^[\w.^~*+<>=| -]+$/.test(version))
    throw new UsageError(`invalid npm package ${name}@${version}`);
  if (registry !== undefined && !/^https?:\/\//.test(registry))
    throw new UsageError(`invalid registry ${registry}: expected an http or https address`);
  const from = registry === undefined ? [] : ["--registry", registry];
  return downloaded(`npm:${name}@${version}`, to, async (path) => {
    await mkdir(path);
    const args = ["pack", `${name}@${version}`, "--json", "--ignore-scripts", "--loglevel", "error", ...from];
    const { stdout } = await run("npm", args, { cwd: path, env: { ...to.env }, timeout: MOST_MS });
    const [{ filename = "" } = {}] = JSON.parse(stdout) as { filename?: string }[];
    const file = join(path, filename.replace(/^@/, "").replaceAll("/", "-"));
    await run("tar", ["-xzf", file, "-C", path, "--strip-components=1"], { timeout: MOST_MS });
    await rm(file, { force: true });
  });
}

/** A marketplace that is one file at an address. */
export async function fetchedJson(url: string, to: Downloading): Promise<FetchedPlugin> {
  const fetched = await downloaded(url, to, async (path) => {
    const response = await fetch(url, { signal: AbortSignal.timeout(MOST_MS) });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const content = await limitedBody(response);
    await mkdir(path);
    await writeFile(join(path, "marketplace.json"), content);
  });
  return { ...fetched, path: join(fetched.path, "marketplace.json") };
}

/** Stops at the limit, because the length that a server announces can be missing or wrong. */
async function limitedBody({ body }: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > MOST_JSON_BYTES)
      throw new Error(`the file is larger than ${MOST_JSON_BYTES / 1_000_000} MB`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The dependencies that a package names, which are not installed. */
export async function dependenciesIn(path: string): Promise<readonly string[]> {
  const file = await readText(join(path, "package.json"));
  if (file.type !== "text") return [];
  try {
    const { dependencies = {} } = JSON.parse(file.text) as { dependencies?: object };
    return Object.keys(dependencies);
  } catch {
    return [];
  }
}

/** Downloads into a folder of its own, which is moved to its place when it is kept. */
async function downloaded(
  address: string,
  { folder }: Downloading,
  load: (path: string) => Promise<unknown>,
): Promise<FetchedPlugin> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const incoming = await mkdtemp(join(folder, ".incoming-"));
  const path = join(incoming, "plugin");
  const discard = (): Promise<void> => rm(incoming, { recursive: true, force: true });
  try {
    await load(path);
  } catch (error) {
    await discard();
    throw error instanceof UsageError
      ? error
      : new UsageError(`cannot download ${address}: ${reasonOf(error)}`);
  }
  return {
    path,
    marketplace: "",
    async keep() {
      const target = join(folder, slugOf(address));
      await rm(target, { recursive: true, force: true });
      await rename(path, target);
      await discard();
      return target;
    },
    discard,
  };
}

/** The end of the output of git or npm says what went wrong. */
function reasonOf(error: unknown): string {
  const { code, path, stderr, message, cause } = error as Partial<NodeJS.ErrnoException> & {
    readonly stderr?: string;
  };
  if (code === "ENOENT" && ["git", "npm", "tar"].includes(path ?? "")) return `${path} is not installed`;
  const lines = (stderr ?? "")
    .split("\n")
    .map((line) => line.replace(/^npm (?:error|ERR!)\s*(?:code \S+)?/, "").trim())
    .filter((line) => line !== "" && !line.includes("A complete log"));
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return lines.slice(0, 2).join(" ") || (why ?? String(error));
}

function slugOf(address: string): string {
  return address
    .replace(/^npm:/, "npm/")
    .replace(/\.git$/, "")
    .split(/[/:]/)
    .slice(-2)
    .join("-")
    .replaceAll(/[^\w.-]/g, "_");
}
