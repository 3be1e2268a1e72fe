/** After a crash: says what each sub-agent that was at work had done, so that the model can continue it or go on without it. */

import { type AnyTool, type Fate, describeCall } from "@runahead/engine";
import { isShape, stringOf } from "@runahead/base";
import { type LoopOptions, toolsNow } from "../loop/options.ts";
import { textOf } from "../loop/text.ts";
import type { AgentJournal, AgentJournals } from "../session/agent-journals.ts";
import type { AgentAbout } from "../session/entry.ts";
import type { Session } from "../session/session.ts";
import type { AgentTree } from "./agent-tree.ts";
import { asData } from "./as-data.ts";
import { unreadIn } from "./inbox.ts";

const LISTED_CALLS = 20;
const CALL_CHARS = 100;
const SAID_CHARS = 4_000;
/** A journal that is its own starter must not make this endless. */
const MOST_STARTERS = 10;

/**
 * Adds a report about every sub-agent of an earlier process whose result did not reach the model that started it: it had
 * not ended, or its end was lost with the turn of its caller. Looks once per conversation.
 */
export async function reportInterrupted(tree: AgentTree, options: LoopOptions): Promise<void> {
  const journals = tree.session?.agents;
  if (tree.session === undefined || journals === undefined || tree.hasLookedBack) return;
  tree.hasLookedBack = true;
  const worktrees = await tree.worktrees.sweep(options);
  const found = await unreported(tree, journals, tree.session.recovered);
  const tools = toolsNow(options);
  const starters = new Map(found.all.map((journal) => [journal.session.id, journal.about]));
  for (const journal of found.unreported) {
    const words = wordsOf(journal, { tools, worktrees, starters });
    tree.addNews(words, () => {
      const { session } = journal;
      session.append({ type: "agent-ended", state: journal.end ?? "interrupted" });
      void session.close();
    });
    // The one that started it reads the same when it goes on, if the main agent lets it.
    const { parent } = journal.about ?? {};
    if (parent !== undefined) tree.addNewsFor(parent, () => sinceThen(tree, journal.session.id) ?? words);
  }
}

/** What became of a sub-agent that was continued in the meantime. */
function sinceThen(tree: AgentTree, id: string): string | undefined {
  const record = tree.record(id);
  if (record === undefined) return undefined;
  return `Your sub-agent ${id} (${record.type}: ${record.description}) was interrupted and then continued by the main agent. It is ${record.state}.`;
}

async function unreported(
  tree: AgentTree,
  journals: AgentJournals,
  recovered: readonly Fate[],
): Promise<{ readonly all: readonly AgentJournal[]; readonly unreported: readonly AgentJournal[] }> {
  const all = await opened(tree, journals);
  const atWork = all.filter(({ end }) => end === undefined);
  // The calls whose result was lost, with the agent that made them.
  const lost = new Set([
    ...unknownIn(recovered).map((callId) => keyOf(undefined, callId)),
    ...atWork.flatMap(({ session }) =>
      unknownIn(session.recovered).map((callId) => keyOf(session.id, callId)),
    ),
  ]);
  // Some providers use the ids of calls again, so only the latest sub-agent of a call counts.
  const latest = new Map(all.map((one) => [keyOf(one.about?.parent, one.about?.callId ?? ""), one]));
  const reported = all.filter(
    (one) =>
      one.end === undefined ||
      (one.end !== "interrupted" && [...latest].some(([key, last]) => last === one && lost.has(key))),
  );
  await Promise.all(all.filter((one) => !reported.includes(one)).map(({ session }) => session.close()));
  return { all, unreported: reported };
}

async function opened(tree: AgentTree, journals: AgentJournals): Promise<AgentJournal[]> {
  const ids = (await journals.ids()).toSorted((one, other) => numberIn(one) - numberIn(other));
  const found: AgentJournal[] = [];
  for (const id of ids) {
    // Sub-agents of this process are not interrupted.
    if (tree.record(id) !== undefined) continue;
    const journal = await journals.open(id).catch((error: unknown) => {
      process.emitWarning(`Cannot read the journal of ${id}: ${String(error)}`, "RunaheadWarning");
      return undefined;
    });
    if (journal === undefined) continue;
    // A file without a header: the program ended before the sub-agent began.
    if (journal.about === undefined) await journal.session.close();
    else found.push(journal);
  }
  return found;
}

