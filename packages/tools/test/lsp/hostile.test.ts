import { spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runTools } from "@runahead/engine";
import { afterEach, expect, test } from "vitest";
import { type LanguageServers, createLanguageServers, reapOrphans } from "../../src/index.ts";

const FAKE = fileURLToPath(new URL("../support/fake-language-server.mjs", import.meta.url));
const LIMIT_MS = 30_000;
const open: LanguageServers[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((servers) => servers.close()));
});

interface World {
  readonly servers: LanguageServers;
  readonly root: string;
  readonly notices: string[];
  readonly log: () => string[];
  write(text: string, name?: string): Promise<string | undefined>;
}

function world(mode: string, more: { home?: string } = {}): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lsp-")));
  const log = join(root, "log.txt");
  const notices: string[] = [];
  const servers = createLanguageServers({
    root,
    home: more.home ?? join(root, "home"),
    env: process.env,
    usesInstalled: false,
    servers: [
      {
        name: "fake",
        command: process.execPath,
        args: [FAKE, mode, log],
        extensionToLanguage: { ".fake": "fake" },
        startupTimeoutMs: mode === "hang-start" ? 300 : 20_000,
      },
    ],
    onNotice: (message) => notices.push(message),
    mayShow: (path) => !path.endsWith("/denied.fake"),
  });
  open.push(servers);
  return {
    servers,
    root,
    notices,
    log: () => linesOf(log),
    write(text, name = "a.fake") {
      const path = join(root, name);
      writeFileSync(path, text);
      return servers.written({ path, text, agent: undefined, signal: new AbortController().signal });
    },
  };
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8").trim().split("\n");
  } catch {
    return [];
  }
}

async function until<Value>(look: () => Value | undefined | false): Promise<Value> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await pause(20)) {
    const value = look();
    if (value !== undefined && value !== false) return value;
  }
  throw new Error("it did not happen");
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const stateOf = ({ servers }: World) => servers.list()[0]?.running[0]?.state;

test("new diagnostics of a written file are reported once, in the result or later", async () => {
  const made = world("good");
  const first = (await made.write("one\nBAD two\n")) ?? (await until(() => made.servers.takeNews(undefined)));
  expect(first).toBe(
    "Diagnostics of a.fake (first report for this file: some can be older than your change):\n2:1 error: BAD two [fake 1]",
  );
  const text = "one\nmore\nBAD two\nBAD three\n";
  const second = (await made.write(text)) ?? (await until(() => made.servers.takeNews(undefined)));
  expect(second).toBe("Diagnostics of a.fake:\n4:1 error: BAD three [fake 1]");
  expect(made.servers.takeNews(undefined)).toBeUndefined();
});

test("what a sub-agent wrote is reported to it and not to the main agent", async () => {
  const made = world("good");
  await made.write("fine");
  const agent = { id: "a1", type: "general" };
  const path = join(made.root, "b.fake");
  writeFileSync(path, "BAD");
  const signal = new AbortController().signal;
  const said =
    (await made.servers.written({ path, text: "BAD", agent, signal })) ??
    (await until(() => made.servers.takeNews(agent)));
  expect(said).toContain("1:1 error: BAD");
  expect(made.servers.takeNews(undefined)).toBeUndefined();
});

test("a change by a command reaches the server before the next news", async () => {
  const made = world("good");
  await made.write("fine");
  await until(() => made.log().some((line) => line.startsWith("content")));
  writeFileSync(join(made.root, "a.fake"), "BAD by a formatter");
  expect(await until(() => made.servers.takeNews(undefined))).toContain("BAD by a formatter");
});

test("files of other kinds start nothing, and files outside of the workspace are left alone", async () => {
  const made = world("good");
  expect(await made.write("BAD", "a.txt")).toBeUndefined();
  const elsewhere = join(mkdtempSync(join(tmpdir(), "lsp-")), "a.fake");
  const signal = new AbortController().signal;
  expect(
    await made.servers.written({ path: elsewhere, text: "BAD", agent: undefined, signal }),
  ).toBeUndefined();
  expect(made.servers.list()[0]?.running).toEqual([]);
});

async function asked({ servers, root }: World, operation: string): Promise<string> {
  const input = { operation, filePath: "a.fake", line: 1, character: 1 };
  const options = { tools: servers.tools(), context: { cwd: root } };
  for await (const update of runTools([{ id: "1", name: "LSP", input }], options))
    if (update.type === "result") return String(update.result.content);
  throw new Error("the call has no result");
}

