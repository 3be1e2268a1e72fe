/**
 * The read-only sandbox, with real bubblewrap, under a judge that takes every command for one that only reads: whatever
 * is missing from the tables of commands, nothing is changed, sent or started outside.
 */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { makeReadingWorld } from "../../test/support/reading-world.ts";
import { nothingLeft, requireBubblewrap } from "../../test/support/sandbox-world.ts";
import type { ShellWorld } from "../../test/support/shell-world.ts";

beforeAll(requireBubblewrap, 120_000);
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  await nothingLeft();
  for (const clean of cleanups.splice(0)) await clean();
});

/** Everything below a folder: names, kinds, modes, texts, times of change. */
function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  const walk = (path: string): void => {
    const found = lstatSync(path);
    hash.update(`${path} ${found.mode} ${found.size} ${found.ctimeMs}\n`);
    if (found.isSymbolicLink()) hash.update(readlinkSync(path));
    else if (found.isFile()) hash.update(readFileSync(path));
    else if (found.isDirectory()) for (const name of readdirSync(path).toSorted()) walk(join(path, name));
  };
  walk(folder);
  return hash.digest("hex");
}

/** Somebody's home, with secrets, outside of `/tmp`. */
function makePerson(): string {
  const person = realpathSync(mkdtempSync("/var/tmp/person-"));
  for (const folder of [".ssh", ".aws", ".config/gh", "notes"])
    mkdirSync(join(person, folder), { recursive: true });
  for (const file of [".ssh/id", ".aws/credentials", ".config/gh/hosts.yml", ".netrc", ".npmrc"])
    writeFileSync(join(person, file), "s3cret-file\n");
  writeFileSync(join(person, ".bashrc"), "# mine\n");
  writeFileSync(join(person, "notes/todo"), "write\n");
  cleanups.push(() => rmSync(person, { recursive: true, force: true }));
  return person;
}

/** A setting of the kernel that belongs to root, and harms nobody. */
const SYSCTL = "/proc/sys/vm/stat_interval";

interface Scene {
  readonly world: ShellWorld;
  readonly person: string;
  readonly denied: string;
  readonly outsider: number;
  readonly heard: string[];
  readonly port: number;
  readonly socket: string;
}

async function makeScene(): Promise<Scene> {
  const person = makePerson();
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`http ${request.url}`);
    response.end("answer");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socketServer = createSocketServer((connection) => {
    heard.push("socket");
    connection.destroy();
  });
  const socket = join(person, "notes/daemon.sock");
  await new Promise<void>((resolve) => socketServer.listen(socket, resolve));
  cleanups.push(
    () => server.close(),
    () => socketServer.close(),
  );
  const outsider = spawn("sleep", ["300"], { stdio: "ignore" });
  cleanups.push(() => outsider.kill("SIGKILL"));
  const hidden: string[] = [];
  const world = await makeReadingWorld(
    {
      env: {
        ...process.env,
        HOME: person,
        ANTHROPIC_API_KEY: "s3cret-env",
        PGPASSWORD: "s3cret-env",
        DATABASE_URL: "postgres://u:s3cret-env@h/d",
        MY_UNGUESSABLE_NAME: "s3cret-env",
        GIT_SSH_COMMAND: "touch made",
      },
    },
    { hidden: () => hidden },
  );
  const { root } = world;
  for (const folder of [".git/hooks", "src/deep", ".claude"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ["a.txt", "src/b.txt", ".claude/settings.json", ".git/config"])
    writeFileSync(join(root, file), "text\n");
  const denied = join(root, "denied.env");
  writeFileSync(denied, "s3cret-denied\n");
  symlinkSync("denied.env", join(root, "link-to-denied"));
  mkdirSync(join(root, "vault"));
  writeFileSync(join(root, "vault/key"), "s3cret-denied\n");
  hidden.push(denied, join(root, "vault"), join(root, "not-there"));
  return {
    world,
    person,
    denied,
    outsider: outsider.pid ?? 0,
    heard,
    port: (server.address() as AddressInfo).port,
    socket,
  };
}

