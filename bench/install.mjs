/** Installs the compared libraries, and the Node that they need, into bench/peers/node_modules, only for the benchmark. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { track } from "./processes.mjs";

const folder = fileURLToPath(new URL("./peers/", import.meta.url));
const stamp = `${folder}node_modules/.bench-stamp`;

// No scripts, because none of the libraries needs one. No lock file: the versions are pinned in package.json, as is
// langgraph's, because later ones need packages that are not published.
const ARGUMENTS = [
  "install",
  "--ignore-scripts",
  "--no-package-lock",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
];

function npm() {
  return new Promise((resolve, reject) => {
    const shell = process.platform === "win32";
    const child = track(spawn("npm", ARGUMENTS, { cwd: folder, stdio: ["ignore", 2, 2], shell }));
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`npm install ended with ${code}`)),
    );
  });
}

/** Installs unless the same package.json was installed before. */
export async function installPeers() {
  const hash = createHash("sha256")
    .update(readFileSync(`${folder}package.json`))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  console.error("installing the peers (about half a minute, 530 MB) …");
  await npm();
  writeFileSync(stamp, hash);
}

/** The path of Node 24: from npm, or the running Node if it is new enough. */
export function nodeForPeers() {
  const file = process.platform === "win32" ? "bin/node.exe" : "bin/node";
  const platform = process.platform === "win32" ? "win" : process.platform;
  const path = `${folder}node_modules/node-${platform}-${process.arch}/${file}`;
  if (existsSync(path)) return path;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return process.execPath;
  throw new Error(
    `there is no Node 24 for ${platform}-${process.arch} on npm: run the bench with Node 24 itself`,
  );
}

/** The installed versions. */
export function versionOf(packageName) {
  return JSON.parse(readFileSync(`${folder}node_modules/${packageName}/package.json`, "utf8")).version;
}
