/** Logins of MCP servers in a real keyring: GNOME Keyring on a D-Bus of its own. `npm run test:long` installs both. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { oauthServer } from "../../../mcp/test/support/oauth-server.ts";
import { main } from "../../src/main.ts";

let root: string;
let started: ChildProcess[];
let env: Record<string, string>;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keyring-")));
  for (const folder of ["home", "runtime", "project/.git"])
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 });
  started = [];
  const bus = start("dbus-daemon", ["--session", "--nofork", "--print-address"], {});
  const [address] = (await once(bus.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(root, "home"),
    XDG_RUNTIME_DIR: join(root, "runtime"),
    DBUS_SESSION_BUS_ADDRESS: address.toString().trim(),
    RUNAHEAD_NO_BROWSER: "1",
  };
});
afterEach(async () => {
  for (const child of started) {
    const exited = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGKILL")) await exited;
  }
  rmSync(root, { recursive: true, force: true });
});

function start(program: string, args: readonly string[], more: Record<string, string>): ChildProcess {
  const options = { env: { PATH: process.env["PATH"] ?? "", HOME: join(root, "home"), ...more } };
  const child = spawn(program, args, { ...options, stdio: ["pipe", "pipe", "ignore"] });
  started.push(child);
  return child;
}

/** Starts the keyring, unlocked if there is a password. */
async function startKeyring(password?: string): Promise<void> {
  const how = password === undefined ? [] : ["--unlock"];
  const daemon = start("gnome-keyring-daemon", ["--foreground", "--components=secrets", ...how], env);
  daemon.stdin?.end(password);
  await expect.poll(() => hasOwner("org.freedesktop.secrets"), { timeout: 20_000 }).toContain("boolean true");
}

function hasOwner(name: string): string {
  const bus = ["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"];
  const asked = [...bus, "org.freedesktop.DBus.NameHasOwner", `string:${name}`];
  return spawnSync("dbus-send", asked, { env, encoding: "utf8" }).stdout;
}

async function run(args: readonly string[]) {
  const [out, errors]: [string[], string[]] = [[], []];
  const code = await main(args, {
    cwd: join(root, "project"),
    home: join(root, "home"),
    env,
    print: (text) => {
      out.push(text);
      const [, url] = /(http:\/\/\S+\/authorize\S*)/.exec(text) ?? [];
      if (url !== undefined) void fetch(url);
    },
    complain: (text) => errors.push(text),
  });
  return { code, out: out.join("\n"), error: errors.join("\n") };
}

const inKeyring = (): string =>
  spawnSync("secret-tool", ["search", "--all", "service", "runahead"], { env, encoding: "utf8" }).stdout;
const inFile = (): string => readFileSync(join(root, "home/.runahead/mcp-credentials.json"), "utf8");

test("login stores the tokens in the keyring, logout removes them", async () => {
  await startKeyring("a password");
  const server = await oauthServer();
  try {
    await run(["mcp", "add", "safe", server.url]);
    expect(await run(["mcp", "login", "safe"])).toEqual({
      code: 0,
      out: expect.stringMatching(
        /Logged in at safe\. The login is saved in the system keychain\.$/,
      ) as string,
      error: "",
    });
    expect(inFile()).not.toContain("access_token");
    expect(inKeyring().match(/^secret = .*"access_token"/gm)).toHaveLength(1);
    expect((await run(["mcp", "get", "safe"])).out).toContain("login: saved in the system keychain");
    expect(await run(["mcp", "logout", "safe"])).toMatchObject({ code: 0, error: "" });
    expect(inKeyring()).toBe("");
    expect(JSON.parse(inFile())).toEqual({ servers: {} });
  } finally {
    await server.close();
  }
});

test("a keyring that is locked, with nobody to unlock it, does not prevent the login", async () => {
  await startKeyring();
  const server = await oauthServer();
  try {
    await run(["mcp", "add", "safe", server.url]);
    const { code, out, error } = await run(["mcp", "login", "safe"]);
    expect([code, out]).toEqual([0, expect.stringContaining("(mode 0600)") as string]);
    expect(error).toContain("the system keychain failed: ");
    expect(inFile()).toContain("access_token");
  } finally {
    await server.close();
  }
});