/** Ways to write to a path, each in one command. */
const WRITERS: readonly ((path: string) => string)[] = [
  (path) => `echo x > ${path}`,
  (path) => `echo x >> ${path}`,
  (path) => `: <> ${path} && echo x 1<> ${path}`,
  (path) => `touch ${path}`,
  (path) => `cp /etc/hostname ${path}`,
  (path) => `ln -sf /etc/hostname ${path}`,
  (path) => `mkdir -p ${path}.d`,
  (path) => `rm -rf ${path}`,
  (path) => `mv ${path} ${path}.moved`,
  (path) => `truncate -s 0 ${path}`,
  (path) => `chmod 777 ${path} $(dirname ${path})`,
  (path) => `dd if=/dev/zero of=${path} count=1`,
  (path) => `printf x | tee ${path}`,
  (path) => `sed -i s/e/x/ ${path}`,
  (path) => `python3 -c 'open("${path}","w").write("x")'`,
  (path) => `node -e 'require("fs").writeFileSync("${path}","x")'`,
  (path) => `mknod ${path}.p p`,
  (path) => `ln a.txt ${path}.hard`,
  (path) => `touch -d yesterday ${path}`,
  (path) => `exec 9>${path}; echo x >&9`,
];

function writes({ world, person }: Scene): string[] {
  const targets = [
    "a.txt",
    "new.txt",
    "src/deep/new",
    ".git/hooks/pre-commit",
    ".git/config",
    ".claude/settings.json",
    `${person}/.bashrc`,
    `${person}/.ssh/authorized_keys`,
    `${world.folder}/beside`,
    "/var/tmp/runahead-made",
    "/tmp/runahead-made",
    "/etc/runahead-made",
    `${world.home}/planted`,
  ];
  return targets.flatMap((target) => WRITERS.map((write) => write(target)));
}