test.each(["loading", "loading-status"])(
  "a server that loads the project (%s) is asked again when it is done, and the answer waits for that",
  async (mode) => {
    const loadedDuring = async (made: World, operation: string, request: string): Promise<string> => {
      const answer = asked(made, operation);
      await until(() => made.log().includes(request));
      writeFileSync(join(made.root, "loaded"), "");
      return answer;
    };
    const [one, two] = [world(mode), world(mode)];
    expect(await one.write("BAD one\n")).toBeUndefined();
    expect(await loadedDuring(one, "findReferences", "references")).toBe("a.fake:1:1: BAD one");
    expect(await until(() => one.servers.takeNews(undefined))).toContain("1:1 error: BAD one");
    writeFileSync(join(two.root, "a.fake"), "BAD two\n");
    expect(await loadedDuring(two, "diagnostics", "pull")).toBe("1:1 error: BAD two [fake 1]");
  },
);

test("what a server says about a symbol is not shown if it is defined in a file that rules deny reading", async () => {
  const [shown, denied] = [world("good"), world("denied")];
  for (const made of [shown, denied]) await made.write("symbol");
  expect(await asked(shown, "hover")).toContain('at {"line":0');
  expect(await asked(denied, "hover")).toContain("defined in a file that rules deny reading");
  expect(await asked(denied, "goToDefinition")).not.toContain("denied.fake");
});

test("a location whose path is a link that leads out of the workspace is named, but its code is not shown", async () => {
  const made = world("good");
  const secret = join(realpathSync(mkdtempSync(join(tmpdir(), "lsp-"))), "secret.fake");
  writeFileSync(secret, "s3cret\n");
  symlinkSync(secret, join(made.root, "link.fake"));
  await made.write("open line", "a.fake");
  const signal = new AbortController().signal;
  const path = join(made.root, "link.fake");
  await made.servers.written({ path, text: "text", agent: undefined, signal });
  const text = await asked(made, "findReferences");
  expect(text).toContain("a.fake:1:1: open line");
  expect(text).toContain("link.fake:1:1");
  expect(text).not.toContain("s3cret");
});

test("a server that never answers does not hold up a write, and is paused", async () => {
  const made = world("hang-start");
  expect(await made.write("BAD")).toBeUndefined();
  expect(await until(() => stateOf(made)?.type === "paused" && stateOf(made))).toEqual({
    type: "paused",
    why: "it did not answer initialize within 0.3 s",
  });
});

test("a server that dies, or sends garbage, is paused and its reason is kept", async () => {
  const dying = world("die-start");
  expect(await dying.write("BAD")).toBeUndefined();
  await until(() => stateOf(dying)?.type === "paused");
  const broken = world("garbage");
  expect(await broken.write("BAD")).toBeUndefined();
  await until(() => stateOf(broken)?.type === "paused");
  expect(stateOf(broken)).toEqual({
    type: "paused",
    why: "it sent text that is not part of the protocol",
  });
  const later = world("die-open");
  await later.write("BAD");
  expect(await until(() => stateOf(later)?.type === "paused" && stateOf(later))).toEqual({
    type: "paused",
    why: "it exited with code 9",
  });
});

test("a flood of diagnostics is cut to a short text", async () => {
  const made = world("flood");
  const said = (await made.write("x")) ?? (await until(() => made.servers.takeNews(undefined)));
  expect(said.length).toBeLessThan(5_000);
  expect(said).toMatch(/… and \d+ more$/);
});

test("a silent server ends with the session, with all processes that it started", async () => {
  const made = world("stubborn");
  expect(await made.write("BAD")).toBeUndefined();
  const pids = await until(() => {
    const found = made.log().flatMap((line) => /^(?:started|child) (\d+)$/.exec(line)?.[1] ?? []);
    return found.length === 2 && found.map(Number);
  });
  await made.servers.close();
  expect(pids.map(isAlive)).toEqual([false, false]);
});

