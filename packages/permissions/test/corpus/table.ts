/** Tables of permission cases: settings, then calls with the verdicts that pass. */

import { expect } from "vitest";
import { filesOfLinks } from "../../src/paths/disk.ts";
import { createPermissions, type Permissions } from "../../src/verdict/permissions.ts";

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

/** Each row is a verdict, or several joined by `|`, and the calls that it holds for. */
export type Rows = Readonly<Record<string, readonly (string | readonly [tool: string, input: unknown])[]>>;

export function check(setting: Setting, rows: Rows): void {
  const permissions = permissionsOf(setting);
  const wrong: string[] = [];
  for (const [verdicts, calls] of Object.entries(rows))
    for (const call of calls) {
      const [tool, input] = typeof call === "string" ? ["Bash", { command: call }] : call;
      const { behavior, reason } = permissions.decide(tool, input);
      if (!verdicts.split("|").includes(behavior))
        wrong.push(`${JSON.stringify(call)}: wanted ${verdicts}, got ${behavior}: ${reason}`);
    }
  expect(wrong).toEqual([]);
}
