/** A workspace on disk with the files and links that attacks use, and tables of verdicts on it. */

import { expect } from "vitest";
import { withFixture } from "../../src/verdict/corpus-fixture.ts";
import { createPermissions } from "../../src/verdict/permissions.ts";
import type { Rows, Setting } from "./table.ts";

const CWD = "/home/u/proj";

/** By path below the workspace; with a leading slash, from the root. */
export interface World {
  readonly files: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  readonly twins?: Readonly<Record<string, string>>;
}

const from = (path: string): string => (path.startsWith("/") ? path : `${CWD}/${path}`);

/** Judges every call against files that are really there. */
export function checkOnDisk({ files, links = {}, twins = {} }: World, setting: Setting, rows: Rows): void {
  const fixture = {
    files: Object.fromEntries(files.map((path) => [from(path), "text\n"])),
    symlinks: Object.fromEntries(Object.entries(links).map(([path, target]) => [from(path), target])),
    hardlinks: Object.fromEntries(Object.entries(twins).map(([path, file]) => [from(path), from(file)])),
  };
  const { links: _, confinesReads = false, ...settings } = setting;
  withFixture(fixture, ["/home/u", CWD], (disk) => {
    const permissions = createPermissions({
      ...disk,
      settings,
      cwd: CWD,
      home: "/home/u",
      ignoresCase: false,
      confinesReads: () => confinesReads,
    });
    const wrong = Object.entries(rows).flatMap(([verdicts, calls]) =>
      calls.flatMap((call) => {
        const [tool, input] = typeof call === "string" ? ["Bash", { command: call }] : call;
        const { behavior, reason } = permissions.decide(tool, input);
        if (verdicts.split("|").includes(behavior)) return [];
        return [`${JSON.stringify(call)}: wanted ${verdicts}, got ${behavior}: ${reason}`];
      }),
    );
    expect(wrong).toEqual([]);
  });
}
