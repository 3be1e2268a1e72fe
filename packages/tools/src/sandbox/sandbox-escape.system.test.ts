/** Ways around the sandboxes that do not go through what they mount: the program itself, its variables, links, renaming. */

import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type Server, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeAll, expect, test } from "vitest";
import { makeReadingWorld } from "../../test/support/reading-world.ts";
import { makeWorld, nothingLeft, requireBubblewrap } from "../../test/support/sandbox-world.ts";

beforeAll(requireBubblewrap, 120_000);
afterEach(nothingLeft);

const PATH = process.env["PATH"] ?? "";

/** Programs of a package in the workspace, which leave a mark outside when they run. */
function plant(root: string, mark: string): string {
  const bin = join(root, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  for (const name of ["bwrap", "bash", "sh", "env"])
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> ${mark}\nexit 1\n`, { mode: 0o755 });
  return bin;
}

test("class 10: a bwrap or bash from the workspace is never started, even if PATH names it first", async () => {
  const { folder } = await makeWorld();
  const root = join(folder, "repository/packages/one");
  mkdirSync(join(folder, "repository/.git"), { recursive: true });
  mkdirSync(root, { recursive: true });
  const mark = join(folder, "mark");
  const bins = [join(folder, "repository"), root, join(folder, "above")].map((place) => plant(place, mark));
  const env = { ...process.env, PATH: [...bins, "node_modules/.bin", PATH].join(":") };
  for (const world of [
    await makeWorld({ root, env }),
    await makeReadingWorld({ root, env }),
    await makeWorld({ root, env, sandbox: false }),
  ]) {
    world.cwd = root;
    await world.shell.checkReadConfinement();
    expect((await world.bash("echo $BASH_VERSION")).text).toMatch(/^\d/);
  }
  expect(existsSync(mark)).toBe(false);
});

test("class 10: variables that load code reach the command, and never bubblewrap", async () => {
  const missing = "/missing/evil.so";
  const env = { ...process.env, LD_LIBRARY_PATH: "/missing/lib" };
  const world = await makeWorld({ env, addedEnv: { LD_PRELOAD: missing } });
  const { text } = await world.bash(
    "tr '\\0' '\\n' < /proc/1/environ | grep LD_; echo $LD_PRELOAD $LD_LIBRARY_PATH",
  );
  expect(text).toContain(`${missing} /missing/lib`);
  expect(text).not.toContain("LD_PRELOAD=");
  const seen = await world.bash('echo "$PPID"; cat /proc/1/comm');
  expect(seen.text).toContain("bwrap");
});

test("class 10: a writable folder in the workspace that becomes a link opens nothing else", async () => {
  const world = await makeWorld();
  const outside = join(world.folder, "outside");
  mkdirSync(outside);
  mkdirSync(join(world.root, "build"));
  const other = await makeWorld({ root: world.root, sandbox: { writable: ["build", "later"] } });
  other.cwd = world.root;
  await other.bash(`rmdir build; ln -s ${outside} build; ln -s ${outside} later`);
  const { text } = await other.bash(`touch ${outside}/evil; touch build/evil; touch later/evil; echo ran`);
  expect(text).toContain("ran");
  expect(existsSync(join(outside, "evil"))).toBe(false);
});

test("class 6: a hidden file stays hidden in a protected folder, and when the folder around it is renamed", async () => {
  const world = await makeWorld();
  for (const folder of [".claude", "deep/er"]) mkdirSync(join(world.root, folder), { recursive: true });
  for (const file of [".claude/key", "deep/er/key"]) writeFileSync(join(world.root, file), "s3cret\n");
  const hidden = [".claude/key", "deep/er/key"];
  const other = await makeWorld({ root: world.root, sandbox: { hidden } });
  other.cwd = world.root;
  const first = await other.bash("cat .claude/key deep/er/key; mv deep away; mv deep/er deep/away; ls");
  const second = await other.bash("cat .claude/key deep/er/key away/er/key deep/away/key; find . | sort");
  expect(`${first.text}${second.text}`).not.toContain("s3cret");
  expect(readFileSync(join(world.root, "deep/er/key"), "utf8")).toBe("s3cret\n");
});

test("class 10: git outside does not write through a link that a sandboxed command left in .git", async () => {
  const world = await makeWorld();
  const git = (...args: string[]): void => {
    const as = ["-c", "user.name=me", "-c", "user.email=me@localhost"];
    const { status, stderr } = spawnSync("git", [...as, ...args], { cwd: world.root, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
  git("init", "-q", "-b", "main");
  writeFileSync(join(world.root, "a.txt"), "1\n");
  git("add", ".");
  git("commit", "-qm", "first");
  const start = join(world.folder, "bashrc");
  writeFileSync(start, "# mine\n");
  symlinkSync("HEAD", join(world.root, ".git/mine"));
  const planted = ["logs/HEAD", "COMMIT_EDITMSG", "index", "logs/refs/heads/main", "objects/pack"];
  const commands = planted.map((name) => `rm -rf .git/${name}; ln -sfn ${start} .git/${name}`);
  const { text } = await world.bash(`cp .git/index kept; ${commands.join("; ")}`);
  expect(text).toMatch(
    /\(Removed \S.*: in a \.git folder, commands can create only files that git itself writes\.\)/,
  );
  for (const name of planted) expect(existsSync(join(world.root, ".git", name))).toBe(false);
  expect(readlinkSync(join(world.root, ".git/mine"))).toBe("HEAD");
  renameSync(join(world.root, "kept"), join(world.root, ".git/index"));
  writeFileSync(join(world.root, "a.txt"), "2\n");
  git("commit", "-qam", "touch ~/evil");
  expect(readFileSync(start, "utf8")).toBe("# mine\n");
  expect(lstatSync(join(world.root, ".git/logs/HEAD")).isFile()).toBe(true);
});

test("class 10: in the home folder a command cannot create start-up files of shells and git", async () => {
  const { root } = await makeWorld();
  const world = await makeWorld({ root, env: { ...process.env, HOME: root } });
  world.cwd = root;
  const names = [".zshenv", ".bash_login", ".gitconfig", ".config/git/config", ".config/fish/config.fish"];
  const commands = names.map((name) => `mkdir -p $(dirname ${name}); echo evil > ${name}`);
  await world.bash([...commands, "touch fine"].join("; "));
  expect(readdirSync(root).filter((name) => name !== ".config")).toEqual(["fine"]);
  expect(names.filter((name) => existsSync(join(root, name)))).toEqual([]);
});

test("class 10: sockets of programs outside cannot be reached, and those in the workspace can", async () => {
  const world = await makeWorld();
  const folder = mkdtempSync("/var/tmp/sockets-");
  const heard: string[] = [];
  const listen = (path: string): Promise<Server> =>
    new Promise((resolve) => {
      const server = createServer((connection) => {
        heard.push(path);
        connection.end("answer");
      });
      server.listen(path, () => resolve(server));
    });
  const paths = [join(folder, "daemon.sock"), join(world.root, "own.sock")];
  const servers = await Promise.all(paths.map(listen));
  for (const path of paths) utimesSync(path, 0, 0);
  try {
    const connect = (path: string): string =>
      `python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("${path}"); print(s.recv(9))'`;
    const { text } = await world.bash(paths.map(connect).join("; "));
    expect(text).toMatch(/ConnectionRefusedError[^]*b'answer'/);
    expect(heard).toEqual([join(world.root, "own.sock")]);
  } finally {
    // Commands of other tests that are just starting may be about to hide it.
    for (const path of paths) utimesSync(path, new Date(), new Date());
    await pause(1_000);
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true });
  }
});

test("class 10: the environment of the agent and of other processes cannot be read in the sandbox", async () => {
  const env = { ...process.env, ANTHROPIC_API_KEY: "s3cret-env" };
  const outsider = spawn("sleep", ["60"], { env, stdio: "ignore" });
  try {
    const world = await makeWorld({ env });
    const { text } = await world.bash(
      `cat /proc/*/environ /proc/${process.pid}/environ /proc/${outsider.pid}/environ /proc/self/task/*/environ; ps auxeww; echo ran`,
    );
    expect(text).toContain("ran");
    expect(text).not.toContain("s3cret-env");
  } finally {
    outsider.kill("SIGKILL");
  }
});
