/** What tools that make calls of their own need of the turn that they are part of, such as those of `@runahead/code`. */

import type { ExecutorOptions, Journal } from "@runahead/engine";
import { turnJournal } from "../session/journal.ts";
import type { Session } from "../session/session.ts";

/** The options of the turn's executor that hold for the calls that its calls make. */
const SHARED = ["hooks", "locks", "owner", "limit", "results", "validateJsonSchema"] as const;

interface NestedParts {
  readonly onPermissionsChanged: (listener: () => void) => () => void;
  readonly session: Session | undefined;
}

export function nestedSettings(
  executor: Partial<ExecutorOptions>,
  { onPermissionsChanged, session }: NestedParts,
): object {
  const shared = SHARED.flatMap((name) => (executor[name] === undefined ? [] : [[name, executor[name]]]));
  const journalOf = (callId: string): Journal | undefined =>
    session === undefined ? undefined : nestedJournal(session, callId);
  return { ...Object.fromEntries(shared), onPermissionsChanged, journalOf };
}

/** The session keeps their events, so that it is known after a crash which of them happened. */
function nestedJournal(session: Session, callId: string): Journal {
  return turnJournal({
    append: (event) => session.append({ type: "nested", callId, event }),
    // A call must not start after the session was taken over.
    sync: () => session.sync().catch(() => new Promise<never>(() => {})),
  });
}
