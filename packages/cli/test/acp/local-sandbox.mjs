/** A sandbox for the AI SDK's harness that is a folder of this machine: it isolates nothing. */

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";

/** Its processes can be reached at `port`. */
export function localSandbox({ port, env }) {
  return {
    specificationVersion: "harness-sandbox-v1",
    providerId: "local",
    async createSession({ onFirstCreate, abortSignal } = {}) {
      const session = sessionIn(mkdtempSync(join(tmpdir(), "harness-")), { port, env });
      await onFirstCreate?.(session, { abortSignal });
      return session;
    },
  };
}

function sessionIn(folder, { port, env }) {
  const running = new Set();
  const start = ({ command, workingDirectory = folder, env: added }) => {
    const child = spawn("bash", ["-c", command], {
      cwd: resolve(folder, workingDirectory),
      env: { ...env, HOME: folder, ...added },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    const ended = new Promise((closed) => child.once("close", (code) => closed({ exitCode: code ?? 1 })));
    void ended.then(() => running.delete(child));
    return { child, ended };
  };
  const stop = async () => running.forEach(end);
  const session = {
    description: "a folder",
    ...filesIn(folder),
    async spawn(options) {
      const { child, ended } = start(options);
      const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => Readable.toWeb(stream));
      return { pid: child.pid, stdout, stderr, wait: () => ended, kill: async () => end(child) };
    },
    async run(options) {
      const { child, ended } = start(options);
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { ...(await ended), stdout, stderr };
    },
    id: randomUUID(),
    defaultWorkingDirectory: folder,
    ports: [port],
    getPortEndpoint: async () => ({ url: `ws://127.0.0.1:${port}` }),
    getPortUrl: async ({ protocol = "http" }) => `${protocol}://127.0.0.1:${port}`,
    stop,
    destroy: stop,
    restricted: () => session,
  };
  return session;
}

function filesIn(folder) {
  const read = (path, encoding) => {
    try {
      return readFileSync(resolve(folder, path), encoding);
    } catch {
      return null;
    }
  };
  const write = (path, content) => {
    const file = resolve(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  return {
    readBinaryFile: async ({ path }) => read(path),
    readTextFile: async ({ path }) => read(path, "utf8"),
    readFile: async ({ path }) => {
      const bytes = read(path);
      return bytes === null ? null : new Blob([bytes]).stream();
    },
    writeBinaryFile: async ({ path, content }) => write(path, content),
    writeTextFile: async ({ path, content }) => write(path, content),
    writeFile: async ({ path, content }) =>
      write(path, Buffer.from(await new Response(content).arrayBuffer())),
  };
}

function end(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
