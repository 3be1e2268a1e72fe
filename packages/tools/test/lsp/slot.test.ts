import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Slot } from "../../src/lsp/slot.ts";
import { Ledger } from "../../src/shell/background-ledger.ts";

const FAKE = fileURLToPath(new URL("../support/fake-language-server.mjs", import.meta.url));

test("a server that keeps failing is restarted with pauses, then turned off with one notice", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lsp-")));
  const notices: string[] = [];
  const ledger = new Ledger(join(root, "home"));
  let now = 0;
  const slot = new Slot({
    root,
    ledger,
    now: () => now,
    onNotice: (message) => notices.push(message),
    server: {
      name: "fake",
      program: process.execPath,
      args: [FAKE, "die-start"],
      languages: new Map([[".fake", "fake"]]),
      env: process.env,
      initializationOptions: undefined,
      settings: undefined,
      startupMs: 20_000,
      needsTrust: false,
      isNamed: true,
    },
  });
  const states: string[] = [];
  for (const pause of [1_000, 5_000, 20_000]) {
    await slot.use();
    states.push(slot.state.type);
    now += pause - 1;
    // Before the pause has passed, nothing is started.
    expect(await slot.use()).toBeUndefined();
    expect(slot.state.type).toBe("paused");
    now += 1;
  }
  expect(notices).toEqual([]);
  await slot.use();
  now += 1_000_000;
  await slot.use();
  expect([...states, slot.state.type]).toEqual(["paused", "paused", "paused", "off"]);
  expect(notices).toEqual([
    "The language server fake is turned off for this session: it failed 4 times, the last time because it exited with code 7.",
  ]);
  await slot.close();
  ledger.close();
});
