import { mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessions } from "./sessions.ts";

const TERABYTE = 2 ** 40;

test("listing a session costs the same however long its journal is", async () => {
  const home = await mkdtemp(join(tmpdir(), "list-"));
  try {
    const all = sessions({ home, cwd: home });
    const session = await all.create();
    session.append({ type: "message", message: { role: "user", content: "hello" } });
    await session.close();
    // Nobody can read a terabyte within the time limit of a test. The file has no blocks for it.
    await truncate(session.path, TERABYTE);
    expect(await all.list()).toMatchObject([{ id: session.id, firstPrompt: "hello", sizeBytes: TERABYTE }]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
