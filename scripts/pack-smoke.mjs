/** Installs the packed packages into an empty project and runs programs with them, on this Node and on others. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { blocksOf } from "./doc-blocks.mjs";
import { ROOT, npm, run, write } from "./pack-stage.mjs";

const QUIET = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];

/** The programs, and what each must print. */
const SHOWN = {
  "quick-start": "It is sunny in Oslo.",
  agent: "completed after 2 turns",
  "engine-readme": "It is sunny in Oslo.",
  "agent-readme": "completed | No file has that name.",
  recording: "completed 2 responses",
};

/** One pixel. */
const IMAGE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const READ = { id: "1", name: "Read", input: { file_path: "pixel.png" } };

const ended = (reason) => ({ at: 1, event: { type: "stopped", reason, detail: "" } });

/** A model that reads the image. Its library is loaded in a process of its own, which the bundle must not break. */
const READS_IMAGE = [
  [
    { at: 0, event: { type: "message-started", id: "msg_1", model: "scripted" } },
    { at: 0, event: { type: "call-begun", id: READ.id, name: READ.name } },
    { at: 0, event: { type: "call-complete", call: READ } },
    { at: 0, event: { type: "block", block: { type: "tool_use", ...READ } } },
    ended("tool_use"),
  ],
  [
    { at: 0, event: { type: "message-started", id: "msg_2", model: "scripted" } },
    { at: 0, event: { type: "text", text: "Seen." } },
    { at: 0, event: { type: "block", block: { type: "text", text: "Seen." } } },
    ended("end_turn"),
  ],
];

