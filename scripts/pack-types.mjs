/**
 * Removes what nobody sees of the type declarations: those that no entry of a package reaches, and the comments of those that
 * no entry exports from.
 */

import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const IMPORTED = /(?:from |import\(|import )"(\.[^"]+)\.(?:js|ts)"/g;

const COMMENT = /[ \t]*\/\*\*[^]*?\*\/\n?/g;

export function dropUnseenTypes(folder) {
  const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const reached = new Set();
  const waiting = Object.values(exports).flatMap(({ types }) =>
    types === undefined ? [] : [join(folder, types)],
  );
  const shown = new Set(waiting.flatMap((path) => [path, ...importedBy(path)]));
  for (const path of waiting) {
    if (reached.has(path) || !existsSync(path)) continue;
    reached.add(path);
    waiting.push(...importedBy(path));
    const text = readFileSync(path, "utf8");
    writeFileSync(path, indentedByTwo(shown.has(path) ? text : text.replaceAll(COMMENT, "")));
  }
  for (const name of readdirSync(join(folder, "dist"), { recursive: true })) {
    const path = join(folder, "dist", name);
    if (name.endsWith(".d.ts") && !reached.has(path)) rmSync(path);
  }
}

/** The compiler indents by four. */
function indentedByTwo(text) {
  return text.replaceAll(/^(?: {4})+/gm, (spaces) => " ".repeat(spaces.length / 2));
}

function importedBy(path) {
  if (!existsSync(path)) return [];
  const names = readFileSync(path, "utf8").matchAll(IMPORTED);
  return [...names].map(([, name]) => join(dirname(path), `${name}.d.ts`));
}
