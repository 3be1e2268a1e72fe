/**
 * `npm run pack:check [--nodes 22,24] [--out FOLDER]`: checks what would be published. Packs each package from a clean
 * build; checks its files, size, types and tree shaking; installs each package alone and imports it; installs all packages
 * into an empty project and runs the quick starts, on this Node and on the versions in `--nodes`. With `--out`, keeps the
 * checked tarballs for a release.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { build as bundle } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { installNode, makeProject, useAlone, useNpx, useProject } from "./pack-smoke.mjs";
import { checkInstalledSizes } from "./pack-size.mjs";
import { ROOT, run, stage, write } from "./pack-stage.mjs";
import { install } from "./setup.mjs";

/** The limits of each package: packed bytes, and files. The program contains a bundle of its dependencies. */
const LIMITS = {
  engine: { bytes: 90_000, files: 150 },
  base: { bytes: 20_000, files: 50 },
  permissions: { bytes: 160_000, files: 200 },
  agent: { bytes: 300_000, files: 370 },
  tools: { bytes: 200_000, files: 300 },
  mcp: { bytes: 60_000, files: 90 },
  adapters: { bytes: 40_000, files: 50 },
  harness: { bytes: 190_000, files: 290 },
  workers: { bytes: 80_000, files: 120 },
  code: { bytes: 20_000, files: 25 },
  testing: { bytes: 20_000, files: 25 },
  postgres: { bytes: 20_000, files: 25 },
  fleet: { bytes: 56_000, files: 75 },
  cli: { bytes: 1_900_000, files: 350 },
};

/** All that the engine exports, minified. */
const ENGINE_BYTES = 120_000;

/** An export, and how many times smaller its bundle must be than that of the whole entry. */
const SHAKEN = [
  { entry: "@runahead/engine/history", name: "checkHistory", factor: 2 },
  { entry: "@runahead/engine", name: "defineTool", factor: 50 },
  { entry: "@runahead/agent", name: "scripted", factor: 20 },
  { entry: "@runahead/tools", name: "taskTools", factor: 4 },
];

const require = createRequire(import.meta.url);
/** Node prints the line that throws an error. */
const MOST_LINE_CHARS = 2_000;

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;

function checkContents({ name, files, bytes, manifest }) {
  const most = LIMITS[name];
  const said = [];
  if (bytes > most.bytes) said.push(`is ${kilobytes(bytes)} packed (limit ${kilobytes(most.bytes)})`);
  if (files.length > most.files) said.push(`has ${files.length} files (limit ${most.files})`);
  const strays = files.filter((file) =>
    /\.(?:test\.\w+|d\.test\.ts|map|tsbuildinfo)$|(?:^|\/)(?:test|bench)\//.test(file),
  );
  said.push(...strays.map((file) => `contains ${file}, which users do not need`));
  for (const file of ["LICENSE", "README.md"]) if (!files.includes(file)) said.push(`has no ${file}`);
  for (const [key, value] of Object.entries(manifest.exports ?? {}))
    for (const path of typeof value === "string" ? [value] : Object.values(value))
      if (!files.includes(path.replace("./", "")))
        said.push(`exports ${key} as ${path}, which is not in the package`);
  for (const [key, value] of Object.entries(manifest.exports ?? {}))
    if (value.default?.endsWith(".js") && value.types === undefined)
      said.push(`exports ${key} without types`);
  if (name === "engine" && manifest.dependencies !== undefined) said.push("has dependencies");
  return said.map((problem) => `${name} ${problem}`);
}

/** Checks that an error does not print pages of code. The program prints its own errors. */
function checkLines({ name, path, files, manifest }) {
  if (manifest.bin !== undefined) return [];
  return files
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => {
      const lines = readFileSync(join(path, file), "utf8").split("\n");
      const longest = Math.max(...lines.map((line) => line.length));
      return longest > MOST_LINE_CHARS ? [`${name}: ${file} has a line of ${longest} characters`] : [];
    });
}

async function lint({ name, path, manifest }) {
  const { messages } = await publint({ pkgDir: path, strict: true, pack: false });
  return messages.map((message) => `${name}: ${formatMessage(message, manifest)}`);
}

/** Checks the types of packages that can be imported. */
function checkTypes({ name, tarball, manifest }) {
  if (manifest.bin !== undefined) return [];
  const attw = join(dirname(require.resolve("@arethetypeswrong/cli/package.json")), "dist", "index.js");
  try {
    run(process.execPath, [attw, tarball, "--profile", "esm-only", "--no-color", "--format", "ascii"]);
    return [];
  } catch (error) {
    return [`${name}: ${error.message}`];
  }
}