function others({ world, outsider, port, socket, person }: Scene): string[] {
  const python = (code: string): string => `python3 -c '${code.replaceAll("'", '"')}'`;
  return [
    `exec 5<>/dev/tcp/127.0.0.1/${port}; printf 'GET /tcp HTTP/1.0\\r\\n\\r\\n' >&5; cat <&5`,
    `curl -s --max-time 2 http://127.0.0.1:${port}/curl`,
    `curl -s --max-time 2 --unix-socket ${socket} http://x/`,
    python(`import socket; s=socket.socket(socket.AF_UNIX); s.connect('${socket}'); s.send(b'x')`),
    python(
      `import socket; s=socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0]; s.sendto(b'x','${socket}')`,
    ),
    python("import socket; s=socket.socket(40,socket.SOCK_STREAM); s.connect((2,1))"),
    `git -c core.sshCommand='touch made' ls-remote ssh://127.0.0.1/x`,
    `kill -9 ${outsider}`,
    `kill -9 -1`,
    `kill -STOP ${outsider}`,
    `pkill sleep`,
    `setsid sleep 301 >/dev/null 2>&1 &`,
    `(setsid bash -c 'env -i sleep 302' & disown) >/dev/null 2>&1`,
    `nohup sh -c 'sleep 303; touch made' >/dev/null 2>&1 &`,
    python("import os,time; os.fork() or (os.setsid(), os.fork() or time.sleep(304))"),
    "env; export -p; cat /proc/self/environ /proc/1/environ; ps auxeww",
    "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'",
    `cat ${person}/.ssh/id ${person}/.aws/credentials ${person}/.netrc ${person}/.npmrc ${person}/.config/gh/hosts.yml`,
    `grep -r s3cret ${person} . 2>/dev/null`,
    "cat denied.env link-to-denied vault/key ./src/../denied.env",
    `cat /proc/1/root${world.root}/denied.env /proc/self/root${world.root}/vault/key /proc/self/cwd/denied.env`,
    "git grep --no-index s3cret; rg -uuu s3cret; find . -name '*.env' -exec cat {} +",
    python("import ctypes; l=ctypes.CDLL(None); print(l.ptrace(16,1,0,0))"),
    python("import os; f=os.open('/proc/1/mem',os.O_RDWR); print(os.pread(f,10,0))"),
    "umount -l denied.env; umount -a; cat denied.env",
    "mount -o remount,rw / ; touch made",
    "mount --bind / /mnt; mount -t tmpfs x /mnt; mount -t proc p /proc",
    "unshare -Urm sh -c 'mount -o remount,rw,bind / /; umount denied.env; cat denied.env; touch made'",
    "unshare -m sh -c 'mount -o remount,rw /; touch made'",
    "bwrap --bind / / --dev /dev sh -c 'touch made; cat denied.env'",
    "bwrap --unshare-user --bind / / sh -c 'umount -l denied.env; cat denied.env'",
    "chroot / sh -c 'touch made'",
    `nsenter -t ${process.pid} -a touch made; nsenter -t 1 -m touch made`,
    "mknod $TMPDIR/disk b 254 0 && cat $TMPDIR/disk | head -c 9; mknod $TMPDIR/mem c 1 1 && cat $TMPDIR/mem",
    "for fd in /proc/self/fd/*; do echo x > $fd; done",
    "for fd in /proc/1/fd/*; do echo x > $fd; done",
    "for fd in 3 4 5 6 7 8 9 10 11 12 251 252 253 254 255; do echo x >&$fd; ls -l /proc/self/fd/$fd; done 2>/dev/null",
    "echo x > /dev/shm/runahead-made; ls /dev/shm; echo x > /dev/mqueue/x; echo x > /dev/tty",
    `echo 77 > ${SYSCTL}; sysctl -w vm.stat_interval=78; echo x > /sys/power/state`,
    `unshare -U sh -c 'echo 79 > ${SYSCTL}'; python3 -c 'open("${SYSCTL}","w").write("80")'`,
    "keyctl show; keyctl add user a b @u",
    python("import ctypes; l=ctypes.CDLL(None); print(l.syscall(250,0,-4,1), l.syscall(425,8,0))"),
    "sudo -n true; su -c true; pkexec true; newgrp root",
    `python3 -c 'import os; os.setuid(0); open("made","w")'`,
    "crontab -l; echo '* * * * * touch made' | crontab -; at now <<< 'touch made'",
    "systemctl --user status; systemd-run --user touch made; dbus-send --session / a.b",
    "docker ps; docker run x; tmux new -d touch made; screen -dm touch made",
    "git init x; git commit -am x; git config user.name x; git gc; git stash; git fetch",
    "trap 'touch made' EXIT; exit 1",
    "touch made &",
    "ulimit -c unlimited; kill -SEGV $$",
  ];
}

test("class 10: with a judge that takes everything for a read, nothing is changed, sent, started or shown", async () => {
  const scene = await makeScene();
  const { world, person, heard, outsider } = scene;
  const kernel = readFileSync(SYSCTL, "utf8");
  cleanups.push(() => readFileSync(SYSCTL, "utf8") === kernel || writeFileSync(SYSCTL, kernel));
  const before = [fingerprint(world.root), fingerprint(person)];
  const commands = [...writes(scene), ...others(scene)];
  expect(commands.length).toBeGreaterThan(300);
  const texts: string[] = [];
  for (let at = 0; at < commands.length; at += 16) {
    const batch = commands.slice(at, at + 16);
    const answers = await world.turn(batch.map((command) => ["Bash", { command, timeout: 20_000 }] as const));
    for (const [index, { text }] of answers.entries()) texts.push(`${batch[index]}\n${text}`);
  }
  expect(texts.filter((text) => /s3cret-(?:env|file|denied)/.test(text))).toEqual([]);
  expect([fingerprint(world.root), fingerprint(person)]).toEqual(before);
  expect(heard).toEqual([]);
  expect(readFileSync(SYSCTL, "utf8")).toBe(kernel);
  for (const path of ["/var/tmp", "/tmp", "/etc", "/dev/shm"])
    expect(existsSync(join(path, "runahead-made"))).toBe(false);
  expect(existsSync(join(world.folder, "beside"))).toBe(false);
  expect(existsSync(join(world.home, "planted"))).toBe(false);
  // It still runs, and is not stopped.
  expect(readFileSync(`/proc/${outsider}/stat`, "utf8")).toMatch(/\) S /);
  expect(world.living()).toEqual([]);
  expect(world.cwd).toBe(world.root);
}, 300_000);

