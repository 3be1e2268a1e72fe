import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { makeWorld, nothingLeft, requireBubblewrap } from "../../test/support/sandbox-world.ts";

beforeAll(requireBubblewrap, 120_000);
const folders: string[] = [];
afterEach(async () => {
  await nothingLeft();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Outside of `/tmp`, which the sandbox replaces. */
function makeFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join("/var/tmp", `sandbox-${name}-`)));
  folders.push(folder);
  return folder;
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function makeHome(): string {
  const home = makeFolder("home");
  put(home, ".ssh/config", "host-config\n");
  put(home, ".ssh/id.pub", "public-key\n");
  put(home, ".ssh/id", "s3cret-key\n");
  return home;
}

test("class 1: a pattern in the list of hidden paths hides every file that matches when the command starts", async () => {
  const world = await makeWorld({ sandbox: { hidden: ["**/.env", "**/.env.*", "keys/*.pem"] } });
  for (const path of [".env", "a/b/.env.local", "keys/x.pem"]) put(world.root, path, "s3cret\n");
  put(world.root, "keys/readme", "open\n");
  const { text } = await world.bash("cat .env a/b/.env.local keys/x.pem keys/readme");
  expect(text).toContain("open");
  expect(text).not.toContain("s3cret");
  put(world.root, "later/.env", "s3cret\n");
  expect((await world.bash("cat later/.env")).text).not.toContain("s3cret");
});

test("class 1: a readable path shows a file of a hidden folder, and nothing else of it", async () => {
  const home = makeHome();
  const env = { ...process.env, HOME: home };
  const readable = ["~/.ssh/config", "~/.ssh/*.pub", "~/.ssh/missing"];
  const world = await makeWorld({ env, sandbox: { hidden: ["~/.ssh"], readable } });
  const { text } = await world.bash(`cat ${home}/.ssh/*; ls ${home}/.ssh; echo x >> ${home}/.ssh/config`);
  expect(text).toContain("host-config");
  expect(text).toContain("public-key");
  expect(text).not.toContain("s3cret");
  expect(text).toContain("Read-only file system");
  const whole = await makeWorld({ env, sandbox: { readable: ["~/.ssh"] } });
  expect((await whole.bash(`cat ${home}/.ssh/id`)).text).toBe("s3cret-key");
});

test("class 1: a command that is excluded runs outside of the sandbox, and the others inside", async () => {
  const runsOutside = (command: string): boolean => command.startsWith("touch");
  const world = await makeWorld({ runsOutside });
  const outside = makeFolder("outside");
  expect((await world.bash(`touch ${outside}/made`)).isError).toBe(false);
  expect(existsSync(join(outside, "made"))).toBe(true);
  const inside = await world.bash(`cp /etc/hostname ${outside}/copied`);
  expect(inside.text).toContain("Read-only file system");
});

test("class 1: a socket of another program can be reached only if it is listed", async () => {
  const folder = makeFolder("socket");
  const path = join(folder, "s.sock");
  const server = createServer((socket) => socket.end("hello-from-outside\n"));
  await new Promise<void>((listening) => server.listen(path, listening));
  try {
    const script = `const s=require("node:net").connect("${path}");s.on("data",(d)=>process.stdout.write(d));s.on("error",(e)=>console.log(e.code))`;
    const command = `${process.execPath} -e '${script}'`;
    const closed = await makeWorld({ sandbox: { hidden: [folder] } });
    expect((await closed.bash(command)).text).not.toContain("hello");
    const open = await makeWorld({ sandbox: { hidden: [folder], sockets: [path] } });
    expect((await open.bash(command)).text).toContain("hello-from-outside");
  } finally {
    server.close();
  }
});

test("class 1: a nested sandbox works with the processes of the container in view", async () => {
  const sleeper = spawn("sleep", ["60"], { stdio: "ignore" });
  try {
    const world = await makeWorld({ sandbox: { nested: true } });
    expect(await world.shell.checkSandbox()).toBeUndefined();
    const { text } = await world.bash(`test -d /proc/${sleeper.pid} && echo seen; touch /usr/x`);
    expect(text).toContain("seen");
    expect(text).toContain("Read-only file system");
  } finally {
    sleeper.kill();
  }
});

test("class 1: whether the sandbox can start is known before a command runs", async () => {
  const world = await makeWorld({ sandbox: { program: join(tmpdir(), "no-bwrap") } });
  expect(await world.shell.checkSandbox()).toContain("no-bwrap is not installed");
});