/** An error about a name or a file of ours. Types of other packages can be missing. */
const BROKEN_TYPES =
  /^node_modules\/@runahead\/.*error TS\d+: (?!Cannot find module '[^.]|Could not find a declaration file).*/gm;

/** Compiles the declarations of all entries: only those that the entries need are packed. */
function checkDeclarations(project, packed) {
  const entries = packed.flatMap(({ manifest: { name, exports = {} } }) =>
    Object.entries(exports).flatMap(([path, { types }]) => (types === undefined ? [] : join(name, path))),
  );
  const lines = entries.map((entry, at) => `export * as e${at} from "${entry}";`);
  write(join(project, "declarations.mts"), lines.join("\n"));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = "--noEmit --strict --target es2023 --module nodenext --skipLibCheck false --pretty false";
  const types = [
    "--types",
    "node",
    "--typeRoots",
    join(dirname(require.resolve("@types/node/package.json")), ".."),
  ];
  const { stdout } = spawnSync(process.execPath, [tsc, ...options.split(" "), ...types, "declarations.mts"], {
    cwd: project,
    encoding: "utf8",
  });
  const problems = [...stdout.matchAll(BROKEN_TYPES)].map(([problem]) => problem);
  console.log(`types of ${entries.length} entries: ${problems.length} problems`);
  return problems;
}

/** Returns the minified size of a program, without the dependencies of our packages. */
async function bundledBytes(resolveDir, contents) {
  const { outputFiles } = await bundle({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [{ name: "others", setup: leaveOutOthers }],
  });
  return outputFiles[0].contents.length;
}

function leaveOutOthers({ onResolve }) {
  onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
    kind === "entry-point" || path.startsWith("@runahead/") || path.startsWith("/")
      ? undefined
      : { path, external: true },
  );
}

async function checkEngine(project) {
  const size = await bundledBytes(project, 'import * as all from "@runahead/engine"; console.log(all);');
  console.log(`the engine, minified: ${kilobytes(size)}`);
  const words = `the engine is ${kilobytes(size)} minified (limit ${kilobytes(ENGINE_BYTES)})`;
  return size > ENGINE_BYTES ? [words] : [];
}

async function checkShaking(project) {
  const said = [];
  for (const { entry, name, factor } of SHAKEN) {
    const all = await bundledBytes(project, `import * as all from "${entry}"; console.log(all);`);
    const one = await bundledBytes(project, `import { ${name} } from "${entry}"; console.log(${name});`);
    const times = all / one;
    console.log(`${name} of ${entry}, minified: ${kilobytes(one)} of ${kilobytes(all)}`);
    if (times < factor) said.push(`a bundle of ${name} has more than 1/${factor} of ${entry}`);
  }
  return said;
}

/** Returns the problems as text. */
async function check(folder, nodes) {
  const packed = stage(folder);
  const problems = [];
  for (const one of packed) {
    console.log(`${one.manifest.name}: ${kilobytes(one.bytes)} packed, ${one.files.length} files`);
    problems.push(...checkContents(one), ...checkLines(one), ...(await lint(one)), ...checkTypes(one));
  }
  const project = makeProject(folder, packed);
  problems.push(
    ...checkInstalledSizes(
      project,
      packed.map(({ manifest }) => manifest.name),
    ),
  );
  problems.push(...checkDeclarations(project, packed));
  problems.push(...(await checkEngine(project)), ...(await checkShaking(project)), ...useNpx(project));
  problems.push(...useAlone(folder, packed));
  for (const node of [process.execPath, ...nodes.map((major) => installNode(folder, major))])
    problems.push(...useProject(project, node));
  return problems;
}

const { values } = parseArgs({
  options: { nodes: { type: "string", default: "" }, out: { type: "string" } },
});
install();
const folder = mkdtempSync(join(tmpdir(), "runahead-pack-"));
try {
  const problems = await check(folder, values.nodes.split(",").filter(Boolean));
  for (const problem of problems) console.error(`✗ ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
  if (problems.length === 0 && values.out !== undefined) {
    mkdirSync(values.out, { recursive: true });
    cpSync(folder, values.out, {
      recursive: true,
      filter: (path) => path === folder || path.endsWith(".tgz"),
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
