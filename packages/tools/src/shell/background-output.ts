/** The BashOutput tool: returns the new output of a background job. */

import { runInNewContext } from "node:vm";
import { type Tool, defineTool } from "@runahead/engine";
import { type Shells } from "./shells.ts";
import { type Job, isRunning } from "./job.ts";
import { type BashOutputInput, bashOutputInput } from "./bash-input.ts";
import { type Bytes, keptIn, processList, showBytes } from "./bash-result.ts";
import { END_BYTES } from "./process-output.ts";
import { within } from "./process-run.ts";
import { canSeeProcesses, readProcess } from "@runahead/base";
import { cleanOutput, decodeTail, incompleteAtEnd, tailOf } from "./process-text.ts";
import { Refusal } from "../shared/refusal.ts";

/** A filter is applied to at most this many bytes, from the end. */
const FILTERED_BYTES = 1_000_000;
const FILTER_MS = 1_000;
/** The last output of an ended job can take a moment to arrive. */
const LAST_WORDS_MS = 500;

/** Output of the BashOutput tool. */
export interface JobOutput {
  /** What the job printed since the last call. */
  readonly text: string;
  /** Whether the job is still running. */
  readonly isRunning: boolean;
}

export function bashOutputTool(shells: Shells): Tool<typeof bashOutputInput, JobOutput> {
  return defineTool({
    name: "BashOutput",
    description:
      "Returns what a background job of Bash has printed since you last read it, and whether it is still running. With `filter`, only new lines that match; the others count as read too and are not shown again. You are notified when a job ends, so there is no need to poll.",
    inputSchema: bashOutputInput,
    isReadOnly: () => true,
    // It moves the read position, so two calls on one job run one after the other.
    access: ({ bash_id }) => [{ mode: "write", place: `job:/${encodeURIComponent(bash_id)}` }],
    describe: ({ bash_id }) => `Output of ${bash_id}`,
    async call(input) {
      const other = shells.otherTask(input.bash_id);
      if (other === undefined) return readJob(shells.jobs.find(input.bash_id), input, shells);
      return { text: await other.read(), isRunning: other.isRunning };
    },
    toResult: ({ text }) => text,
  });
}

export async function readJob(job: Job, { filter }: BashOutputInput, shells: Shells): Promise<JobOutput> {
  await endingKnown(job);
  // Checked before the output is read: what is printed in between is then shown by the next call.
  const running = isRunning(job);
  const { output } = job.run;
  if (!running) job.isEndKnown = true;
  if (!running) await within(LAST_WORDS_MS, output.ended);
  const { shownBytes } = job;
  // The rest of a character that is just being printed is shown by the next call.
  const end = output.bytes - (running ? incompleteAtEnd(lastBytes(job)) : 0);
  const shown = filter === undefined ? await newText(job, end) : await filtered(job, end, filter);
  job.shownBytes = end;
  const notes = running ? [] : shells.asideOf(job.run);
  const rest = end === shownBytes ? "(no new output)" : shown;
  return { text: [`${job.id} ${stateOf(job, running)}`, rest, ...notes].join("\n"), isRunning: running };
}

function lastBytes({ run, shownBytes }: Job): Uint8Array {
  const { head, tail, bytes } = run.output.ends;
  const last = tail.length >= 3 ? tail.subarray(-3) : Buffer.concat([head, tail]).subarray(-3);
  return last.subarray(Math.max(0, last.length - (bytes - shownBytes)));
}

/** The process can be gone a moment before its exit event arrives. */
async function endingKnown({ run }: Job): Promise<void> {
  if (canSeeProcesses && run.ending === undefined && readProcess(run.tree.pid) === undefined) await run.ended;
}

/** A background job that ended. */
export interface EndedJob {
  /** Id of the job, such as `bash_1`. */
  readonly id: string;
  /** The command that it ran. */
  readonly command: string;
  /** How it ended, such as `exit code 1`. */
  readonly how: string;
  /** Its last lines of output. */
  readonly lastLines: string;
}

const LAST_LINES = 10;
const LAST_CHARS = 1_000;

export async function endedJob(job: Job): Promise<EndedJob> {
  const { output } = job.run;
  await within(LAST_WORDS_MS, output.ended);
  const { head, tail } = output.ends;
  const text = cleanOutput(decodeTail(tail.length > 0 ? tail : head)).trimEnd();
  const lastLines = tailOf(text, LAST_CHARS).split("\n").slice(-LAST_LINES).join("\n");
  return {
    id: job.id,
    command: job.command,
    how: stateOf(job, false).replace(/^ended(?::|\.) /, ""),
    lastLines,
  };
}

function stateOf({ run, wasKilled, command }: Job, running: boolean): string {
  const { ending, limitReached, left } = run;
  if (ending === undefined) return `is running: ${command}`;
  const how = ending.type === "exited" ? `exit code ${ending.code}` : `killed by ${ending.signal}`;
  if (running) return `ended (${how}), but processes that it started are still running: ${processList(left)}`;
  if (limitReached !== undefined) return `ended. ${limitReached}`;
  return wasKilled ? `was killed with KillShell (${how})` : `ended: ${how}`;
}

async function newText(job: Job, end: number): Promise<string> {
  const { text } = showBytes(await newBytes(job, end), keptIn(job.run.output));
  return text;
}

/** Output above the file's size limit is available only from memory, and only its end. */
async function newBytes({ run, shownBytes }: Job, end: number): Promise<Bytes> {
  const { output } = run;
  const bytes = end - shownBytes;
  const isKept = output.problem === undefined && end <= output.keptBytes;
  if (!isKept) {
    const tail = output.ends.tail.length > 0 ? output.ends.tail : output.ends.head;
    const kept = tail.subarray(-Math.min(bytes, tail.length));
    return { head: new Uint8Array(), tail: kept, bytes, droppedBytes: bytes - kept.length };
  }
  const head = await output.read(shownBytes, Math.min(bytes, END_BYTES));
  const left = bytes - head.length;
  const tail =
    left === 0
      ? new Uint8Array()
      : await output.read(end - Math.min(left, END_BYTES), Math.min(left, END_BYTES));
  return { head, tail, bytes, droppedBytes: left - tail.length };
}

async function filtered(job: Job, end: number, filter: string): Promise<string> {
  const { output } = job.run;
  const kept = Math.min(end, output.keptBytes);
  const from = Math.max(job.shownBytes, kept - FILTERED_BYTES);
  const text =
    output.problem === undefined
      ? decodeTail(await output.read(from, kept - from))
      : decodeTail(output.ends.tail);
  const lines = matching(cleanOutput(text).split("\n"), filter);
  const { text: shown } = showBytes(bytesOf(lines.join("\n")), keptIn(output));
  const skipped = from - job.shownBytes;
  const about = skipped > 0 ? `(The filter skipped ${skipped} earlier bytes.)\n` : "";
  return about + (lines.length === 0 ? "(no new line matches the filter)" : shown);
}

function bytesOf(text: string): Bytes {
  const head = Buffer.from(text);
  return { head, tail: new Uint8Array(), bytes: head.length, droppedBytes: 0 };
}

/** A regular expression can take exponential time, so it runs in a context with a timeout. */
function matching(lines: readonly string[], filter: string): string[] {
  try {
    const code = "lines.filter((line) => pattern.test(line))";
    return [
      ...(runInNewContext(code, { lines, pattern: new RegExp(filter) }, { timeout: FILTER_MS }) as string[]),
    ];
  } catch (error) {
    throw new Refusal(
      `The filter failed: ${(error as Error).message}. Use a simpler pattern; nothing was marked as read.`,
    );
  }
}
