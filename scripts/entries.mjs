/** What can be imported of the packages: each entry by the name under which it is imported, and its source. */

import { readFileSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Without those that only our own packages import, unless they are asked for. */
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
