/** Opens a session for a run. One that cannot be opened fails with the reason, or it would be tried again and again. */

import type { SessionStore } from "@runahead/agent";
import { type OpenStoredSession, openStored, toLine } from "@runahead/agent/internal";
import { messageOf } from "@runahead/base";
import { isOfMachine } from "../machine-failure.ts";
import type { RunEnd, RunPorts } from "./session-run.ts";

/** The name of the run among the states of a session. */
export const RUN = "fleet:run";

/** Resolves with how the run ends instead if the session cannot be opened now, or at all. */
export async function openFree(ports: RunPorts, isAgain = false): Promise<OpenStoredSession | RunEnd> {
  const { store, id, cwd, onNotice, live } = ports;
  try {
    const onStored = live.stored.bind(live);
    return await openStored({ store, cwd, isRealCwd: true, onNotice, onStored }, id);
  } catch (error) {
    const { name } = error instanceof Error ? error : { name: "" };
    if (name === "SessionLocked" || name === "LeaseLost") return { type: "taken" };
    if (name === "SessionTooNew") return { type: "too-new" };
    // It was deleted after it was woken.
    if (name === "NoSuchSession") return { type: "done" };
    // The session waits, or another worker takes it.
    if (isOfMachine(error)) throw error;
    // Throws while the store is away: then the session waits for the store.
    await store.ends([id]);
    if (!isAgain) return openFree(ports, true);
    const why = `It cannot be opened: ${messageOf(error)}`;
    await fail(store, id, why);
    onNotice(`Session ${id} failed: ${why}`);
    return { type: "done" };
  }
}

/** Stores why a session failed without opening it. Takes all mail, so that the session is not due any more. */
export async function fail(store: SessionStore, id: string, why: string): Promise<void> {
  const lease = await store.lease(id, { isNew: false });
  const mail = lease.mail ?? (await store.inbox(id));
  const data = { status: "failed", detail: why };
  const state = { type: "state", name: RUN, data };
  const taking = mail.map((one) => ({ ...state, mail: one.id }));
  const lines = [state, ...taking].map((entry) => toLine(entry));
  const batch = { at: lease.end, lines, taken: mail.map((one) => one.id) };
  await lease.release({ status: "idle", batches: [batch] });
}
