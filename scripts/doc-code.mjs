/**
 * `node scripts/doc-code.mjs [part of a name | path of a page]`: compiles and runs the code of README.md and docs/, or
 * of one page.
 */

import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { entries } from "./entries.mjs";
import { ROOT, blocksOf, docFiles, sourceOf } from "./doc-blocks.mjs";
import { install } from "./setup.mjs";

const PEERS = `${ROOT}/bench/peers/node_modules`;
const RUN_LIMIT_MS = 180_000;
const TSX = import.meta.resolve("tsx");

/** Returns the problems, and how many blocks were checked in which way. */
async function checkDocCode(part = "") {
  const files = isAbsolute(part) ? [part] : docFiles().filter((file) => file.includes(part));
  const unreadable = [];
  const blocks = files.flatMap((file) => readBlocks(file, unreadable));
  const folder = mkdtempSync(join(tmpdir(), "runahead-doc-code-"));
  try {
    const written = layOut(folder, blocks);
    writeConfig(folder, written);
    const problems = [...unreadable, ...parse(blocks), ...shownOf(blocks), ...strayOutputs(blocks)];
    const [compiled, ran, shell] = await Promise.all([
      compile(folder, written),
      runAll(folder, blocks, written),
      checkShell(blocks),
    ]);
    return { problems: [...problems, ...compiled, ...ran, ...shell], counts: countsOf(blocks) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A page that cannot be read does not stop the check of the others. */
function readBlocks(file, problems) {
  try {
    return blocksOf(file);
  } catch (error) {
    problems.push(error.message);
    return [];
  }
}

const isCode = ({ kind, origin }) => kind.startsWith("ts") && origin === undefined;
const isRun = ({ kind, origin }) => kind === "ts" && origin === undefined;
const isCompiled = (block) => isCode(block) && (block.kind !== "ts peer" || existsSync(PEERS));

function countsOf(blocks) {
  const count = (test) => blocks.filter(test).length;
  return {
    run: count(isRun),
    shown: count(({ origin }) => origin !== undefined),
    compiled: count((block) => isCompiled(block) && !isRun(block)),
    parsed: count((block) => (isCode(block) && !isCompiled(block)) || ["json", "sh"].includes(block.kind)),
  };
}

/** Writes a file for each block of code into a folder that resolves packages as the repository does. */
function layOut(folder, blocks) {
  const paths = { own: join(folder, "own"), peers: join(folder, "peers") };
  for (const [name, modules] of [
    [paths.own, `${ROOT}/node_modules`],
    [paths.peers, PEERS],
  ]) {
    mkdirSync(name);
    if (existsSync(modules)) symlinkSync(modules, join(name, "node_modules"));
  }
  const written = new Map();
  for (const block of blocks.filter(isCode)) {
    const name = `${block.file.replaceAll("/", "__")}__${block.line}.ts`;
    const path = join(block.kind === "ts peer" ? paths.peers : paths.own, name);
    writeFileSync(path, sourceOf(block));
    written.set(block, path);
  }
  return written;
}

/** The repository's own configuration, with the sources of the packages instead of their build output. */
function writeConfig(folder, written) {
  const files = [...written].filter(([block]) => isCompiled(block)).map(([, path]) => path);
  const sources = entries({ hasInternal: true }).map(({ name, source }) => [name, [`${ROOT}/${source}`]]);
  const compilerOptions = {
    typeRoots: [`${ROOT}/node_modules/@types`],
    moduleDetection: "force",
    noUnusedLocals: false,
    noUnusedParameters: false,
    // Files that no package exports, for the set-up of a fragment.
    paths: { ...Object.fromEntries(sources), "repo/*": [`${ROOT}/*`] },
  };
  const config = { extends: `${ROOT}/tsconfig.json`, compilerOptions, files, include: [] };
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
}

async function compile(folder, written) {
  if (![...written.keys()].some(isCompiled)) return [];
  const tsc = `${ROOT}/node_modules/typescript/bin/tsc`;
  const { code, printed } = await start([tsc, "-p", folder, "--pretty", "false"], { cwd: folder });
  if (code !== 0 && !printed.includes("error TS")) return [`the compiler ended with ${code}:\n${printed}`];
  return printed
    .split("\n")
    .filter((line) => IN_A_PAGE.test(line) || line.startsWith("error "))
    .map((line) => line.replace(IN_A_PAGE, (_all, page, at) => `${page.replaceAll("__", "/")}:${at}`));
}

/** Errors in the sources themselves are left to `npm run types`. */
const IN_A_PAGE = /^(?:own|peers)\/([^(]*?)__\d+\.ts\((\d+),\d+\)/;

/** Runs each program in an empty folder, without API keys and without settings. */
async function runAll(folder, blocks, written) {
  const config = join(folder, "tsconfig.json");
  const jobs = blocks.flatMap((block, at) => {
    const following = blocks[at + 1];
    const hasOutput = following?.kind === "text output" && following.file === block.file;
    const { file, line } = block;
    if (block.origin !== undefined) {
      // A server that does not end by itself: a test of its own runs it.
      if (block.kind === "ts no-run") return [];
      const isFirst = blocks.findIndex(({ origin }) => origin === block.origin) === at;
      const path = `${ROOT}/${block.origin}`;
      return isFirst ? [{ file, line, path, cwd: ROOT, config, expected: undefined }] : [];
    }
    if (!isRun(block)) return [];
    const cwd = join(folder, `run-${at}`);
    mkdirSync(cwd);
    const expected = hasOutput ? following.code : undefined;
    return [{ file, line, path: written.get(block), cwd, config, expected }];
  });
  const problems = [];
  const lane = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) problems.push(...(await run(job)));
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, lane));
  return problems;
}

async function run({ file, line, path, cwd, config, expected }) {
  const { PATH } = process.env;
  const env = {
    PATH,
    HOME: cwd,
    RUNAHEAD_HOME: join(cwd, "home"),
    TSX_TSCONFIG_PATH: config,
  };
  const { code, printed, out } = await start(["--import", TSX, path], { cwd, env, timeout: RUN_LIMIT_MS });
  if (code !== 0) return [`${file}:${line}: ended with ${code}:\n${printed.slice(-2_000)}`];
  if (expected === undefined || plain(out) === plain(expected)) return [];
  return [`${file}:${line}: the output differs from what the page shows:\n${out}`];
}

const plain = (text) => text.replaceAll(/[ \t]+$/gm, "").trim();

function start(args, options) {
  return new Promise((resolve) => {
    const { stdin, ...rest } = options;
    const child = execFile(
      process.execPath,
      args,
      { ...rest, killSignal: "SIGKILL" },
      (_error, out, complaints) => {
        resolve({ code: child.exitCode ?? child.signalCode, printed: out + complaints, out });
      },
    );
    child.stdin.end(stdin ?? "");
  });
}

function parse(blocks) {
  return blocks
    .filter((block) => block.kind === "json" || (isCode(block) && !isCompiled(block)))
    .flatMap(({ file, line, kind, code }) => {
      try {
        if (kind === "json") JSON.parse(code);
        else transformSync(code, { loader: "ts", logLevel: "silent" });
        return [];
      } catch (error) {
        return [`${file}:${line}: ${error.message}`];
      }
    });
}

/** Output can only be compared with a program that runs before it. */
function strayOutputs(blocks) {
  return blocks
    .filter(({ kind, file }, at) => {
      const before = blocks[at - 1];
      return kind === "text output" && !(before !== undefined && before.file === file && isRun(before));
    })
    .map(({ file, line }) => `${file}:${line}: there is no program before it that runs`);
}

/** Finds code that names an example and is not in it. */
function shownOf(blocks) {
  return blocks
    .filter(({ origin }) => origin !== undefined)
    .filter(
      ({ origin, code }) =>
        !readFileSync(`${ROOT}/${origin}`, "utf8").includes(code.slice(code.indexOf("\n") + 1)),
    )
    .map(({ file, line, origin }) => `${file}:${line}: is not in ${origin}`);
}

async function checkShell(blocks) {
  const ofShell = blocks.filter(({ kind }) => kind === "sh");
  if (ofShell.length === 0) return [];
  const stdin = JSON.stringify(ofShell);
  const script = fileURLToPath(new URL("doc-shell.mjs", import.meta.url));
  const env = { ...process.env, TSX_TSCONFIG_PATH: `${ROOT}/tsconfig.json` };
  const { code, printed, out } = await start(["--import", TSX, script], { cwd: ROOT, env, stdin });
  return code === 0 ? JSON.parse(out) : [printed];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  install();
  const { problems, counts } = await checkDocCode(process.argv[2]);
  for (const problem of problems) console.error(problem);
  const { run: ran, shown, compiled, parsed } = counts;
  console.log(
    `Blocks: ${ran} compiled and run, ${shown} shown from examples that run, ${compiled} compiled, ${parsed} parsed.`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
