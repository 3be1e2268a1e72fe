import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The paths of everything below a folder, sorted. Links are not followed, which `readdirSync` does since Node 22. */
export function namesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? [path, ...namesBelow(path)] : [path];
    })
    .toSorted();
}
