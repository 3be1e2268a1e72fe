/** Deletes old sessions in the background, as the setting `cleanupPeriodDays` says. */

import { cleanUpSessions } from "@runahead/agent";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { DEFAULT_DAYS } from "../../settings/repository.ts";

/** The first request comes first. */
const DELAY_MS = 2_000;

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

/** Starts a little later. Returns the function that cancels it. A failure has no effect: the next start tries again. */
export function cleanUpLater(home: string, settings: Pick<LoadedSettings, "other">): () => void {
  const days = retentionDays(settings);
  const timer = setTimeout(() => void cleanUpSessions({ home, days }).catch(() => {}), DELAY_MS);
  timer.unref();
  return () => clearTimeout(timer);
}
