/** The journals of a session's sub-agents: one file each, with the same format and guarantees as the session's own. */

import { access, copyFile, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Results } from "@runahead/engine";
import { LAST_JOB_FILE, codeOf, isShape, stringOf } from "@runahead/base";
import { type AgentAbout, type Header, VERSION, toLine } from "./entry.ts";
import type { JournalFiles } from "./files.ts";
import { type Notice, makePrivateFolder } from "./folder.ts";
import { NOTHING_LOADED, type Loaded, load } from "./load.ts";
import { SavedSession, type Session } from "./session.ts";
import { Writer, type WriterLimits } from "./writer.ts";

/** The journal of one sub-agent, open for writing. */
export interface AgentJournal {
  /** Records the sub-agent's conversation. */
  readonly session: Session;
  /** What the sub-agent is; undefined if the header cannot be read. */
  readonly about: AgentAbout | undefined;
  /** How it ended; undefined if it has not. */
  readonly end: string | undefined;
}

/** The journals of a session's sub-agents, in the folder of the session. */
export interface AgentJournals {
  /** The folder of the session, for files that belong to it. */
  readonly folder: string;
  /** Resolves with the ids of the sub-agents that have a journal. */
  ids(): Promise<readonly string[]>;
  /** Creates the journal of a new sub-agent. Its file appears with the first entry. */
  create(id: string, about: AgentAbout): Session;
  /** Opens a journal and continues it; undefined if there is none. */
  open(id: string): Promise<AgentJournal | undefined>;
}

export interface AgentJournalsParts {
  /** The folder of the session. */
  readonly folder: string;
  readonly cwd: string;
  readonly files: JournalFiles;
  readonly limits: Partial<WriterLimits>;
  readonly onNotice: Notice;
  /** Makes the folder of all sessions and renews the session's lock. */
  readonly prepare: () => Promise<void>;
  readonly results: Results;
  readonly recoveryLines: (loaded: Loaded) => string[];
  /** The session could not be locked, so nothing must be written. */
  readonly isUnlocked: boolean;
}

const END = ".jsonl";

export function agentJournals(parts: AgentJournalsParts): AgentJournals {
  const folder = join(parts.folder, "agents");
  return {
    folder: parts.folder,
    ids: () => idsIn(folder),
    create: (id, agent) => opened(parts, headerOf(id, parts.cwd, agent), NOTHING_LOADED),
    async open(id) {
      const path = join(folder, `${id}${END}`);
      const loaded = await load(path, parts.onNotice).catch((error: unknown) => {
        if (codeOf(error) === "ENOENT") return undefined;
        throw error;
      });
      if (loaded === undefined) return undefined;
      const about = aboutIn(loaded.header);
      const session = opened(parts, headerOf(id, parts.cwd, about), loaded);
      return { session, about, end: loaded.agentEnd };
    },
  };
}

function opened(parts: AgentJournalsParts, header: Header, loaded: Loaded): Session {
  const { files, limits, onNotice, results, isUnlocked } = parts;
  const { id, cwd } = header;
  const path = join(parts.folder, "agents", `${id}${END}`);
  const writer = new Writer({
    path,
    files,
    limits,
    onNotice,
    header: toLine(header),
    found: loaded.found,
    prepare: async () => {
      await parts.prepare();
      await makePrivateFolder(parts.folder, onNotice);
      await makePrivateFolder(dirname(path), onNotice);
    },
  });
  if (isUnlocked) writer.stop(`The sub-agent ${id} is not being saved, because its session is not.`);
  for (const line of parts.recoveryLines(loaded)) writer.append(line);
  // Ids of sub-agents are unique within their session only.
  const scope = `${basename(parts.folder)}/${id}`;
  return new SavedSession({ id, path, cwd, loaded, writer, results, scope, release: async () => {} });
}

function headerOf(id: string, cwd: string, agent: AgentAbout | undefined): Header {
  const createdAt = new Date().toISOString();
  return { type: "session", version: VERSION, id, cwd, createdAt, ...(agent === undefined ? {} : { agent }) };
}

export function aboutIn(header: Loaded["header"]): AgentAbout | undefined {
  const agent = header?.["agent"];
  if (!isShape(agent)) return undefined;
  const { type, description, parent, callId, isBackground, model, worktree } = agent;
  return {
    type: stringOf(type),
    description: stringOf(description),
    callId: stringOf(callId),
    isBackground: isBackground === true,
    ...(typeof parent === "string" ? { parent } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(typeof worktree === "string" ? { worktree } : {}),
  };
}

async function idsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(END)).map((name) => name.slice(0, -END.length));
}

/**
 * Copies what belongs to a session to the folder of its copy: the journals of its sub-agents, so that they can be
 * continued there too, and the number of its last background job, because the model knows the ids of the old ones.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  await copyAgents(from, to);
  await copyLastJob(from, to);
}

async function copyLastJob(from: string, to: string): Promise<void> {
  const path = join(from, LAST_JOB_FILE);
  if (!(await exists(path))) return;
  await makePrivateFolder(to);
  await copyFile(path, join(to, LAST_JOB_FILE));
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function copyAgents(from: string, to: string): Promise<void> {
  const ids = await idsIn(join(from, "agents"));
  if (ids.length === 0) return;
  const target = join(to, "agents");
  for (const folder of [to, target]) await makePrivateFolder(folder);
  for (const id of ids) await copyFile(join(from, "agents", `${id}${END}`), join(target, `${id}${END}`));
}
