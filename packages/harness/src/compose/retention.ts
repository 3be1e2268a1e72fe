/** Deletes old sessions in the background, as the setting `cleanupPeriodDays` says. */

import { cleanUpSessions } from "@runahead/agent";
import type { LoadedSettings } from "../settings/loaded.ts";

export const DEFAULT_DAYS = 30;
/** The first request comes first. */
const DELAY_MS = 2_000;

/**
 * Returns after how many days an unused session is deleted; 0: never. A repository must not be able to delete the
 * user's sessions, so its settings are ignored, as are values that are not a number from 0.
 */
export function retentionDays({ files }: Pick<LoadedSettings, "files">): number {
  for (const { level, settings } of files) {
    if (level === "project" || level === "local") continue;
    for (const setting of settings)
      if (setting.type === "other" && setting.key === "cleanupPeriodDays" && isDays(setting.value))
        return setting.value;
  }
  return DEFAULT_DAYS;
}

function isDays(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** Starts a little later. Returns the function that cancels it. A failure has no effect: the next start tries again. */
export function cleanUpLater(home: string, settings: Pick<LoadedSettings, "files">): () => void {
  const days = retentionDays(settings);
  const timer = setTimeout(() => void cleanUpSessions({ home, days }).catch(() => {}), DELAY_MS);
  timer.unref();
  return () => clearTimeout(timer);
}
