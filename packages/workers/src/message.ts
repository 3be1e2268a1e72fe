/** What goes over the wire between callers and workers. Whatever is read is checked first: others can write there too. */

import { z } from "zod";
import { LIMITS } from "./limits.ts";

/** Raised when callers and workers would misunderstand each other. */
export const PROTOCOL = 1;

const id = z.string().min(1).max(200);

/** One call, as a caller puts it into a queue. */
const wireCall = z.object({
  protocol: z.number(),
  caller: id,
  callId: z.string().max(1_000),
  tool: z.string().min(1).max(200),
  /** Of the tool as the caller knows it. */
  version: z.string().max(200),
  input: z.unknown(),
  /** What calls of the turn share; `cwd` is always there. */
  context: z.looseObject({ cwd: z.string().max(10_000) }),
  /** How long it may run; none where absent. */
  limitMs: z.number().positive().optional(),
  /** It only looks, so it may run again. */
  reads: z.boolean(),
  /** The start of the server that it was given to. */
  server: z.string().max(200),
  /** It touches files, and they are where this workspace is. */
  workspace: z.string().max(64).optional(),
});

export type WireCall = z.infer<typeof wireCall>;

/** How a call ended on a worker. */
const answer = z.discriminatedUnion("type", [
  /** The output stands beside it, or in so many parts. */
  z.object({ type: z.literal("output"), parts: z.number().int().min(0).max(100_000) }),
  z.object({ type: z.literal("failed"), message: z.string(), stack: z.string() }),
  /** It did not run. */
  z.object({ type: z.literal("refused"), message: z.string() }),
  /** It did not run here: another worker holds its workspace. */
  z.object({ type: z.literal("moved"), to: id }),
  /** It may have run before. */
  z.object({ type: z.literal("unknown"), message: z.string() }),
]);

export type Answer = z.infer<typeof answer>;

const mail = z.object({
  job: id,
  worker: id,
  progress: z.array(z.unknown()).optional(),
  /** How many reports were left out. */
  dropped: z.number().optional(),
  answer: answer.optional(),
  /** Members of the shared context that the call has changed. */
  changes: z.record(z.string(), z.unknown()).optional(),
  /** How long its tool ran. */
  ranMs: z.number().optional(),
});

/** What a worker tells a caller of one call. */
export type Mail = z.infer<typeof mail>;

const record = z.object({
  /** The id of the worker. */
  id,
  /** The name of its machine. */
  host: z.string(),
  /** Its process. */
  pid: z.number(),
  /** `draining`: it takes no more calls. */
  state: z.enum(["working", "draining"]),
  /** When it was started, in milliseconds since 1970. */
  startedAt: z.number(),
  /** How many calls it runs at once. */
  concurrency: z.number(),
  /** The version of each of its tools, by name. */
  tools: z.record(z.string(), z.string()),
  /** The workspaces that it holds. */
  workspaces: z.array(z.string()),
  /** The calls that it runs now, and for how long. */
  running: z.array(z.object({ job: z.string(), tool: z.string(), forMs: z.number() })),
  /** How many calls have ended there. */
  ended: z.number(),
  /** How long the last calls waited from being sent until they began. */
  waitedMs: z.object({ p50: z.number(), p99: z.number() }),
  /** How long the last calls ran. */
  ranMs: z.object({ p50: z.number(), p99: z.number() }),
});

/** Describes one worker, as it last reported itself. */
export type WorkerRecord = z.infer<typeof record>;

type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly why: string };

export function parseCall(data: unknown): Parsed<WireCall> {
  const parsed = check(wireCall, data);
  if (!parsed.ok || parsed.value.protocol === PROTOCOL) return parsed;
  return { ok: false, why: `it speaks version ${parsed.value.protocol} of the protocol, not ${PROTOCOL}` };
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
    return { ok: false, why: "it is not JSON" };
  }
}

function check<Value>(schema: z.ZodType<Value>, data: unknown): Parsed<Value> {
  const result = schema.safeParse(data);
  if (result.success) return { ok: true, value: result.data };
  const [issue] = result.error.issues;
  return { ok: false, why: `${issue?.path.map(String).join(".") || "it"}: ${issue?.message ?? "is wrong"}` };
}

/** A text that is not longer than may be sent, cut with a word on it. */
export function boundText(text: string): string {
  if (text.length <= LIMITS.messageChars) return text;
  return `${text.slice(0, LIMITS.messageChars)} … (${text.length - LIMITS.messageChars} characters more)`;
}
