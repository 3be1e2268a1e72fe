/** Permissions for tests, with links that exist only in the settings of the test. */

import { filesOfLinks } from "../src/paths/disk.ts";
import { createPermissions, type Permissions } from "../src/verdict/permissions.ts";

export interface Setting {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: string;
  readonly additionalDirectories?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  /** Commands that only read run in the read-only sandbox. */
  readonly confinesReads?: boolean;
}

export function permissionsOf({ links = {}, confinesReads = false, ...settings }: Setting): Permissions {
  return createPermissions({
    settings,
    cwd: "/home/u/proj",
    home: "/home/u",
    realpath: (path) => {
      const link = Object.keys(links).find((from) => path === from || path.startsWith(`${from}/`));
      return link === undefined ? path : `${links[link]}${path.slice(link.length)}`;
    },
    files: filesOfLinks(links),
    ignoresCase: false,
    confinesReads: () => confinesReads,
  });
}
