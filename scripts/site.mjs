/**
 * `npm run docs`: builds the docs site from docs/ into site/dist, with the API reference, an offline search, and llms.txt.
 * Fails on a dead link. `--serve` serves the site afterwards.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { entries } from "./entries.mjs";
import { layOutPages } from "./site-pages.mjs";
import { checkSite } from "./site-check.mjs";
import { writeLlms } from "./site-llms.mjs";
import { ROOT } from "./doc-blocks.mjs";
import { install } from "./setup.mjs";

const SITE = `${ROOT}/site`;
const PAGES = `${SITE}/pages`;
const DIST = `${SITE}/dist`;

function run(program, args) {
  const { status, error } = spawnSync(program, args, { cwd: SITE, stdio: ["ignore", 2, 2] });
  if (error) console.error(`${program}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

const runBin = (path, args = []) => run(process.execPath, [`${SITE}/node_modules/${path}`, ...args]);

function installSite() {
  const installed = `${SITE}/node_modules/.package-lock.json`;
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${SITE}/package-lock.json`).mtimeMs)
    return;
  console.error("Installing the packages of the site …");
  run(process.platform === "win32" ? "npm.cmd" : "npm", [
    "ci",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ]);
}

/** The comment at the top of a source describes the module. */
function writeEntries() {
  const folder = `${SITE}/entries`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const { name, source: path } of entries()) {
    // Shared by the packages and not an API for others.
    if (name === "@runahead/base") continue;
    const source = `${ROOT}/${path}`;
    if (!existsSync(source)) continue;
    const [, about = ""] = /^\/\*\*\s*([^]*?)\s*\*\//.exec(readFileSync(source, "utf8")) ?? [];
    const file = `${folder}/${name.slice(1).replaceAll("/", "-")}.ts`;
    writeFileSync(file, `/**\n * ${about}\n * @module ${name}\n */\nexport * from "../../${path}";\n`);
  }
}

function endWith(said) {
  for (const problem of said) console.error(problem);
  if (said.length > 0) process.exit(1);
}

install();
installSite();
for (const folder of [PAGES, DIST]) rmSync(folder, { recursive: true, force: true });
writeEntries();
runBin("typedoc/bin/typedoc");
const { pages, problems } = layOutPages(PAGES);
endWith(problems);
runBin("vitepress/bin/vitepress.js", ["build", "."]);
writeLlms(pages, { from: PAGES, to: DIST });
endWith(checkSite(DIST));
console.log(`${pages.length} pages in site/dist`);
if (process.argv.includes("--serve")) runBin("vitepress/bin/vitepress.js", ["preview", "."]);
