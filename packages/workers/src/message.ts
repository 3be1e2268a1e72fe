/** The messages between callers and workers. All input is validated, because others can write to the server too. */

import { z } from "zod";
import { LIMITS } from "./limits.ts";

/** Incremented on incompatible changes. */
export const PROTOCOL = 1;

const id = z.string().min(1).max(200);

/** One call in the queue. */
const wireCall = z.object({
  protocol: z.number(),
  caller: id,
  callId: z.string().max(1_000),
  /** The call's idempotency key. */
  key: z.string().max(1_000).optional(),
  tool: z.string().min(1).max(200),
  /** The caller's version of the tool. */
  version: z.string().max(200),
  input: z.unknown(),
  /** The context that calls of a turn share; always has `cwd`. */
  context: z.looseObject({ cwd: z.string().max(10_000) }),
  /** The time limit; default: none. */
  limitMs: z.number().positive().optional(),
  /** Whether it is read-only and so can run again. */
  reads: z.boolean(),
  /** The run id of the server that accepted the call. */
  server: z.string().max(200),
  /** The workspace of the files that it touches. */
  workspace: z.string().max(64).optional(),
});

export type WireCall = z.infer<typeof wireCall>;

/** How a call ended on a worker. */
const answer = z.discriminatedUnion("type", [
  /** The output is in a field next to it (0 parts) or in this many parts. */
  z.object({ type: z.literal("output"), parts: z.number().int().min(0).max(100_000) }),
  z.object({ type: z.literal("failed"), message: z.string(), stack: z.string() }),
  /** It did not run. */
  z.object({ type: z.literal("refused"), message: z.string() }),
  /** It did not run: another worker holds its workspace. */
  z.object({ type: z.literal("moved"), to: id }),
  /** It may have run. */
  z.object({ type: z.literal("unknown"), message: z.string() }),
]);

export type Answer = z.infer<typeof answer>;

const mail = z.object({
  job: id,
  worker: id,
  progress: z.array(z.unknown()).optional(),
  /** How many reports were dropped. */
  dropped: z.number().optional(),
  answer: answer.optional(),
  /** The members of the shared context that the call changed. */
  changes: z.record(z.string(), z.unknown()).optional(),
  /** How long its tool ran. */
  ranMs: z.number().optional(),
});

/** A message from a worker to a caller about one call. */
export type Mail = z.infer<typeof mail>;

const percentiles = z.object({
  /** The median: half of the calls took at most this long. */
  p50: z.number(),
  /** 99 % of the calls took at most this long. */
  p99: z.number(),
});

const record = z.object({
  /** The id of the worker. */
  id,
  /** The name of its machine. */
  host: z.string(),
  /** Its process id. */
  pid: z.number(),
  /** `draining`: it takes no new calls. */
  state: z.enum(["working", "draining"]),
  /** When it started, in milliseconds since 1970. */
  startedAt: z.number(),
  /** The maximum number of parallel calls. */
  concurrency: z.number(),
  /** The version of each of its tools, by name. */
  tools: z.record(z.string(), z.string()),
  /** The workspaces that it holds. */
  workspaces: z.array(z.string()),
  /** Its running calls. */
  running: z.array(
    z.object({
      /** The id of the job in the queue. */
      job: z.string(),
      /** The name of the tool. */
      tool: z.string(),
      /** For how many milliseconds it has been running. */
      forMs: z.number(),
    }),
  ),
  /** The number of calls that ended on it. */
  ended: z.number(),
  /** How many milliseconds the last calls waited before they started. */
  waitedMs: percentiles,
  /** How many milliseconds the last calls ran. */
  ranMs: percentiles,
});

/** Describes a worker, as of its last heartbeat. */
export type WorkerRecord = z.infer<typeof record>;

type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly why: string };

export function parseCall(data: unknown): Parsed<WireCall> {
  const parsed = check(wireCall, data);
  if (!parsed.ok || parsed.value.protocol === PROTOCOL) return parsed;
  return { ok: false, why: `protocol version ${parsed.value.protocol} instead of ${PROTOCOL}` };
}

export function parseMail(text: string): Parsed<Mail> {
  return fromJson(mail, text);
}

export function parseRecord(text: string): Parsed<WorkerRecord> {
  return fromJson(record, text);
}

function fromJson<Value>(schema: z.ZodType<Value>, text: string): Parsed<Value> {
  try {
    return check(schema, JSON.parse(text));
  } catch {
    return { ok: false, why: "not valid JSON" };
  }
}

function check<Value>(schema: z.ZodType<Value>, data: unknown): Parsed<Value> {
  const result = schema.safeParse(data);
  if (result.success) return { ok: true, value: result.data };
  const [issue] = result.error.issues;
  return {
    ok: false,
    why: `${issue?.path.map(String).join(".") || "value"}: ${issue?.message ?? "invalid"}`,
  };
}

/** Cuts a text that is too long to send, and says so. */
export function boundText(text: string): string {
  if (text.length <= LIMITS.messageChars) return text;
  return `${text.slice(0, LIMITS.messageChars)} … (${text.length - LIMITS.messageChars} more characters)`;
}
