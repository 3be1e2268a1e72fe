/** Builds and packs the packages in a new folder, so that nothing of earlier builds is included. */

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync, transformSync } from "esbuild";
import { dropUnseenTypes } from "./pack-types.mjs";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** In the order of their dependencies. */
const PACKAGES = [
  "engine",
  "base",
  "permissions",
  "agent",
  "tools",
  "mcp",
  "adapters",
  "harness",
  "workers",
  "code",
  "testing",
  "postgres",
  "fleet",
  "cli",
];

/** Folders that are rebuilt, linked, or not part of a package. */
const LEFT_OUT = new Set(["dist", "node_modules", "test", "test-artifacts"]);

/** Runs a command, and throws with its output if it fails. */
export function run(command, args, options) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 1e8,
    ...options,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

export const npm = (args, options) => run(process.platform === "win32" ? "npm.cmd" : "npm", args, options);

/** Returns for each package its folder, its tarball and its files. */
export function stage(folder) {
  const repo = join(folder, "repo");
  for (const name of PACKAGES) copyPackage(name, join(repo, "packages", name));
  linkModules(repo);
  const base = JSON.parse(readFileSync(`${ROOT}/tsconfig.base.json`, "utf8"));
  // Source maps would point to sources that are not published.
  Object.assign(base.compilerOptions, { sourceMap: false, declarationMap: false });
  writeFileSync(join(repo, "tsconfig.base.json"), JSON.stringify(base));
  const tsc = `${ROOT}/node_modules/typescript/bin/tsc`;
  run(process.execPath, [tsc, "-b", ...PACKAGES.map((name) => `packages/${name}`)], { cwd: repo });
  bundleProgram(repo);
  for (const name of PACKAGES) {
    stripComments(join(repo, "packages", name, "dist"));
    dropUnseenTypes(join(repo, "packages", name));
  }
  joinModules(join(repo, "packages", "engine"));
  return PACKAGES.map((name) => pack(name, { repo, folder }));
}

/**
 * Joins the modules of a package without dependencies: a file per entry, and what they share. Imports between ninety files
 * are an eighth of its code. Names stay, so that stack traces can be read.
 */
function joinModules(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const dist = join(folder, "dist");
  const { outputFiles } = buildSync({
    entryPoints: Object.values(exports)
      .flatMap((entry) => entry.default ?? [])
      .map((path) => join(folder, path)),
    bundle: true,
    splitting: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    minifyWhitespace: true,
    minifySyntax: true,
    // Node prints the line that throws, so a program that passes a wrong option would print pages of our code.
    lineLimit: 120,
    legalComments: "none",
    charset: "utf8",
    outbase: dist,
    outdir: dist,
  });
  for (const name of readdirSync(dist, { recursive: true }))
    if (name.endsWith(".js")) rmSync(join(dist, name));
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
}

/** Removes comments from the code. They stay in the type declarations, where editors show them. */
function stripComments(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "bundle") stripComments(path);
    if (!entry.isFile() || !path.endsWith(".js")) continue;
    const { code } = transformSync(readFileSync(path, "utf8"), {
      legalComments: "none",
      charset: "utf8",
      target: "es2023",
    });
    writeFileSync(path, code);
  }
}

/** Builds the bundle of the program, with a copy of the script next to the packages. */
function bundleProgram(repo) {
  const script = join(repo, "scripts", "bundle-cli.mjs");
  cpSync(`${ROOT}/scripts/bundle-cli.mjs`, script);
  run(process.execPath, [script], { cwd: repo });
}

function copyPackage(name, to) {
  const from = `${ROOT}/packages/${name}`;
  mkdirSync(to, { recursive: true });
  for (const part of readdirSync(from).filter((one) => !LEFT_OUT.has(one)))
    cpSync(join(from, part), join(to, part), {
      recursive: true,
      filter: (path) => !path.endsWith(".test.ts"),
    });
}

/** Links the installed packages, and our own packages from the new folder. */
function linkModules(repo) {
  const own = join(repo, "node_modules", "@runahead");
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(`${ROOT}/node_modules`))
    if (!["@runahead", "runahead"].includes(name) && !name.startsWith("."))
      symlinkSync(`${ROOT}/node_modules/${name}`, join(repo, "node_modules", name));
  for (const name of PACKAGES) {
    if (name !== "cli") symlinkSync(join(repo, "packages", name), join(own, name));
    const nested = `${ROOT}/packages/${name}/node_modules`;
    if (existsSync(nested)) symlinkSync(nested, join(repo, "packages", name, "node_modules"));
  }
}

function pack(name, { repo, folder }) {
  const path = join(repo, "packages", name);
  const [made] = JSON.parse(
    npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], { cwd: path }),
  );
  const tarball = join(folder, `${name}.tgz`);
  renameSync(join(folder, made.filename), tarball);
  const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  return { name, path, tarball, manifest, bytes: made.size, files: made.files.map((file) => file.path) };
}

/** Writes a file, with its folder. */
export function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
