/** Removes type declarations that no entry of a package reaches, because nobody can import them. */

import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const IMPORTED = /(?:from |import\(|import )"(\.[^"]+)\.(?:js|ts)"/g;

export function dropUnreachedTypes(folder) {
  const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const reached = new Set();
  const waiting = Object.values(exports).flatMap(({ types }) =>
    types === undefined ? [] : [join(folder, types)],
  );
  for (const path of waiting) {
    if (reached.has(path) || !existsSync(path)) continue;
    reached.add(path);
    for (const [, name] of readFileSync(path, "utf8").matchAll(IMPORTED))
      waiting.push(join(dirname(path), `${name}.d.ts`));
  }
  for (const name of readdirSync(join(folder, "dist"), { recursive: true })) {
    const path = join(folder, "dist", name);
    if (name.endsWith(".d.ts") && !reached.has(path)) rmSync(path);
  }
}
