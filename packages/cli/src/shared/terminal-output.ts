/**
 * Standard output and standard error of the whole program. Nothing else in it touches them, so that no text of a
 * model, a repository, a server or a file can steer the terminal. What the interactive screen draws goes through
 * `repl/live-region.ts`, which lets only our own styles through.
 */

import { writeSync } from "node:fs";
import { EXIT } from "./exit.ts";
import { neutralise } from "./safe-text.ts";

type Print = (text: string) => void;

/** Lines of the published program are very long. */
const MOST_CHARS = 4_000;

/** Prints whole lines for people: control sequences are shown and have no effect, in a pipe as well. */
export function printer(): Print {
  return writerTo(process.stdout, neutralise);
}

/** As `printer`, to standard error. */
export function complainer(): Print {
  return writerTo(process.stderr, neutralise);
}

/** Prints an answer that other programs read: unchanged, unless standard output is a terminal. */
export function answerer(): Print {
  return writerTo(process.stdout, process.stdout.isTTY ? neutralise : (text) => text);
}

/** Whether standard input and output are both a terminal. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

/** Undefined if standard output is not a terminal. */
export function outputColumns(): number | undefined {
  return process.stdout.columns;
}

/** Calls the listener when the reader of our output has left or the terminal was closed. */
export function onOutputError(listener: () => void): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", listener);
}

/** Reports an uncaught error and exits. Node would print its message without making it safe for a terminal. */
export function crashed(error: unknown): never {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  report(words.length > MOST_CHARS ? `${words.slice(0, MOST_CHARS)} …` : words);
  process.exit(EXIT.error);
}

export interface TakenOutput {
  readonly write: (piece: Uint8Array, done: (error?: Error | null) => void) => void;
  readonly giveBack: () => void;
}

/** Gives standard output to one writer. Everything else that prints goes to standard error until `giveBack`. */
export function takeStdout(): TakenOutput {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = (piece: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
    const callback = [encoding, done].find((one) => typeof one === "function") as (() => void) | undefined;
    return stderr.write(
      neutralise(typeof piece === "string" ? piece : Buffer.from(piece).toString()),
      callback,
    );
  };
  return {
    write: (piece, done) => void write(piece, done),
    giveBack: () => (stdout.write = write),
  };
}

const watched = new WeakSet<NodeJS.WriteStream>();

function writerTo(stream: NodeJS.WriteStream, safe: (text: string) => string): Print {
  watch(stream);
  return (text) => {
    const shown = safe(text);
    stream.write(shown.endsWith("\n") ? shown : `${shown}\n`);
  };
}

/** If output is lost, the program exits with an error code and one line instead of a stack trace (I02). */
function watch(stream: NodeJS.WriteStream): void {
  if (watched.has(stream)) return;
  watched.add(stream);
  let isKnown = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (isKnown) return;
    isKnown = true;
    process.once("exit", () => (process.exitCode ||= EXIT.error));
    // EPIPE: the pipe has no reader. EIO: the terminal is gone.
    if (stream === process.stdout && error.code !== "EPIPE" && error.code !== "EIO")
      report(`runahead: cannot write to standard output: ${error.message}`);
  });
}

/** Writes to standard error at once. */
function report(words: string): void {
  try {
    writeSync(2, `${neutralise(words)}\n`);
  } catch {
    // Standard error is closed, so nobody can read the report.
  }
}
