/** Takes over a session of another agent: its history, repaired, becomes a session that can be resumed. */

import { aBoolean, aFunction, aString, checkOptions, required } from "@runahead/base";
import { SessionExists, sessions } from "@runahead/agent";
import { isSessionId } from "@runahead/agent/internal";
import { repairHistory } from "@runahead/engine/history";
import { runaheadHome, checkSurroundings } from "../home.ts";
import type { Surroundings } from "../surroundings.ts";
import { UsageError } from "../compose/error.ts";
import { readClaude } from "./claude.ts";
import { readCodex } from "./codex.ts";
import { describe, AGENT } from "./find.ts";
import type { ForeignAgent, SkippedLine } from "./foreign.ts";
import type { Spending } from "./spending.ts";
import { tasksIn } from "./tasks.ts";

/** How a session is taken over. */
export interface ImportOptions {
  /** The program that wrote the file. Default: recognised by its content. */
  readonly from?: ForeignAgent;
  /** The folder that the new session belongs to. Default: that of the session. */
  readonly cwd?: string;
  /** Imports it once more, with a new id, if it was imported before. Default: false. */
  readonly again?: boolean;
  /** Receives problems with the disk. Default: they are not reported. */
  readonly onNotice?: (message: string) => void;
}

/** A session that was taken over. */
export interface ImportedSession {
  /** The program that it comes from. */
  readonly from: ForeignAgent;
  /** The file that was read. */
  readonly source: string;
  /** The id to resume it with. */
  readonly id: string;
  /** Its folder. */
  readonly cwd: string;
  /** Its title. */
  readonly title: string;
  /** The number of messages. */
  readonly messages: number;
  /** The number of the user's prompts. */
  readonly prompts: number;
  /** Lines that could not be used. */
  readonly skipped: readonly SkippedLine[];
  /** What was left out on purpose, and what was repaired. */
  readonly notes: readonly string[];
  /** What it cost, in US dollars; undefined if a price is not known. */
  readonly costUsd: number | undefined;
  /** The number of tasks on its list. */
  readonly tasks: number;
  /** Whether a session with this id exists already, so that nothing was written. */
  readonly isKnown: boolean;
}

const OPTIONS = { from: AGENT, cwd: aString, again: aBoolean, onNotice: aFunction };

/**
 * Imports a session of Claude Code or Codex. The source is only read.
 *
 * @throws {UsageError} if the file is not a session, has no messages, or does not say in which folder it ran.
 * @example
 * ```ts
 * const { id } = await importSession({ cwd, home, env }, "/home/ann/.claude/projects/-repo/0f….jsonl");
 * ```
 */
export async function importSession(
  world: Surroundings,
  path: string,
  options: ImportOptions = {},
): Promise<ImportedSession> {
  checkSurroundings(world, "importSession");
  required(aString)(path, 'importSession: "path"');
  checkOptions(options, OPTIONS, "importSession");
  const { from, cwd: target, again = false, onNotice = () => {} } = options;
  const found = await describe(from, path);
  if (found === undefined) throw new UsageError(`${path} is not a session of Claude Code or Codex`);
  const history = await (found.from === "claude" ? readClaude(path) : readCodex(path));
  const cwd = target ?? (history.cwd || found.cwd);
  if (cwd === "") throw new UsageError(`${path} does not say in which folder it ran: name it with --cwd`);
  const { messages, repairs } = repairHistory(history.messages.map(({ message }) => message));
  if (messages.length === 0) throw new UsageError(`${path} has no messages`);
  const isPrompt = new Set(history.messages.flatMap((one) => (one.isPrompt ? [one.message] : [])));
  const prompts = messages.filter((message) => isPrompt.has(message)).length;
  const tasks = tasksIn(messages);
  const unusable = isSessionId(found.id)
    ? []
    : [`Its id ${JSON.stringify(found.id)} cannot be used here; it has a new one.`];
  const result = {
    from: found.from,
    source: path,
    cwd,
    title: history.title || found.title,
    messages: messages.length,
    prompts,
    skipped: history.skipped,
    notes: [...unusable, ...history.notes, ...repairs],
    costUsd: costOf(history.spending),
    tasks: tasks?.tasks.length ?? 0,
  };
  const store = sessions({ home: runaheadHome(world), cwd, onNotice });
  try {
    // An id that cannot be the name of a file here gets a new one.
    const isKept = !again && isSessionId(found.id);
    const session = await store.create(isKept ? found.id : undefined);
    let number = 0;
    for (const message of messages) {
      session.append({ type: "message", message });
      if (isPrompt.has(message))
        session.append({ type: "prompt", number: ++number, back: 1, context: { cwd } });
    }
    for (const { usage, costUsd } of history.spending)
      session.append({
        type: "spent",
        purpose: "import",
        usage,
        ...(costUsd === undefined ? {} : { costUsd }),
      });
    if (tasks !== undefined) session.append({ type: "state", name: "tasks", data: tasks });
    await session.sync();
    const { id, isSaved } = session;
    await session.close();
    if (!isSaved) throw new UsageError(`the session could not be saved in ${session.path}`);
    return { ...result, id, isKnown: false };
  } catch (error) {
    if (!(error instanceof SessionExists)) throw error;
    return { ...result, id: found.id, isKnown: true };
  }
}

function costOf(spending: readonly Spending[]): number | undefined {
  let sum = 0;
  for (const { costUsd } of spending) {
    if (costUsd === undefined) return undefined;
    sum += costUsd;
  }
  return sum;
}
