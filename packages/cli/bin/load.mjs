/**
 * Loads the bundle and keeps its compiled code in `~/.runahead/cache`, so that later starts take half the time. In the
 * user's own folder: another user could fill a shared one.
 */

import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

/** By then the functions that a start needs were compiled. A process that ends earlier keeps nothing. */
const KEPT_AFTER_MS = 1_500;
const HASH_BYTES = 32;

const sha256 = (data) => createHash("sha256").update(data).digest();

/** Runs the script at this URL, which is a function, and returns its exports. `resolve` is `import.meta.resolve` of the caller. */
export function loadBundle(url, resolve) {
  const filename = fileURLToPath(url);
  const folder = join(process.env.RUNAHEAD_HOME || join(homedir(), ".runahead"), "cache");
  const name = nameOf(readFileSync(new URL("id", url), "latin1"));
  const cachedData = keptIn(join(folder, name));
  const script = new vm.Script(readFileSync(filename, "latin1"), { filename, cachedData });
  if (cachedData === undefined || script.cachedDataRejected)
    setTimeout(() => keep(script, folder, name), KEPT_AFTER_MS).unref();
  const module = { exports: {} };
  const importMeta = { url: url.href, resolve, load: (specifier) => import(specifier) };
  const run = script.runInThisContext();
  run(module.exports, createRequire(url), module, filename, dirname(filename), importMeta);
  return module.exports;
}

/** The two ways to run the program need different functions. */
function nameOf(id) {
  return `${process.stdout.isTTY ? "terminal" : "pipe"}-${process.version}-${process.arch}-${id}`;
}

/** Undefined if nothing was kept or it is damaged: V8 checks only that it belongs to the same version. */
function keptIn(path) {
  try {
    const bytes = readFileSync(path);
    const data = bytes.subarray(HASH_BYTES);
    return sha256(data).equals(bytes.subarray(0, HASH_BYTES)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Without joining the parts first, because the memory of a copy would stay with an idle program. */
function writeInto(path, parts) {
  const file = openSync(path, "wx", 0o600);
  try {
    for (const part of parts) writeFileSync(file, part);
  } finally {
    closeSync(file);
  }
}

/** Replaces what an older version of the program kept. A start without it is only slower, so errors do not matter. */
function keep(script, folder, name) {
  try {
    const data = script.createCachedData();
    const temporary = join(folder, `.${randomUUID()}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeInto(temporary, [sha256(data), data]);
    renameSync(temporary, join(folder, name));
    const [kind] = name.split("-");
    for (const other of readdirSync(folder))
      if (other.startsWith(`${kind}-`) && other !== name) rmSync(join(folder, other), { force: true });
  } catch {
    // The folder cannot be written, or the disk is full.
  }
}
