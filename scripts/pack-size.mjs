/** Measures the installed size of each package with all its dependencies. */

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** The limits in megabytes. */
const MOST_MEGABYTES = {
  "@runahead/engine": 0.3,
  "@runahead/base": 0.1,
  "@runahead/permissions": 2,
  "@runahead/agent": 5,
  "@runahead/tools": 40,
  "@runahead/mcp": 20,
  "@runahead/adapters": 0.6,
  "@runahead/harness": 55,
  "@runahead/workers": 25,
  "@runahead/code": 2.5,
  "@runahead/testing": 5,
  "@runahead/postgres": 4,
  "@runahead/fleet": 20,
  runahead: 125,
};

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

function bytesOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? bytesOf(path) : statSync(path).size;
    })
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Returns the folder in which Node finds a package from this folder. */
function find(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, "node_modules", name);
    if (existsSync(join(path, "package.json"))) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Returns the folders of a package and its dependencies. */
function closure(folder, found = new Set()) {
  if (found.has(folder)) return found;
  found.add(folder);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const path = find(name, folder);
    if (path !== undefined) closure(path, found);
  }
  return found;
}

/** Prints the installed size of each package, and returns those above their limit as text. */
export function checkInstalledSizes(project, names) {
  return names.flatMap((name) => {
    const folders = closure(find(name, project));
    const bytes = [...folders].map(bytesOf).reduce((sum, one) => sum + one, 0);
    const most = MOST_MEGABYTES[name];
    console.log(`${name}: ${megabytes(bytes)} installed, ${folders.size} packages (limit ${most} MB)`);
    return most === undefined || bytes > most * 1e6
      ? [`${name} is ${megabytes(bytes)} installed; the limit is ${most} MB`]
      : [];
  });
}
