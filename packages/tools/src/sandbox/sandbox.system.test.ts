import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { makeWorld, nothingLeft, requireBubblewrap } from "../../test/support/sandbox-world.ts";
import { ShellWorld, isThere } from "../../test/support/shell-world.ts";
import { until } from "../../../agent/test/support/until.ts";

beforeAll(requireBubblewrap, 120_000);
afterEach(nothingLeft);

test("in a sandbox the workspace and a temporary folder can be written, and nothing else", async () => {
  const world = await makeWorld();
  expect(world.shell.isSandboxed).toBe(true);
  expect((await world.bash("echo in > file && cat file && echo t > /tmp/t && cat /tmp/t")).text).toBe(
    "in\nt",
  );
  expect(readFileSync(join(world.root, "file"), "utf8")).toBe("in\n");
  expect(existsSync("/tmp/t")).toBe(false);
  expect((await world.bash("cat /tmp/t")).text).toBe("t");
  const outside = await world.bash("touch /usr/made");
  expect(outside.isError).toBe(true);
  expect(outside.text).toMatch(
    /^Exit code 1\ntouch: .*Read-only file system\n\(The sandbox is the likely cause: it does not allow writing there\. Commands run in a sandbox\. They can write only to /,
  );
  expect(outside.text).toMatch(/ask the user to run this command without the sandbox\.\)$/);
});

test("in a sandbox, kernel settings cannot be changed, not even by root", async () => {
  const world = await makeWorld();
  const path = "/proc/sys/vm/stat_interval";
  const before = readFileSync(path, "utf8");
  const { isError } = await world.bash(`echo 77 > ${path}`);
  const after = readFileSync(path, "utf8");
  if (after !== before) writeFileSync(path, before);
  expect([isError, after]).toEqual([true, before]);
});

test("in a sandbox the working directory is kept, and the outputs can be opened by name", async () => {
  const world = await makeWorld();
  await world.bash("mkdir -p a/b && cd a/b");
  expect(world.cwd).toBe(join(world.root, "a/b"));
  expect((await world.bash("pwd; echo e > /dev/stderr")).text).toBe(`${join(world.root, "a/b")}\ne`);
});

test("in a sandbox protected places stay as they are, and cannot be moved away", async () => {
  const world = await makeWorld();
  for (const folder of [".git/hooks", ".git/objects", ".vscode", "src"])
    mkdirSync(join(world.root, folder), { recursive: true });
  writeFileSync(join(world.root, ".git/config"), "[core]\n");
  const tries = await world.bash(
    "echo x > .git/hooks/pre-commit; echo x >> .git/config; touch .vscode/tasks.json; mv .git g; rm -rf .vscode; touch .git/objects/fine src/fine",
  );
  expect(tries.text.match(/Read-only file system|busy/g)?.length).toBeGreaterThan(4);
  expect(readFileSync(join(world.root, ".git/config"), "utf8")).toBe("[core]\n");
  expect(readdirSync(join(world.root, ".git")).toSorted()).toEqual(["config", "hooks", "objects"]);
  expect(
    [".git/hooks", ".git/objects", ".vscode", "src"].map((name) => readdirSync(join(world.root, name))),
  ).toEqual([[], ["fine"], [], ["fine"]]);
});

test("in a sandbox secrets are hidden: files, variables, and the agent's own folder", async () => {
  const world = await ShellWorld.make();
  const person = join("/var/tmp", `person-${process.pid}`);
  for (const folder of [".ssh", ".config/gh", ".aws"]) mkdirSync(join(person, folder), { recursive: true });
  for (const file of [".ssh/id", ".config/gh/hosts.yml", ".aws/credentials", ".netrc", ".bashrc", "extra"])
    writeFileSync(join(person, file), "secret");
  symlinkSync(join(person, ".ssh/id"), join(person, "link"));
  const env = {
    PATH: process.env["PATH"],
    HOME: person,
    ANTHROPIC_API_KEY: "secret",
    GITHUB_TOKEN: "secret",
    NODE_ENV: "x",
  };
  const inside = await makeWorld({ env, sandbox: { hidden: ["~/extra"] }, home: join(person, ".runahead") });
  const { text } = await inside.bash(
    "cd ~; cat .ssh/* .config/gh/* .aws/* .netrc extra link; ls -A .runahead; cat .bashrc; env | grep -E 'KEY|TOKEN|NODE_ENV'",
  );
  expect(text.match(/secret/g)?.length).toBe(1);
  expect(text).toContain("NODE_ENV=x");
  await inside.shell.close();
  spawnSync("rm", ["-rf", person]);
  await world.close();
});

