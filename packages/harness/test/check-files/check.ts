/** Judges every file of other agents below a folder. */

import { readFile } from "node:fs/promises";
import { findFiles } from "./find.ts";
import { type Judged, judge } from "./judge.ts";
import { SettingKeys } from "./keys.ts";

interface Checked {
  readonly judged: readonly Judged[];
  readonly keys: SettingKeys;
}

export async function checkFolder(folder: string): Promise<Checked> {
  const judged: Judged[] = [];
  const keys = new SettingKeys();
  for (const found of await findFiles(folder)) {
    const text = await readFile(found.file, "utf8");
    if (found.kind === "settings") keys.add(text);
    judged.push(
      ...(await judge(found, text).catch((error: unknown) => [
        { kind: found.kind, where: found.path, losses: [`cannot be read: ${String(error)}`], notes: [] },
      ])),
    );
  }
  return { judged, keys };
}
