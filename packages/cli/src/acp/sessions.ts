/** Opens, finds, lists and closes the sessions of one client. */

import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import {
  type ListSessionsRequest,
  type ListSessionsResponse,
  type NewSessionRequest,
  RequestError,
} from "@agentclientprotocol/sdk";
import { sessions, runaheadHome } from "@runahead/harness";
import type { RunFlags } from "../shared/flags.ts";
import { oneLine } from "../shared/words.ts";
import type { World } from "../shared/world.ts";
import { NOT_FOUND } from "./failure.ts";
import { mcpConfigOf } from "./mcp.ts";
import { AcpSession, type Client } from "./session.ts";

/** Sessions per page of a list. */
const PAGE = 100;

type Wanted = Pick<NewSessionRequest, "cwd" | "additionalDirectories"> &
  Partial<Pick<NewSessionRequest, "mcpServers">>;

export class AcpSessions {
  readonly #world: World;
  readonly #flags: RunFlags;
  readonly #open = new Map<string, AcpSession>();
  /** Sessions that are still opening, which must be closed too. */
  readonly #opening = new Set<Promise<AcpSession>>();
  #isClosed = false;

  constructor(world: World, flags: RunFlags) {
    this.#world = world;
    this.#flags = flags;
  }

  /** Throws a `RequestError` if there is no such session. */
  find(sessionId: string): AcpSession {
    const session = this.#open.get(sessionId);
    if (session === undefined)
      throw new RequestError(NOT_FOUND, `no open session ${JSON.stringify(sessionId)}`);
    return session;
  }

  create(wanted: Wanted, client: Client): Promise<AcpSession> {
    return this.#make(wanted, {}, client);
  }

  /** Reopens a session that is already open, because the request can name other MCP servers. */
  async resume(wanted: Wanted & { readonly sessionId: string }, client: Client): Promise<AcpSession> {
    const { sessionId } = wanted;
    const open = this.#open.get(sessionId);
    if (open?.isBusy === true)
      throw RequestError.invalidRequest(
        undefined,
        `session ${sessionId} is busy with a prompt; cancel it first`,
      );
    await this.close(sessionId);
    return this.#make(wanted, { resume: sessionId }, client);
  }

  async close(sessionId: string): Promise<void> {
    const session = this.#open.get(sessionId);
    this.#open.delete(sessionId);
    await session?.close();
  }

  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#opening);
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }

  /** Lists the sessions of a folder, newest first. Default: the folder that the program was started in. */
  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const from = cursor === undefined || cursor === null ? 0 : Number(cursor);
    if (!Number.isSafeInteger(from) || from < 0)
      throw RequestError.invalidParams(undefined, `invalid cursor ${JSON.stringify(cursor)}`);
    const folder = cwd ?? this.#world.cwd;
    if (!isAbsolute(folder)) throw RequestError.invalidParams(undefined, "cwd must be an absolute path");
    const store = runaheadHome(this.#world);
    const all = await sessions({ home: store, cwd: folder, onNotice: this.#world.complain }).list();
    const page = all.slice(from, from + PAGE).map(({ id, cwd: about, firstPrompt, updatedAt }) => ({
      sessionId: id,
      cwd: about === "" ? folder : about,
      title: firstPrompt === "" ? null : oneLine(firstPrompt),
      updatedAt,
    }));
    return { sessions: page, ...(all.length > from + PAGE ? { nextCursor: String(from + PAGE) } : {}) };
  }

  async #make(wanted: Wanted, flags: RunFlags, client: Client): Promise<AcpSession> {
    const { cwd, additionalDirectories = [], mcpServers = [] } = wanted;
    for (const folder of [cwd, ...additionalDirectories]) await checkFolder(folder);
    const { addDir = [], mcpConfig = [] } = this.#flags;
    const opening = AcpSession.open(
      { ...this.#world, cwd },
      {
        ...this.#flags,
        ...flags,
        addDir: [...addDir, ...additionalDirectories],
        mcpConfig: [...mcpConfig, ...mcpConfigOf(mcpServers)],
      },
      client,
    );
    this.#opening.add(opening);
    try {
      const session = await opening;
      this.#open.set(session.id, session);
      if (this.#isClosed) await this.close(session.id);
      return session;
    } finally {
      this.#opening.delete(opening);
    }
  }
}

async function checkFolder(folder: string): Promise<void> {
  if (!isAbsolute(folder))
    throw RequestError.invalidParams(undefined, `${JSON.stringify(folder)} must be an absolute path`);
  const stats = await stat(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true)
    throw RequestError.invalidParams(undefined, `folder not found: ${folder}`);
}