test("in a sandbox there is no network, unless it is asked for", async () => {
  const server = createServer((_request, response) => void response.end("answer"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fetching = `exec 5<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&5 && cat <&5`;
  const without = await makeWorld();
  expect((await without.bash(fetching)).isError).toBe(true);
  const { text } = await without.bash("exec 5<>/dev/tcp/192.0.2.1/80");
  expect(text).toMatch(/Network is unreachable\n[^]*\(The sandbox is the likely cause: it has no network\./);
  const allowed = await makeWorld({ sandbox: { network: true } });
  expect((await allowed.bash(fetching)).text).toMatch(/answer$/);
  await new Promise((resolve) => server.close(resolve));
});

test("in a sandbox no process outside can be seen, and all end with the shell", async () => {
  const world = await makeWorld();
  expect((await world.bash(`kill -0 ${process.pid}; pkill node; ls /proc | grep -c '^[0-9]'`)).text).toMatch(
    /No such process\n\d$/,
  );
  expect((await world.bash("sleep 60 & setsid sleep 61 & echo done")).text).toBe("done");
  expect(world.living()).toEqual([]);
});

test("F05, F04, V6: in a sandbox, traps run and no process is left", async () => {
  const world = await makeWorld();
  const stop = new AbortController();
  const command =
    "trap 'echo cleaning; touch clean; exit 1' TERM; setsid sleep 60 & touch ready; sleep 61 & wait";
  const call = world.call("Bash", { command }, { signal: stop.signal });
  await until(isThere(join(world.root, "ready")), "the command is ready");
  stop.abort();
  expect((await call).text).toMatch(/^Stopped after [^]*Its output so far:\ncleaning\n/);
  expect(existsSync(join(world.root, "clean"))).toBe(true);
  expect(world.living()).toEqual([]);
});

test("in a sandbox a background job can be read and ended", async () => {
  const world = await makeWorld();
  await world.bash("echo started; touch ready; sleep 60", { run_in_background: true });
  await until(isThere(join(world.root, "ready")), "it runs");
  // What a command prints arrives later than what it does to files.
  const output = async (): Promise<string> => (await world.call("BashOutput", { bash_id: "bash_1" })).text;
  await until(async () => (await output()).endsWith("\nstarted"), "its output");
  await world.call("KillShell", { shell_id: "bash_1" });
  expect(world.living()).toEqual([]);
});

test.each(["/missing/bwrap", "/dev/null/bwrap"])(
  "F17: a sandbox that is not installed, as %s, refuses the command, and says what to run",
  async (program) => {
    const world = await makeWorld({ sandbox: { program } });
    expect(await world.bash("touch made")).toEqual({
      text:
        `Error: Not run: commands must run in a sandbox here, and it is not available. The sandbox cannot start: ${program} is not installed. ` +
        "Install bubblewrap, for example: apt-get install -y bubblewrap",
      isError: true,
      progress: [],
    });
    expect(readdirSync(world.root)).toEqual([]);
  },
);

test("F17: a sandbox that the system does not permit refuses the command", async () => {
  const world = await makeWorld();
  const program = join(world.folder, "bwrap");
  writeFileSync(program, "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n");
  chmodSync(program, 0o755);
  const refused = await makeWorld({ sandbox: { program } });
  const { text } = await refused.bash("touch made");
  expect(text).toMatch(
    /^Error: Not run: .*bwrap: No permissions to create new namespace\. If the system forbids user namespaces/,
  );
  expect(readdirSync(refused.root)).toEqual([]);
});

test("F17: a sandbox that stops working later refuses the command too", async () => {
  const world = await makeWorld();
  const program = join(world.folder, "bwrap");
  const flag = join(world.folder, "broken");
  writeFileSync(program, `#!/bin/sh\n[ -e ${flag} ] && { echo 'bwrap: no' >&2; exit 1; }\nexec bwrap "$@"\n`);
  chmodSync(program, 0o755);
  const later = await makeWorld({ sandbox: { program } });
  expect((await later.bash("echo fine")).text).toBe("fine");
  writeFileSync(flag, "");
  expect((await later.bash("touch made")).text).toBe(
    "Error: Not run: the sandbox could not be started. bwrap: no",
  );
  expect(readdirSync(later.root)).toEqual([]);
});
