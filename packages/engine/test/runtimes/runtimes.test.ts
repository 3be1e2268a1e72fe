import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { type Turns, bundled, expectTurns } from "./same-turns.ts";
import { runTurns } from "./turn.ts";

const require = createRequire(import.meta.url);
const LIMIT_MS = 300_000;

test("in Node", async () => {
  const turns = await runTurns();
  expectTurns(turns);
  expect([turns.parallel.cwd, turns.place]).toEqual([process.cwd(), "fs:/work/a"]);
});

test(
  "in a browser there is nothing of Node: calls run in parallel and in order, stop, and all results are read",
  async () => {
    const script = fileURLToPath(new URL("../../../../scripts/install-program.mjs", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, "chromium"], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr.trim());
    const code = await bundled('import { runTurns } from "./turn.ts"; globalThis.runTurns = runTurns;');
    const browser = await chromium.launch({
      executablePath: "/usr/bin/chromium",
      args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    });
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content: code, type: "module" });
      const turns = await page.evaluate<Turns>("globalThis.runTurns()");
      expectTurns(turns);
      expect([turns.parallel.cwd, turns.place]).toEqual(["/", "fs:/work/./a"]);
      expect(await page.evaluate("[typeof process, typeof Buffer, typeof setImmediate].join()")).toBe(
        "undefined,undefined,undefined",
      );
    } finally {
      await browser.close();
    }
  },
  LIMIT_MS,
);

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ ( name = "main", worker = .worker ) ],
  sockets = [ ( name = "http", address = "127.0.0.1:0", http = (), service = "main" ) ],
);
const worker :Workerd.Worker = (
  modules = [ ( name = "worker.js", esModule = embed "worker.js" ) ],
  compatibilityDate = "2025-01-01",
);
`;

const WORKER = `import { runTurns } from "./turn.ts";
export default { fetch: async () => Response.json(await runTurns()) };`;

/** Where workerd says on its control channel that it listens. */
async function portOf(child: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const { event, port } = JSON.parse(line) as { event: string; port: number };
    if (event === "listen") return port;
  }
  throw new Error("workerd ended before it listened");
}

test(
  "in workerd, without the compatibility with Node, the same comes of the same turns",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "runahead-workerd-"));
    writeFileSync(join(folder, "worker.js"), await bundled(WORKER));
    writeFileSync(join(folder, "config.capnp"), CONFIG);
    const { default: program } = require("workerd") as { default: string };
    const child = spawn(program, ["serve", "--control-fd=3", join(folder, "config.capnp")], {
      stdio: ["ignore", "inherit", "inherit", "pipe"],
    });
    try {
      const answer = await fetch(`http://127.0.0.1:${await portOf(child)}/`);
      const turns = (await answer.json()) as Turns;
      expectTurns(turns);
      expect([turns.parallel.cwd, turns.place]).toEqual(["/", "fs:/work/./a"]);
    } finally {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);
