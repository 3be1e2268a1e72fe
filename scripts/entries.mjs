/** Lists the entries of the packages: the name that importers write, and the source. */

import { readFileSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Leaves out entries that only our own packages import, unless `hasInternal` is set. */
export function entries({ hasInternal = false } = {}) {
  return readdirSync(`${ROOT}/packages`).flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(`${ROOT}/packages/${folder}/package.json`, "utf8"));
    return Object.entries(exports)
      .filter(([path, target]) => target.types !== undefined && (hasInternal || path !== "./internal"))
      .map(([path, { types }]) => ({
        name: posix.join(name, path),
        source: `packages/${folder}/src/${types.replace("./dist/", "").replace(/\.d\.ts$/, ".ts")}`,
      }));
  });
}
