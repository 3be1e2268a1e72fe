/** Deletes old sessions and outputs in the background, as the setting `cleanupPeriodDays` says. */

import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cleanUpSessions } from "@runahead/agent";
import { removeOldOutputs } from "@runahead/agent/internal";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { DEFAULT_DAYS } from "../../settings/repository.ts";

/** The first request comes first. */
const DELAY_MS = 2_000;
const DAY_MS = 86_400_000;
/** Its time is that of the last deletion. */
const STAMP = "cleaned-up";

/**
 * Returns after how many days an unused session is deleted; 0: never. A repository must not be able to delete the
 * user's sessions earlier, so such a value of it is not in force. Values that are not a number from 0 are ignored.
 */
export function retentionDays({ other }: Pick<LoadedSettings, "other">): number {
  const found = (other.get("cleanupPeriodDays") ?? []).filter(
    ({ trusted, value }) => trusted && isDays(value),
  );
  return Number(found[0]?.value ?? DEFAULT_DAYS);
}

function isDays(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/**
 * Starts a little later. Returns the function to call at the end: a program whose runs are all shorter than that deletes
 * once a day, before it ends. A failure has no effect: the next start tries again.
 */
export function cleanUpLater(home: string, settings: Pick<LoadedSettings, "other">): () => Promise<void> {
  const days = retentionDays(settings);
  let hasStarted = false;
  const cleanUp = async (): Promise<void> => {
    hasStarted = true;
    await Promise.all([cleanUpSessions({ home, days }), cleanUpUnowned(home, days)])
      .then(() => writeFile(join(home, STAMP), "", { mode: 0o600 }))
      .catch(() => {});
  };
  const timer = setTimeout(() => void cleanUp(), DELAY_MS);
  timer.unref();
  return async () => {
    clearTimeout(timer);
    if (!hasStarted && (await isDue(home))) await cleanUp();
  };
}

/** What belongs to no session on disk: outputs of workers and of killed runs without a session, pages of `/timeline`. */
const FOLDERS = ["output", "timelines"];

/** Deletes outputs and pages that belong to no session and are older than `days` days. 0: none. */
export async function cleanUpUnowned(home: string, days = DEFAULT_DAYS): Promise<void> {
  if (days === 0) return;
  const before = Date.now() - days * DAY_MS;
  for (const folder of FOLDERS) await removeOldOutputs(join(home, folder), before);
}

async function isDue(home: string): Promise<boolean> {
  const last = await stat(join(home, STAMP)).catch(() => undefined);
  return last === undefined || Date.now() - last.mtimeMs > DAY_MS;
}
