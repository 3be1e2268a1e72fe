/** The logins of MCP servers, in one file that only the user can read. */

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isShape, type Shape } from "@runahead/base";
import type { McpCredentials } from "@runahead/mcp";
import { changeFile } from "./change.ts";
import { NotSaved } from "./error.ts";
import { runaheadHome, checkHome } from "../home.ts";
import type { Where } from "./place.ts";
import { readPrivate } from "./private-file.ts";

/**
 * Returns the logins of MCP servers that are kept in `~/.runahead/mcp-credentials.json`, which has the mode 0600. A file
 * that is damaged or writable by others is not used and not overwritten.
 *
 * @example
 * ```ts
 * const credentials = mcpCredentials({ cwd, home, env });
 * await credentials.save("https://example.org/mcp", undefined); // logs out
 * ```
 */
export function mcpCredentials(where: Where): McpCredentials {
  checkHome(where, "mcpCredentials");
  const path = join(runaheadHome(where), "mcp-credentials.json");
  return {
    load: async (url) => {
      const found = await readLogins(path);
      const held = typeof found === "string" ? undefined : found[url];
      return isShape(held) ? held : undefined;
    },
    save: async (url, credential) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await changeFile({ path, mode: 0o600 }, async () => {
        const found = await readLogins(path);
        if (typeof found === "string") throw new NotSaved(path, found);
        const { [url]: _before, ...others } = found;
        const servers = credential === undefined ? others : { ...others, [url]: credential };
        return `${JSON.stringify({ servers }, undefined, 2)}\n`;
      });
    },
  };
}

/** Returns why the file cannot be used, if so. */
async function readLogins(path: string): Promise<Shape | string> {
  const file = await readPrivate(path);
  if (file.type === "missing") return {};
  if (file.type === "unknown") return file.why;
  const servers = isShape(file.value) ? file.value["servers"] : undefined;
  return isShape(servers) ? servers : 'expected {"servers": {address: …}}';
}
