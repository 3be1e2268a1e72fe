/**
 * The transcript that hook scripts read at `transcript_path`: one JSON line per message, in the form that scripts for
 * other agents know. The journal of the session stays the only source for resuming.
 */

import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Message, Session } from "@runahead/agent";
import { messageOf } from "@runahead/base";

export interface TranscriptFacts {
  readonly cwd: string;
  readonly version: string;
  /** Returns the conversation so far. */
  readonly messages: () => readonly Message[];
  /** Returns the name of the model. */
  readonly model: () => string;
  readonly onNotice: (message: string) => void;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

interface Place {
  readonly path: string;
  readonly sessionId: string;
  /** The sub-agent whose conversation it is; undefined for the main agent. */
  readonly agentId?: string;
}

/** The file of one conversation. */
class TranscriptFile {
  readonly #place: Place;
  readonly #facts: Omit<TranscriptFacts, "messages">;
  readonly #written = new WeakSet<Message>();
  /** The conversation at the last look. It is a new array whenever a message was added. */
  #seen: readonly Message[] | undefined;
  #parent: string | null = null;
  #hasFailed = false;

  constructor(place: Place, facts: Omit<TranscriptFacts, "messages">) {
    this.#place = place;
    this.#facts = facts;
  }

  /** Writes the messages that are new. A failure is reported once and stops nothing. */
  update(messages: readonly Message[]): void {
    if (this.#hasFailed || messages === this.#seen) return;
    const isFirst = this.#seen === undefined;
    this.#seen = messages;
    const lines = messages.filter((message) => !this.#written.has(message)).map((one) => this.#line(one));
    try {
      if (isFirst) this.#begin();
      if (lines.length > 0) appendFileSync(this.#place.path, `${lines.join("\n")}\n`, { mode: PRIVATE_FILE });
    } catch (error) {
      this.#hasFailed = true;
      this.#facts.onNotice(`Cannot write the transcript for hooks: ${messageOf(error)}`);
    }
  }

  /** A resumed session is written again from its journal. */
  #begin(): void {
    const { path } = this.#place;
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    writeFileSync(path, "", { mode: PRIVATE_FILE });
  }

  #line(message: Message): string {
    this.#written.add(message);
    const uuid = randomUUID();
    const { cwd, version, model } = this.#facts;
    const { sessionId, agentId } = this.#place;
    const { role, content } = message;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const said =
      role === "assistant"
        ? { id: `msg_${uuid}`, type: "message", role, model: model(), content: blocks, stop_reason: null }
        : { role, content };
    const line = {
      parentUuid: this.#parent,
      isSidechain: agentId !== undefined,
      ...(agentId === undefined ? {} : { agentId }),
      userType: "external",
      cwd,
      sessionId,
      version,
      type: role,
      message: said,
      uuid,
      timestamp: new Date().toISOString(),
    };
    this.#parent = uuid;
    return JSON.stringify(line);
  }
}

/** Scripts take the name of the file for the id of the session. */
export function transcriptPath({ path }: Pick<Session, "path">): string {
  return join(dirname(path), "transcripts", basename(path));
}

/** The transcripts of a session: its own, and those of its sub-agents. */
export class Transcript {
  readonly path: string;
  readonly #sessionId: string;
  readonly #facts: TranscriptFacts;
  readonly #main: TranscriptFile;
  readonly #agents = new Map<string, TranscriptFile>();

  constructor(session: Session, facts: TranscriptFacts) {
    this.path = transcriptPath(session);
    this.#sessionId = session.id;
    this.#facts = facts;
    this.#main = new TranscriptFile({ path: this.path, sessionId: session.id }, facts);
  }

  update(): void {
    this.#main.update(this.#facts.messages());
  }

  /** Writes what is new in the conversation of a sub-agent. Returns the path of its file. */
  ofAgent(agentId: string, messages: readonly Message[]): string {
    const folder = join(dirname(this.path), this.#sessionId, "subagents");
    const path = join(folder, `agent-${agentId.replaceAll(/[^\w-]/g, "_")}.jsonl`);
    const place = { path, sessionId: this.#sessionId, agentId };
    const file = this.#agents.get(agentId) ?? new TranscriptFile(place, this.#facts);
    this.#agents.set(agentId, file);
    file.update(messages);
    return path;
  }
}
