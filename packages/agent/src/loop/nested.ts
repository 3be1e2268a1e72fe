/** What tools that make calls of their own need of the turn that they are part of, such as those of `@runahead/code`. */

import type { AnyTool, ExecutorOptions, Journal } from "@runahead/engine";
import { withNestedCalls } from "@runahead/base";
import { type Member, boundTo } from "../agents/binding.ts";
import { turnJournal } from "../session/journal.ts";
import type { Session } from "../session/session.ts";
import type { NestedEvent, NestedEvents } from "./nested-events.ts";

/** The options of the turn's executor that hold for the calls that its calls make. */
const SHARED = ["hooks", "locks", "owner", "limit", "results", "validateJsonSchema"] as const;

interface NestedParts {
  readonly onPermissionsChanged: (listener: () => void) => () => void;
  readonly session: Session | undefined;
  readonly member: Member;
  readonly nested: NestedEvents;
}

export function nestedSettings(
  executor: Partial<ExecutorOptions>,
  { onPermissionsChanged, session, member, nested }: NestedParts,
): object {
  const shared = SHARED.flatMap((name) => (executor[name] === undefined ? [] : [[name, executor[name]]]));
  const journalOf = (callId: string): Journal | undefined =>
    session === undefined ? undefined : nestedJournal(session, callId);
  // What they read is for the program that makes the calls, so it is always whole.
  const wrapTools = (tools: readonly AnyTool[]): readonly AnyTool[] =>
    member.tree.cache.tools(
      withNestedCalls(boundTo(tools, member), () => settings),
      undefined,
      true,
    );
  const onEvent = (event: NestedEvent, parentId: string): void => nested.hear(event, parentId);
  const settings = { ...Object.fromEntries(shared), onPermissionsChanged, journalOf, wrapTools, onEvent };
  return settings;
}

/** The session keeps their events, so that it is known after a crash which of them happened. */
function nestedJournal(session: Session, callId: string): Journal {
  return turnJournal({
    append: (event) => session.append({ type: "nested", callId, event }),
    // A call must not start after the session was taken over.
    sync: () => session.sync().catch(() => new Promise<never>(() => {})),
  });
}
