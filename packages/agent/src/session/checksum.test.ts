import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkHistory } from "@runahead/engine/history";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isIntact, withChecksum } from "./checksum.ts";
import { type Session, sessions } from "./sessions.ts";

let home = "";
const notices: string[] = [];
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), "runahead-sum-"))));
afterEach(() => {
  notices.length = 0;
  rmSync(home, { recursive: true, force: true });
});

const store = () => sessions({ home, cwd: home, onNotice: (message) => notices.push(message) });
const said = (session: Session) => session.messages.map(({ content }) => content);

test("every flipped bit of a line makes it invalid or leaves its content as it was", () => {
  const line = withChecksum(
    JSON.stringify({ type: "message", message: { role: "user", content: "Grüße 🌍" } }),
  );
  const bytes = Buffer.from(line);
  expect(isIntact(bytes)).toBe(true);
  const { sum: _, ...content } = JSON.parse(line) as Record<string, unknown>;
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    if (!isIntact(flipped)) continue;
    // Only the checksum itself was hit, so that it is no longer recognised.
    const read = parsed(flipped);
    if (read !== undefined) expect(read).toMatchObject(content);
  }
});

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Writes a session with these prompts and returns its file as lines. */
async function written(prompts: readonly string[], compactedAfter = -1): Promise<string[]> {
  const session = await store().create("s");
  for (const [at, content] of prompts.entries()) {
    session.append({ type: "message", message: { role: "user", content } });
    if (at === compactedAfter)
      session.append({ type: "compacted", messages: [{ role: "user", content: "summary" }], prompts: [] });
  }
  await session.close();
  return readFileSync(session.path, "utf8").split("\n");
}

async function resumedWith(lines: readonly string[]): Promise<Session> {
  const { path } = (await store().list())[0] as { path: string };
  writeFileSync(path, lines.join("\n"));
  const session = await store().resume("s");
  await session.close();
  return session;
}

test("a line with a flipped bit is reported by its number, and the other lines are kept", async () => {
  const lines = await written(["one", "two", "three"]);
  lines[2] = (lines[2] as string).replace("two", "twp");
  const session = await resumedWith(lines);
  expect(said(session)).toEqual(["one", "three"]);
  expect(checkHistory(session.messages)).toEqual([]);
  expect(notices.filter((notice) => notice.startsWith("Skipped line 3 of "))).toHaveLength(1);
});

test("the numbers count from the start of the file, also after a compaction", async () => {
  const lines = await written(["one", "two", "three", "four"], 1);
  const at = lines.findIndex((line) => line.includes("three"));
  lines[at] = (lines[at] as string).replace("three", "thrEe");
  expect(said(await resumedWith(lines))).toEqual(["summary", "four"]);
  expect(notices.some((notice) => notice.startsWith(`Skipped line ${at + 1} of `))).toBe(true);
});

test("a journal without checksums loads as before, and is continued with them", async () => {
  const lines = await written(["one", "two"]);
  const old = lines.map((line) => line.replace(/,"sum":"[0-9a-f]{8}"\}$/, "}"));
  expect(old.join("")).not.toContain('"sum"');
  expect(said(await resumedWith(old))).toEqual(["one", "two"]);
  expect(notices).toEqual([]);
});