test("class promise 5: a server of a program that was killed is ended by the next start", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lsp-")));
  const home = join(root, "home");
  const log = join(root, "log.txt");
  writeFileSync(join(root, "a.fake"), "BAD");
  const script = join(root, "run.mts");
  const entry = fileURLToPath(new URL("../../src/lsp/language-servers.ts", import.meta.url));
  writeFileSync(
    script,
    `import { createLanguageServers } from ${JSON.stringify(entry)};
const servers = createLanguageServers({ root: ${JSON.stringify(root)}, home: ${JSON.stringify(home)}, env: process.env, usesInstalled: false,
  servers: [{ name: "fake", command: process.execPath, args: ${JSON.stringify([FAKE, "stubborn", log])}, extensionToLanguage: { ".fake": "fake" } }] });
await servers.written({ path: ${JSON.stringify(join(root, "a.fake"))}, text: "BAD", agent: undefined, signal: new AbortController().signal });
setInterval(() => {}, 1000);
`,
  );
  const tsx = fileURLToPath(new URL("../../../../node_modules/tsx/dist/cli.mjs", import.meta.url));
  const program = spawn(process.execPath, [tsx, script], { stdio: "ignore", detached: true });
  const pids = await until(() => {
    const found = linesOf(log).flatMap((line) => /^(?:started|child) (\d+)$/.exec(line)?.[1] ?? []);
    return found.length === 2 && found.map(Number);
  });
  const ended = new Promise((resolve) => program.once("exit", resolve));
  process.kill(-(program.pid as number), "SIGKILL");
  await ended;
  expect(pids.map(isAlive)).toEqual([true, true]);
  await until(() => !isAlive(program.pid as number));
  // The process that tsx started for the program can end later than tsx.
  const reaped = new Set<number>();
  const reap = async (): Promise<ReadonlySet<number>> => {
    for (const { pid } of await reapOrphans(home)) reaped.add(pid);
    return reaped;
  };
  await expect.poll(reap).toEqual(new Set(pids));
  expect(pids.map(isAlive)).toEqual([false, false]);
});

test("programs of the repository are not executed without trust", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lsp-")));
  const bin = join(root, "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  const log = join(root, "ran.txt");
  for (const name of ["pyright-langserver", "rust-analyzer"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> ${log}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const path = join(root, "a.py");
  writeFileSync(path, "x");
  const options = { root, home: join(root, "home"), env: { PATH: `${bin}:/usr/bin:/bin` } };
  const untrusted = createLanguageServers(options);
  open.push(untrusted);
  const file = { path, text: "x", agent: undefined, signal: new AbortController().signal };
  expect(await untrusted.written(file)).toBeUndefined();
  // The machine can have servers of its own.
  expect(untrusted.list().filter(({ program }) => program.startsWith(root))).toEqual([]);
  expect(untrusted.list().flatMap(({ running }) => running)).toEqual([]);
  expect(linesOf(log)).toEqual([]);
  const trusted = createLanguageServers({ ...options, isTrusted: true });
  open.push(trusted);
  expect(await trusted.written(file)).toBeUndefined();
  await until(() => linesOf(log).includes("pyright-langserver"));
});

test("a server that can run code of the workspace waits for trust, wherever it is installed", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lsp-")));
  const bin = mkdtempSync(join(tmpdir(), "lsp-bin-"));
  for (const name of ["rust-analyzer", "bash-language-server"]) {
    writeFileSync(join(bin, name), "#!/bin/sh\n");
    chmodSync(join(bin, name), 0o755);
  }
  const servers = createLanguageServers({ root, home: join(root, "home"), env: { PATH: bin } });
  open.push(servers);
  expect(servers.list().map(({ name, isWithheld }) => [name, isWithheld])).toEqual([
    ["bash-language-server", false],
    ["rust-analyzer", true],
  ]);
});

test("the rust-analyzer of rustup is used only if its component is installed", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lsp-")));
  const [bin, toolchain] = [join(root, "bin"), join(root, "rustup/toolchains/stable/bin")];
  for (const folder of [bin, toolchain]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(bin, "rustup"), "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync("rustup", join(bin, "rust-analyzer"));
  const names = (): string[] => {
    const env = { PATH: bin, RUSTUP_HOME: join(root, "rustup") };
    const servers = createLanguageServers({ root: toolchain, home: join(root, "home"), env });
    open.push(servers);
    return servers.list().map(({ name }) => name);
  };
  expect(names()).toEqual([]);
  writeFileSync(join(toolchain, "rust-analyzer"), "");
  expect(names()).toEqual(["rust-analyzer"]);
});
