/** After a crash: says what each sub-agent that was at work had done, so that the model can continue it or go on without it. */

import { type AnyTool, describeCall } from "@runahead/engine";
import { isShape, stringOf } from "@runahead/base";
import { type LoopOptions, toolsNow } from "../loop/options.ts";
import { textOf } from "../loop/text.ts";
import type { AgentJournal, AgentJournals } from "../session/agent-journals.ts";
import type { Session } from "../session/session.ts";
import type { AgentTree } from "./agent-tree.ts";
import { asData } from "./as-data.ts";

const LISTED_CALLS = 20;
const CALL_CHARS = 100;
const SAID_CHARS = 2_000;

/** Adds a report about every sub-agent of an earlier process that did not end. Looks once per conversation. */
export async function reportInterrupted(tree: AgentTree, options: LoopOptions): Promise<void> {
  const journals = tree.session?.agents;
  if (journals === undefined || tree.hasLookedBack) return;
  tree.hasLookedBack = true;
  const tools = toolsNow(options);
  for (const id of await journals.ids()) {
    // Sub-agents of this process are not interrupted.
    if (tree.record(id) !== undefined) continue;
    await report(id, { tree, journals, tools }).catch((error: unknown) =>
      process.emitWarning(`Cannot read the journal of ${id}: ${String(error)}`, "RunaheadWarning"),
    );
  }
}

interface Looking {
  readonly tree: AgentTree;
  readonly journals: AgentJournals;
  readonly tools: readonly AnyTool[];
}

async function report(id: string, { tree, journals, tools }: Looking): Promise<void> {
  const journal = await journals.open(id);
  if (journal === undefined) return;
  const { session, end } = journal;
  if (end !== undefined) return session.close();
  tree.addNews(wordsOf(journal, tools), () => {
    session.append({ type: "agent-ended", state: "interrupted" });
    void session.close();
  });
}

function wordsOf({ session, about }: AgentJournal, tools: readonly AnyTool[]): string {
  const { id, messages, recovered } = session;
  const fates = new Map(recovered.map(({ callId, fate }) => [callId, fate]));
  const calls = messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isCall) : []));
  const with_ = (fate: string): string[] =>
    calls.filter((call) => (fates.get(call.id) ?? "finished") === fate).map((call) => callWords(call, tools));
  const what = about === undefined ? "" : ` (${about.type}: ${about.description})`;
  const where = about?.worktree === undefined ? [] : [`It works in the git worktree ${about.worktree}.`];
  return [
    `The program ended while sub-agent ${id}${what} was at work.`,
    `Finished calls: ${listOf(with_("finished"))}.`,
    `Calls with unknown outcome: ${listOf(with_("unknown"))}. They can have had effects.`,
    `Calls that did not start: ${listOf(with_("never-started"))}.`,
    ...where,
    lastWords(session),
    `To let it go on with its context, call Agent with resume: "${id}".`,
  ].join("\n");
}

function lastWords({ messages }: Session): string {
  const said = messages
    .flatMap(({ role, content }) => (role !== "assistant" ? [] : [typeof content === "string" ? content : textOf(content)]))
    .findLast((text) => text.trim() !== "");
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
