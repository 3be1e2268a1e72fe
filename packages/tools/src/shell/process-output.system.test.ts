import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { pbkdf2 } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ends, Output } from "./process-output.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "output-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

test("both ends are the same however the bytes are split", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 12 }), (some, limit) => {
      const ends = new Ends(limit);
      for (const piece of some) {
        const copy = Uint8Array.from(piece);
        ends.add(copy);
        copy.fill(0);
      }
      const all = Buffer.concat(some);
      const tail = all.subarray(limit).subarray(-limit);
      expect([Buffer.from(ends.head), Buffer.from(ends.tail), ends.bytes, ends.droppedBytes]).toEqual([
        all.subarray(0, limit),
        tail,
        all.length,
        Math.max(0, all.length - 2 * limit),
      ]);
    }),
  );
});

function pipe(): { readEnd: number; writeEnd: number } {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  rmSync(path);
  return { readEnd, writeEnd };
}

test("all that is written arrives in the file, in order, and in pieces at the listener", async () => {
  const { readEnd, writeEnd } = pipe();
  const output = new Output({ pipe: readEnd, path: join(folder, "out"), maxBytes: 1e9 });
  const heard: Buffer[] = [];
  output.onPiece = (piece) => heard.push(Buffer.from(piece));
  await output.start();
  // Another process writes: a pipe that is full would hold this one.
  const writer = spawn("seq", ["1", "600000"], { stdio: ["ignore", writeEnd, "inherit"] });
  closeSync(writeEnd);
  await output.ended;
  await output.close();
  expect(writer.pid).toBeDefined();
  const all = Buffer.from(Array.from({ length: 600_000 }, (_, at) => `${at + 1}\n`).join(""));
  expect(Buffer.compare(readFileSync(join(folder, "out")), all)).toBe(0);
  expect(Buffer.compare(Buffer.concat(heard), all)).toBe(0);
  expect([output.bytes, output.keptBytes, output.problem]).toEqual([all.length, all.length, undefined]);
  expect(Buffer.from(await output.read(5, 10))).toEqual(all.subarray(5, 15));
});

test("if the disk is slower than the process, the process waits and nothing is lost", async () => {
  const { readEnd, writeEnd } = pipe();
  const output = new Output({ pipe: readEnd, path: join(folder, "out"), maxBytes: 1e9 });
  await output.start();
  // Every thread that could write to the disk is busy for a while.
  const busy = Array.from({ length: 8 }, () => promisify(pbkdf2)("a", "b", 600_000, 64, "sha512"));
  spawn("head", ["-c", "20000000", "/dev/zero"], { stdio: ["ignore", writeEnd, "inherit"] });
  closeSync(writeEnd);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(output.bytes).toBeLessThan(3_000_000);
  await Promise.all([output.ended, ...busy]);
  await output.close();
  expect(statSync(join(folder, "out")).size).toBe(20_000_000);
});

test("an existing file or link is not written to", async () => {
  const { readEnd, writeEnd } = pipe();
  closeSync(openSync(join(folder, "out"), "w"));
  const output = new Output({ pipe: readEnd, path: join(folder, "out"), maxBytes: 1e9 });
  await output.start();
  writeSync(writeEnd, "text");
  closeSync(writeEnd);
  await output.ended;
  expect(output.problem).toMatch(/EEXIST/);
  expect(Buffer.from(output.ends.head).toString()).toBe("text");
  expect(statSync(join(folder, "out")).size).toBe(0);
});

test("on a full disk the rest of the file is lost and reported", async () => {
  const { readEnd, writeEnd } = pipe();
  const output = new Output({ pipe: readEnd, path: "/dev/full", maxBytes: 1e9 });
  await output.start();
  writeSync(writeEnd, "text");
  closeSync(writeEnd);
  await output.ended;
  expect(output.problem).toMatch(/EEXIST|ENOSPC/);
});

test("closing releases a pipe that another process still holds", async () => {
  const { readEnd, writeEnd } = pipe();
  const output = new Output({ pipe: readEnd, path: join(folder, "out"), maxBytes: 1e9 });
  await output.start();
  await output.close();
  await output.ended;
  expect(() => writeSync(writeEnd, "text")).toThrow(/EPIPE/);
  closeSync(writeEnd);
});
