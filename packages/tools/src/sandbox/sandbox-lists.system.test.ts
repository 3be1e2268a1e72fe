import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

test("class 1: a link in the workspace opens nothing outside of it, whichever list names the link", async () => {
  const home = makeHome();
  const env = { ...process.env, HOME: home };
  const root = makeFolder("root");
  symlinkSync(home, join(root, "early"));
  for (const list of ["readable", "sockets", "writable"] as const)
    for (const pattern of ["*", "late"]) {
      const world = await makeWorld({ env, root, sandbox: { [list]: [pattern] } });
      world.cwd = root;
      await world.bash(`ln -sfn ${home}/.ssh late`);
      const { text } = await world.bash(`cat ${home}/.ssh/id; touch ${home}/evil; echo ran`);
      expect(text, `${list} ${pattern}`).toContain("ran");
      expect(text, `${list} ${pattern}`).not.toContain("s3cret");
      expect(existsSync(join(home, "evil")), `${list} ${pattern}`).toBe(false);
    }
});

test("class 1: a list of sockets opens sockets only", async () => {
  const home = makeHome();
  const env = { ...process.env, HOME: home };
  const world = await makeWorld({ env, sandbox: { sockets: ["~/.ssh", "~/.ssh/id"] } });
  expect((await world.bash(`cat ${home}/.ssh/id`)).text).not.toContain("s3cret");
});

test("class 1: what is hidden in a folder that is readable again stays hidden, and the workspace stays writable", async () => {
  const home = makeHome();
  const env = { ...process.env, HOME: home };
  put(home, "src/other/key", "s3cret\n");
  put(home, "src/other/readme", "open-text\n");
  put(home, "src/project/.env", "s3cret\n");
  const root = join(home, "src/project");
  const hidden = ["~/", "~/src/other/key", ".env"];
  for (const readable of [["~/src"], ["~/src", "."], ["~/src/other", ".ssh"]]) {
    const world = await makeWorld({ env, root, sandbox: { hidden, readable } });
    world.cwd = root;
    const { text } = await world.bash("cat ../other/* .env ~/.ssh/*; touch made; ls");
    expect(text, readable.join()).toContain("open-text");
    expect(text, readable.join()).not.toContain("s3cret");
    expect(text, readable.join()).toMatch(/^made$/m);
  }
});

test("class 1: the agent's own folder stays hidden wherever it is, because its sockets answer questions", async () => {
  const home = makeFolder("agent");
  put(home, "live/answer", "s3cret\n");
  const world = await makeWorld({ home, sandbox: { readable: [home, `${home}/live`] } });
  expect((await world.bash(`cat ${home}/live/answer; ls ${home}/live`)).text).not.toContain("s3cret");
});

test("class 1: hidden paths stay hidden if every socket below /run is open, and hosts can still be reached", async () => {
  const network = { allowedDomains: ["example.com"] };
  const world = await makeWorld({ sandbox: { sockets: "all", hidden: ["/run/lock"], network } });
  const { text } = await world.bash("ls -A /run; echo; ls -A /run/lock | wc -l");
  expect(text).toContain("runahead-network.sock");
  expect(text).toMatch(/^0$/m);
});
