/** A checksum at the end of each line, so that a flipped bit on the disk is noticed. Lines without one are accepted. */

import { crc32 } from "node:zlib";

const START = ',"sum":"';
const HEX_CHARS = 8;
const END = '"}';
const LENGTH = START.length + HEX_CHARS + END.length;
const BRACE = Buffer.from("}");

/** Adds the checksum as the last member of a line. `line` must be a JSON object with at least one member. */
export function withChecksum(line: string): string {
  return `${line.slice(0, -1)}${START}${hex(crc32(line))}${END}`;
}

/** Returns false if the line has a checksum that does not match its content. */
export function isIntact(line: Uint8Array): boolean {
  const at = line.length - LENGTH;
  if (at <= 0) return true;
  const tail = Buffer.from(line.buffer, line.byteOffset + at, LENGTH).toString("latin1");
  if (!tail.startsWith(START) || !tail.endsWith(END)) return true;
  const sum = crc32(BRACE, crc32(line.subarray(0, at)));
  return tail.slice(START.length, START.length + HEX_CHARS) === hex(sum);
}

function hex(sum: number): string {
  return sum.toString(16).padStart(HEX_CHARS, "0");
}