function numberIn(id: string): number {
  return Number(/\d+$/.exec(id)?.[0] ?? 0);
}

function keyOf(parent: string | undefined, callId: string): string {
  return `${parent ?? ""} ${callId}`;
}

function unknownIn(fates: readonly Fate[]): string[] {
  return fates.filter(({ fate }) => fate === "unknown").map(({ callId }) => callId);
}

interface Surroundings {
  readonly tools: readonly AnyTool[];
  /** The worktrees with changes. */
  readonly worktrees: readonly string[];
  /** All sub-agents of the session, by id. */
  readonly starters: ReadonlyMap<string, AgentAbout | undefined>;
}

function wordsOf({ session, about, end }: AgentJournal, around: Surroundings): string {
  const { tools, worktrees, starters } = around;
  const { id, messages, recovered } = session;
  const fates = new Map(recovered.map(({ callId, fate }) => [callId, fate]));
  const calls = messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isCall) : []));
  const listed = (fate: Fate["fate"]): readonly string[] =>
    calls.filter((call) => (fates.get(call.id) ?? "finished") === fate).map((call) => callWords(call, tools));
  const what = about === undefined ? "" : ` (${about.type}: ${about.description})`;
  const path = pathTo(about?.parent, starters);
  const unread = unreadIn(session);
  const isDone = end === "finished" || (calls.length > 0 && messages.at(-1)?.role === "assistant");
  const unknown = listed("unknown");
  const unstarted = listed("never-started");
  return [
    isDone
      ? `Sub-agent ${id}${what} had finished, but its result was lost when the program ended.`
      : `The program ended while sub-agent ${id}${what} was at work.`,
    ...(path === "" ? [] : [`It was started by ${path}.`]),
    `Finished calls: ${listOf(listed("finished"))}.`,
    ...(unknown.length > 0 ? [`Outcome unknown, can have had effects: ${listOf(unknown)}.`] : []),
    ...(unstarted.length > 0 ? [`Not started: ${listOf(unstarted)}.`] : []),
    ...(about?.worktree === undefined ? [] : [worktreeWords(about.worktree, worktrees)]),
    lastWords(session),
    ...(unread.length > 0 ? [`Messages that it reads when it goes on: ${asData(unread.join("\n"))}`] : []),
    `To let it go on with its context, call Agent with resume: "${id}".`,
  ].join("\n");
}

/** `agent-2 (explore: find it), a sub-agent of agent-1 (general-purpose: repair it)`; empty for the main agent. */
function pathTo(parent: string | undefined, starters: Surroundings["starters"]): string {
  const names: string[] = [];
  for (let id = parent; id !== undefined && names.length < MOST_STARTERS; id = starters.get(id)?.parent) {
    const about = starters.get(id);
    names.push(about === undefined ? id : `${id} (${about.type}: ${about.description})`);
  }
  return names.join(", a sub-agent of ");
}

function worktreeWords(path: string, kept: readonly string[]): string {
  return kept.includes(path)
    ? `Its changes are in the git worktree ${path}.`
    : "Its git worktree had no changes and was removed.";
}

function lastWords({ messages }: Session): string {
  const texts = messages.flatMap(({ role, content }) =>
    role === "assistant" ? [typeof content === "string" ? content : textOf(content)] : [],
  );
  const said = texts.findLast((text) => text.trim() !== "");
  if (said === undefined) return "It had written nothing yet.";
  return `The last text that it wrote:\n${asData(said.slice(-SAID_CHARS))}`;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

function isCall(block: unknown): block is Call {
  return isShape(block) && block["type"] === "tool_use" && typeof block["id"] === "string";
}

function callWords({ name, input }: Call, tools: readonly AnyTool[]): string {
  const tool = tools.find((one) => one.name === name || one.aliases?.includes(name) === true);
  const words = tool === undefined ? stringOf(name) : describeCall(tool, input).replaceAll(/\s+/g, " ");
  return asData((words.startsWith(name) ? words : `${name} ${words}`).slice(0, CALL_CHARS));
}

function listOf(items: readonly string[]): string {
  if (items.length === 0) return "none";
  const more = items.length - LISTED_CALLS;
  return more > 0 ? `${items.slice(-LISTED_CALLS).join(", ")} and ${more} before them` : items.join(", ");
}
