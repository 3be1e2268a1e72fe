import { mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { projectFolder } from "./folder.ts";
import { fileStore } from "./file-store.ts";
import { lockPath } from "./lock.ts";
import { sessions } from "./sessions.ts";
import { storeSuite } from "./store-suite.ts";

let home: string;
beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), "file-store-"))));
afterAll(() => rm(home, { recursive: true, force: true }));

describe("files as a session store", () => {
  const expire = async (_store: unknown, id: string): Promise<void> => {
    const folder = await projectFolder(home, process.cwd(), () => {});
    await rm(lockPath(folder, id), { recursive: true, force: true });
  };
  for (const { title, run } of storeSuite({ open: () => fileStore({ home }), expire })) test(title, run);
});

test("sessions() and the store use the same files", async () => {
  const direct = await sessions({ home }).create("both");
  direct.append({ type: "message", message: { role: "user", content: "Hello." } });
  await direct.close();
  const store = fileStore({ home });
  const stored = await sessions({ store }).resume("both");
  expect(stored.messages).toEqual([{ role: "user", content: "Hello." }]);
  stored.append({ type: "message", message: { role: "assistant", content: "Hi." } });
  await stored.close();
  const again = await sessions({ home }).resume("both");
  expect(again.messages.map(({ content }) => content)).toEqual(["Hello.", "Hi."]);
  await expect(sessions({ store }).resume("both")).rejects.toThrow(/in use/);
  await again.close();
});

test.runIf(process.platform === "linux")(
  "a lease that was lost leaves no open file when it is released",
  async () => {
    const store = fileStore({ home });
    const lost = await store.lease("lost-lease");
    await lost.append({ at: 0, lines: ["{}"] });
    const openFiles = async (): Promise<string[]> => {
      const links = (await readdir("/proc/self/fd")).map((fd) =>
        readlink(`/proc/self/fd/${fd}`).catch(() => ""),
      );
      return (await Promise.all(links)).filter((path) => path.includes("lost-lease"));
    };
    expect(await openFiles()).toHaveLength(1);
    await rm(lockPath(await projectFolder(home, process.cwd(), () => {}), "lost-lease"), { recursive: true });
    await expect(lost.release({ batches: [{ at: 3, lines: ["{}"] }] })).rejects.toThrow(/lost|another/i);
    expect(await openFiles()).toEqual([]);
  },
);