test("a confined command reads the workspace, moves the working directory, and has its exit code", async () => {
  const { world } = await makeScene();
  expect((await world.bash("cat a.txt && sort <<< 'b\na' && ls .claude")).text).toBe(
    "text\na\nb\nsettings.json",
  );
  expect((await world.bash("cd src/deep")).text).toContain("(The working directory is now ");
  expect(world.cwd).toBe(join(world.root, "src/deep"));
  expect((await world.bash("pwd; exit 7")).text).toBe(`Exit code 7\n${world.cwd}`);
  const written = await world.bash("echo x > made");
  expect(written.text).toMatch(
    /Read-only file system\n\(Probably the sandbox: .* it only reads, so it ran in a read-only sandbox/,
  );
});

test("a confined command that is put in the background is confined too", async () => {
  const { world } = await makeScene();
  await world.bash("touch made; echo tried", { run_in_background: true });
  await expect
    .poll(async () => (await world.call("BashOutput", { bash_id: "bash_1" })).text)
    .toContain("Read-only file system");
  expect(existsSync(join(world.root, "made"))).toBe(false);
});

test("what runs in a confined command without a cd cannot move the working directory", async () => {
  const { world } = await makeScene();
  await world.bash("printf '/etc\\n\\0' > /proc/$PPID/fd/10; printf '/etc\\n\\0' >&10; builtin pwd");
  expect(world.cwd).toBe(world.root);
});

test("a confined command is not run where the files to hide cannot be listed", async () => {
  const world = await makeReadingWorld(
    {},
    {
      hidden: () => {
        throw new Error("too many files");
      },
    },
  );
  expect((await world.bash("echo ran")).text).toBe(
    "Error: Not run: the files that the rules hide from this command could not be listed (too many files).",
  );
});

test("a confined command is not run where bubblewrap is missing or no longer starts, and nothing counts on it then", async () => {
  const missing = await makeReadingWorld({ sandbox: { program: "/missing/bwrap" } });
  expect((await missing.shell.checkReadConfinement()).type).toBe("unavailable");
  expect((await missing.bash("touch made; echo ran")).text).toMatch(
    /^Error: Not run: .* there is no \/missing\/bwrap/,
  );
  const { folder } = missing;
  const [program, flag] = [join(folder, "bwrap"), join(folder, "broken")];
  writeFileSync(program, `#!/bin/sh\n[ -e ${flag} ] && { echo 'bwrap: no' >&2; exit 1; }\nexec bwrap "$@"\n`);
  chmodSync(program, 0o755);
  const later = await makeReadingWorld({ sandbox: { program } });
  expect(later.shell.readConfinement()).toEqual({ type: "unknown" });
  expect(await later.shell.checkReadConfinement()).toEqual({ type: "ready" });
  expect((await later.bash("echo fine")).text).toBe("fine");
  writeFileSync(flag, "");
  expect((await later.bash("touch made; echo ran")).text).toBe(
    "Error: Not run: the sandbox could not be started. bwrap: no",
  );
  expect((await later.shell.checkReadConfinement()).type).toBe("unavailable");
  expect(readdirSync(later.root)).toEqual([]);
});

test("a folder of secrets with the workspace in it hides everything but the workspace", async () => {
  const person = makePerson();
  const project = join(person, ".claude/worktrees/project");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(person, ".claude/history"), "s3cret-file\n");
  writeFileSync(join(project, "a.txt"), "text\n");
  const world = await makeReadingWorld({ root: project, env: { ...process.env, HOME: person } });
  world.cwd = project;
  const { text } = await world.bash(`cat a.txt; cat ${person}/.claude/history; touch ${person}/.claude/x`);
  expect(text).toContain("text\n");
  expect(text).not.toContain("s3cret");
  expect(text).toContain("Read-only file system");
});
