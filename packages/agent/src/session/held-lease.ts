/** The lease of an open session: renewed while the session is open, and given back with what is left to store. */

import { messageOf } from "@runahead/base";
import { type LeaseLost, StoreRefused, isLeaseLost } from "./error.ts";
import type { ReleaseOptions, ReleasedSession, SessionLease } from "./store.ts";
import type { StoreWriter, StoredBatch } from "./store-writer.ts";

/** How often a lease is renewed, as a part of the time that it is valid. */
const RENEWALS = 3;
const LEAST_RENEW_MS = 100;
const LONGEST_RENEW_MS = 10_000;

/** Renews a lease until it is stopped. Any failure but a lost lease is tried again: the lease can still be ours. */
export function renewed(lease: SessionLease, onLost: (error: LeaseLost) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const later = (): void => {
    if (isStopped) return;
    const leftMs = lease.validUntil - performance.now();
    timer = setTimeout(renew, Math.min(LONGEST_RENEW_MS, Math.max(LEAST_RENEW_MS, leftMs / RENEWALS)));
    timer.unref();
  };
  const renew = (): void => {
    void lease.renew().then(later, (error: unknown) => {
      if (isLeaseLost(error)) onLost(error);
      else later();
    });
  };
  later();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

interface Ending {
  readonly lease: SessionLease;
  readonly writer: StoreWriter;
  readonly besides: readonly StoreWriter[];
  readonly onStored: ((stored: StoredBatch) => void) | undefined;
}

/** Stores what is left and ends the lease, in one step. */
export async function released(
  { lease, writer, besides, onStored }: Ending,
  as: ReleaseOptions,
): Promise<boolean> {
  const left = await writer.finish();
  const others = await Promise.all(besides.map((one) => one.finish()));
  const batches = writer.lost.aborted ? [] : [left, ...others].filter((one) => one !== undefined);
  const options = { ...as, ...(batches.length === 0 ? {} : { batches }) };
  try {
    const { hasMail, end } = await lease
      .release(options)
      .catch((error: unknown) => again(lease, options, error));
    if (left !== undefined && end !== undefined) onStored?.({ at: left.at, end, lines: left.lines });
    return hasMail;
  } catch (error) {
    // If the store does not respond, the lease expires.
    if (isLeaseLost(error) || error instanceof StoreRefused) writer.fail(error);
    if (error instanceof StoreRefused) await lease.release(as).catch(() => {});
    return true;
  }
}

/** A store that answers, and refuses the same lines twice, would refuse them again. */
async function again(lease: SessionLease, options: ReleaseOptions, error: unknown): Promise<ReleasedSession> {
  if (isLeaseLost(error)) throw error;
  await lease.renew();
  return lease.release(options).catch((second: unknown) => {
    throw isLeaseLost(second) ? second : new StoreRefused(lease.id, messageOf(second));
  });
}