/** Creates an empty project and installs the tarballs. */
export function makeProject(folder, packed) {
  const project = join(folder, "project");
  write(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  // Our own packages must come from the tarballs, not from the registry.
  const own = packed.map(({ tarball }) => tarball);
  npm(["install", ...QUIET, ...own, `zod@${zodVersion()}`], { cwd: project });
  for (const name of ["quick-start", "agent"]) bundle(project, name, { path: `${ROOT}/examples/${name}.ts` });
  bundle(project, "engine-readme", { text: firstProgram("packages/engine/README.md") });
  bundle(project, "agent-readme", { text: firstProgram("packages/agent/README.md") });
  bundle(project, "recording", { text: firstProgram("docs/guide/terminal.md") });
  return project;
}

function zodVersion() {
  return JSON.parse(readFileSync(`${ROOT}/packages/engine/package.json`, "utf8")).devDependencies.zod;
}

const firstProgram = (file) => blocksOf(file).find(({ kind }) => kind === "ts").code;

/** Compiles a program to JavaScript that imports the project's packages. */
function bundle(project, name, { path, text }) {
  const input =
    path === undefined
      ? { stdin: { contents: text, loader: "ts", resolveDir: project } }
      : { entryPoints: [path] };
  buildSync({
    ...input,
    bundle: true,
    packages: "external",
    format: "esm",
    target: "node20",
    outfile: join(project, `${name}.mjs`),
  });
}

/** Runs the programs on this Node and returns the problems. */
export function useProject(project, node) {
  const version = run(node, ["--version"]).trim();
  const problems = [];
  const expect = (what, printed, shown) => {
    if (!printed.includes(shown))
      problems.push(`Node ${version}, ${what}: expected ${JSON.stringify(shown)}, found:\n${printed}`);
  };
  const attempt = (what, args, shown) => {
    try {
      expect(what, run(node, args, { cwd: project, env: environment(project) }), shown);
    } catch (error) {
      problems.push(`Node ${version}, ${what}: ${error.message}`);
    }
  };
  // The example `agent` searches a folder called docs.
  write(join(project, "docs", "a.md"), "a promise\n");
  for (const [name, shown] of Object.entries(SHOWN)) attempt(name, [`${name}.mjs`], shown);
  const bin = join(project, "node_modules", "runahead", "bin", "runahead.mjs");
  const { version: ours } = JSON.parse(
    readFileSync(join(project, "node_modules/runahead/package.json"), "utf8"),
  );
  attempt("runahead --help", [bin, "--help"], "--output-format");
  attempt("runahead --version", [bin, "--version"], ours);
  write(join(project, "pixel.png"), Buffer.from(IMAGE, "base64"));
  write(join(project, "image.json"), JSON.stringify(READS_IMAGE));
  const asJson = ["--output-format", "stream-json"];
  attempt(
    "an image",
    [bin, "-p", "What is in it?", "--replay", "image.json", ...asJson],
    '"content":[{"type":"image"',
  );
  attempt("runahead -p", [bin, "-p", "What is here?", "--replay", "recording.json"], "There is a recording.");
  return problems;
}

/** An environment without API keys and with an empty home. */
function environment(project) {
  const { PATH } = process.env;
  return { PATH, HOME: join(project, "home"), RUNAHEAD_HOME: join(project, "home", ".runahead") };
}

/**
 * Installs each package into an empty project of its own, with the packages that it depends on and nothing else, and
 * imports all its entries there. In the project with all packages, a dependency that is not declared would be found.
 */
export function useAlone(folder, packed) {
  const byName = new Map(packed.map((one) => [one.manifest.name, one]));
  return packed.flatMap(({ name, manifest }) => {
    const project = join(folder, "alone", name);
    write(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
    const tarballs = [...ownClosure(manifest.name, byName)].map((own) => byName.get(own).tarball);
    write(join(project, "import.mjs"), importsOf(manifest));
    try {
      npm(["install", ...QUIET, "--ignore-scripts", ...tarballs], { cwd: project });
      const printed = run(process.execPath, ["import.mjs"], { cwd: project, env: environment(project) });
      console.log(`${manifest.name} alone: ${printed.trim()}`);
      return [];
    } catch (error) {
      return [`${manifest.name} in a project of its own: ${error.message}`];
    }
  });
}

/** The names of a package and of our packages that it depends on. */
function ownClosure(name, byName, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const next of Object.keys(byName.get(name).manifest.dependencies ?? {}))
    if (byName.has(next)) ownClosure(next, byName, found);
  return found;
}

/**
 * A program that imports every entry, or starts the package's command if it has one. An entry can need an optional peer
 * that nobody has installed.
 */
function importsOf({ name, bin, exports = {}, peerDependenciesMeta = {} }) {
  const start = Object.values(bin ?? {}).map(
    (path) =>
      `process.argv = [process.argv[0], "x", "--version"];\nawait import("./node_modules/${name}/${path.replace("./", "")}");\n`,
  );
  const entries = Object.entries(exports)
    .filter(([, target]) => target.types !== undefined)
    .map(([path]) => join(name, path));
  const shown = entries.map(
    (entry) =>
      `console.log("${entry}:", await import("${entry}").then((all) => Object.keys(all).length + " exports", needsPeer));\n`,
  );
  const needsPeer = `function needsPeer(error) {
  const peer = ${JSON.stringify(Object.keys(peerDependenciesMeta))}.find((one) => error.message.includes("'" + one + "'"));
  if (error.code !== "ERR_MODULE_NOT_FOUND" || peer === undefined) throw error;
  return "needs " + peer;
}\n`;
  return [needsPeer, ...shown, ...start].join("");
}

/** Runs `npx runahead`, as npm links it. */
export function useNpx(project) {
  const printed = npm(["exec", "--offline", "--", "runahead", "--help"], {
    cwd: project,
    env: { ...process.env, ...environment(project) },
  });
  return printed.includes("--output-format") ? [] : [`npx runahead --help printed:\n${printed}`];
}

/** Installs another Node from npm, if there is a package for this platform. */
export function installNode(folder, major) {
  const name = `node-${process.platform}-${process.arch}`;
  const path = join(folder, `node-${major}`);
  write(join(path, "package.json"), '{ "private": true }\n');
  npm(["install", ...QUIET, `${name}@${major}`], { cwd: path });
  const node = join(path, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(node)) throw new Error(`${name}@${major} has no ${node}`);
  return node;
}
