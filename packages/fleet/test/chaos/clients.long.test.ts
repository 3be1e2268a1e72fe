/** Clients that send, interrupt, answer and read whenever they like, while workers die and Redis forgets. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { type AgentQueue, createAgentQueue } from "@runahead/fleet";
import { type PostgresStore, postgres } from "@runahead/postgres";
import { bundled } from "../../../postgres/test/support/bundle.ts";
import { postgresServer } from "../../../postgres/test/support/postgres-server.ts";
import { redisServer } from "../../../workers/test/support/redis-server.ts";
import { checkLines } from "./check.ts";
import { Crew } from "./crew.ts";

const SESSIONS = 16;
const WORKERS = 3;
const SENDING_MS = 40_000;
const LEASE_MS = 2_000;
const SETTLED_MS = 120_000;

const { random } = Math;
const pick = <Value>(...values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;

interface Client {
  readonly id: string;
  /** The texts of its prompts. */
  readonly sent: string[];
}

/** Prompts can be sent twice, as after a lost reply, and questions can be answered twice. */
async function use(queue: AgentQueue, { id, sent }: Client): Promise<void> {
  const prompt = (): readonly [text: string, mailId: string] => {
    const number = sent.length + 1;
    sent.push(`P${number} write ${pick(1, 2, 3, 4)}`);
    return [sent.at(-1) ?? "", `m-${number}`];
  };
  const [first, firstId] = prompt();
  await queue.start(id, first, { mailId: firstId });
  for (const end = performance.now() + SENDING_MS; performance.now() < end; ) {
    await pause(random() * 1_200);
    const what = random();
    if (what < 0.35) {
      const [text, mailId] = prompt();
      for (let times = pick(1, 1, 2); times > 0; times--) await queue.send(id, text, { mailId });
    } else if (what < 0.5) await queue.interrupt(id);
    else
      for (const { id: question } of await queue.questions(id)) {
        const behaviors = pick(["allow"], ["deny"], ["allow", "deny"], ["deny", "allow"]);
        for (const behavior of behaviors)
          await queue.answer(id, question, { behavior: behavior as "allow" | "deny" });
      }
  }
}

/** Reads a session over and over, from where it was interrupted. Resolves with everything that it has read. */
async function read(
  queue: AgentQueue,
  id: string,
  ends: { readonly last: number | undefined },
): Promise<string[]> {
  const seen: string[] = [];
  for (let from = 0; ends.last === undefined || from < ends.last; ) {
    const reading = new AbortController();
    const timer = setTimeout(() => reading.abort(), 300 + random() * 4_000);
    try {
      for await (const { position, entry } of queue.events(id, { from, signal: reading.signal })) {
        seen.push(JSON.stringify(entry));
        from = position;
        if (from === ends.last || random() < 0.05) break;
      }
    } catch (error) {
      if ((error as Error).name !== "NoSuchSession") throw error;
      await pause(50);
    }
    clearTimeout(timer);
  }
  return seen;
}

/** Answers what is still open, and resolves when nothing is left to do. */
async function settled(queue: AgentQueue, store: PostgresStore, ids: readonly string[]): Promise<void> {
  for (const begun = performance.now(); ; await pause(200)) {
    let open = (await store.due(1_000)).length;
    for (const id of ids) {
      const { status, questions } = await queue.info(id);
      if (status === "new" || status === "begun" || questions.length > 0) open++;
      for (const question of questions) await queue.answer(id, question.id, { behavior: "allow" });
      open += (await store.inbox(id)).length;
    }
    if (open === 0) return;
    if (performance.now() - begun > SETTLED_MS) throw new Error(`${open} sessions or mails do not settle`);
  }
}

async function journalOf(store: PostgresStore, id: string): Promise<Record<string, unknown>[]> {
  const entries: Record<string, unknown>[] = [];
  for (let from = 0; ; ) {
    const lines = await store.read(id, { from });
    if (lines.length === 0) return entries;
    entries.push(...lines.map(({ line }) => JSON.parse(line) as Record<string, unknown>));
    from = lines.at(-1)?.next ?? from;
  }
}

test("prompts are read once, the first answer counts, and readers miss nothing, whatever clients and workers do", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fleet-clients-"));
  const file = join(folder, "lines.txt");
  await writeFile(file, "");
  const script = await bundled(new URL("clients-child.ts", import.meta.url));
  const [redis, database] = await Promise.all([redisServer(), postgresServer()]);
  const store = postgres(database.url);
  const queue = createAgentQueue({ store, connection: redis.url });
  const args = [database.url, redis.url, file, String(LEASE_MS), "150"];
  const crew = new Crew({ script, size: WORKERS, args });
  const clients: Client[] = Array.from({ length: SESSIONS }, (_, at) => ({ id: `x${at}`, sent: [] }));
  const ids = clients.map(({ id }) => id);
  const ends = new Map(ids.map((id) => [id, { last: undefined as number | undefined }]));
  const over = new AbortController();
  const fail = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await pause(500 + random() * 1_500);
      const what = random();
      if (what < 0.5) crew.replace(random(), "SIGKILL");
      else if (what < 0.7) crew.stop(random(), LEASE_MS * (1.2 + random()));
      else if (what < 0.9) crew.replace(random(), "SIGTERM");
      else await redis.command("FLUSHALL");
    }
  };
  try {
    await store.ready();
    await crew.begin();
    const failing = fail();
    const reading = ids.map((id) => read(queue, id, ends.get(id) ?? { last: 0 }));
    await Promise.all(clients.map((client) => use(queue, client)));
    over.abort();
    await failing;
    await settled(queue, store, ids);
    await crew.allAwake();
    await crew.drain();
    for (const [id, last] of await store.ends(ids)) Object.assign(ends.get(id) ?? {}, { last });
    const seen = await Promise.all(reading);
    const { problems, histories } = await checkLines({ database, file, ids });
    for (const [at, { id, sent }] of clients.entries()) {
      const entries = await journalOf(store, id);
      const asRead = entries.map(({ sum: _sum, ...entry }) => JSON.stringify(entry));
      if (JSON.stringify(seen[at]) !== JSON.stringify(asRead))
        problems.push(`${id}: a reader saw something else`);
      const prompts = JSON.stringify((histories.get(id) ?? []).filter(({ role }) => role === "user"));
      for (const text of sent) {
        const times = prompts.split(new RegExp(`\\b${text.split(" ")[0]} write`)).length - 1;
        if (times !== 1) problems.push(`${id}: ${text} is ${times} times in the history`);
      }
      const answered = entries.filter(({ type }) => type === "answered").map((entry) => entry["id"]);
      if (new Set(answered).size !== answered.length) problems.push(`${id}: a question was answered twice`);
    }
    expect(problems).toEqual([]);
  } finally {
    over.abort();
    crew.close();
    await queue.close();
    await store.close();
    await redis.close();
    await database.close();
    for (const path of [folder, script]) await rm(path, { recursive: true, force: true });
  }
}, 600_000);
