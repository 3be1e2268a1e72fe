/** The sessions of one client: opened, found by their ids, listed, closed. */

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
import type { World } from "../shared/world.ts";
import { NOT_FOUND } from "./failure.ts";
import { mcpConfigOf } from "./mcp.ts";
import { AcpSession, type Client } from "./session.ts";

/** So many are listed at a time. */
const PAGE = 100;

type Wanted = Pick<NewSessionRequest, "cwd" | "additionalDirectories"> &
  Partial<Pick<NewSessionRequest, "mcpServers">>;

export class AcpSessions {
  readonly #world: World;
  readonly #flags: RunFlags;
  readonly #open = new Map<string, AcpSession>();
  /** What is being put together must be ended too. */
  readonly #opening = new Set<Promise<AcpSession>>();
  #isClosed = false;

  constructor(world: World, flags: RunFlags) {
    this.#world = world;
    this.#flags = flags;
  }

  /** Throws what the client is answered where there is no such one. */
  find(sessionId: string): AcpSession {
    const session = this.#open.get(sessionId);
    if (session === undefined)
      throw new RequestError(NOT_FOUND, `there is no open session ${JSON.stringify(sessionId)}`);
    return session;
  }

  create(wanted: Wanted, client: Client): Promise<AcpSession> {
    return this.#make(wanted, {}, client);
  }

  /** One that is open here is opened anew, since it may be wanted with other servers. */
  async resume(wanted: Wanted & { readonly sessionId: string }, client: Client): Promise<AcpSession> {
    const { sessionId } = wanted;
    const open = this.#open.get(sessionId);
    if (open?.isBusy === true)
      throw RequestError.invalidRequest(undefined, `session ${sessionId} is answering a prompt`);
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

  /** Those of a folder, newest first: of the one that the program was started in where none is named. */
  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const from = cursor === undefined || cursor === null ? 0 : Number(cursor);
    if (!Number.isSafeInteger(from) || from < 0)
      throw RequestError.invalidParams(undefined, "this is no cursor of ours");
    const folder = cwd ?? this.#world.cwd;
    if (!isAbsolute(folder)) throw RequestError.invalidParams(undefined, "cwd must be an absolute path");
    const store = runaheadHome(this.#world);
    const all = await sessions({ home: store, cwd: folder, onNotice: this.#world.complain }).list();
    const page = all.slice(from, from + PAGE).map(({ id, cwd: about, firstPrompt, updatedAt }) => ({
      sessionId: id,
      cwd: about === "" ? folder : about,
      title: firstPrompt === "" ? null : firstPrompt,
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
    throw RequestError.invalidParams(undefined, `there is no folder ${folder}`);
}
