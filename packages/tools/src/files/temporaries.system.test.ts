import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { reapOrphans } from "../shell/background-ledger.ts";
import { createFileMemory } from "./file-memory.ts";
import { fileTools } from "./file-tools.ts";
import { Temporaries } from "./temporaries.ts";

afterEach(() => void vi.unstubAllEnvs());

const TOOLS = fileURLToPath(new URL("./file-tools.ts", import.meta.url));
const MEMORY = fileURLToPath(new URL("./file-memory.ts", import.meta.url));

/** Writes a large file again and again, and is killed in the middle. */
const WRITER = `
import { watch } from "node:fs";
import { fileTools } from ${JSON.stringify(TOOLS)};
import { createFileMemory } from ${JSON.stringify(MEMORY)};
const [, , folder, home] = process.argv;
const write = fileTools(createFileMemory(), { home }).find(({ name }) => name === "Write");
watch(folder, (event, name) => { if (String(name).endsWith(".tmp")) process.kill(process.pid, "SIGKILL"); });
const context = { cwd: folder, context: { cwd: folder }, signal: new AbortController().signal };
for (let at = 0; at < 1000; at++) await write.call({ file_path: \`a\${at}.txt\`, content: "x".repeat(8_000_000) }, context);
`;

const temporaries = (folder: TestFolder): string[] =>
  readdirSync(folder.at("work")).filter((name) => name.startsWith(".runahead-"));

test("temporary files that a killed agent left in the workspace are removed at the next start", async () => {
  const folder = new TestFolder();
  mkdirSync(folder.at("work"));
  const script = folder.write("writer.mts", WRITER);
  const tsx = fileURLToPath(import.meta.resolve("tsx"));
  for (let kill = 0; kill < 5 && temporaries(folder).length === 0; kill++) {
    const args = ["--import", tsx, script, folder.at("work"), folder.at("home")];
    const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    await new Promise((done) => child.once("exit", done));
  }
  expect(temporaries(folder)).not.toEqual([]);
  await reapOrphans(folder.at("home"));
  expect(temporaries(folder)).toEqual([]);
  expect(readdirSync(folder.at("home/writes"))).toEqual([]);
});

test("files of living agents and files with other names stay", async () => {
  const folder = new TestFolder();
  const living = new Temporaries(folder.at("home"));
  const ours = folder.write(".runahead-0123456789ab.tmp", "");
  living.note(ours);
  const dead = folder.at("home/writes/999999.1.another-boot.1.some-id");
  const other = folder.write("important.txt", "");
  const old = folder.write(".runahead-ba9876543210.tmp", "");
  mkdirSync(dead, { recursive: true });
  writeFileSync(
    join(dead, "temporary-files"),
    `${JSON.stringify(other)}\nbroken\n${JSON.stringify(old)}\n"/un`,
  );
  await reapOrphans(folder.at("home"));
  expect([ours, other, old].map((path) => existsSync(path))).toEqual([true, true, false]);
});

test("a write works without a place to record it", async () => {
  const folder = new TestFolder();
  const file = folder.write("file", "");
  vi.stubEnv("TMPDIR", folder.path);
  const call = agentIn(folder.path, fileTools(createFileMemory(), { home: `${file}/home` }));
  expect(await call("Write", { file_path: "a.txt", content: "x" })).toMatchObject({ isError: false });
});
