import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KeychainItems } from "./keychain/items.ts";
import { systemKeychain } from "./keychain/keychain.ts";
import { macKeychain } from "./keychain/mac.ts";
import { secretService } from "./keychain/secret-service.ts";
import { mcpCredentials } from "./mcp-credentials.ts";

const URL_A = "https://example.org/mcp";
const LOGIN = { client: { client_id: "c" }, tokens: { access_token: "the-secret", refresh_token: "r" } };

let root: string;
let notices: string[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keychain-")));
  for (const folder of ["bin", "items", "home", "project/.git"])
    mkdirSync(join(root, folder), { recursive: true });
  notices = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A program that is called as the real one is; the long test uses the real one. */
function program(name: string, lines: readonly string[]): string {
  const path = join(root, "bin", name);
  writeFileSync(path, ["#!/bin/sh", `echo "$@" >> ${root}/args`, `cd ${root}/items`, ...lines].join("\n"));
  chmodSync(path, 0o755);
  return path;
}

const WORKING = [
  'for last; do :; done; case "$1" in',
  'store) cat > "$last" ;;',
  'lookup) [ -e "$last" ] && cat "$last" ;;',
  'clear) rm -f "$last" ;;',
  "esac",
];

const env = (): Record<string, string> => ({
  PATH: `${root}/bin:/usr/bin:/bin`,
  DBUS_SESSION_BUS_ADDRESS: "unix:path=/none",
});
const logins = (more: Record<string, string> = {}) =>
  mcpCredentials({
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: { ...env(), ...more },
    onNotice: (text) => notices.push(text),
  });
const file = (): string => join(root, "home/.runahead/mcp-credentials.json");
const entry = (): Record<string, unknown> | undefined =>
  (JSON.parse(readFileSync(file(), "utf8")) as { servers: Record<string, Record<string, unknown>> }).servers[
    URL_A
  ];
const args = (): string[] => readFileSync(join(root, "args"), "utf8").trim().split("\n");

const linux = test.runIf(process.platform === "linux");

linux(
  "a login is stored in the keychain, the file only names it, and the secret is in no argument",
  async () => {
    program("secret-tool", WORKING);
    await logins().save(URL_A, LOGIN);
    expect(readFileSync(file(), "utf8")).not.toContain("the-secret");
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(await logins().load(URL_A)).toEqual(LOGIN);
    expect(await logins().place(URL_A)).toBe("the system keychain");
    expect(args().join("\n")).not.toContain("the-secret");
    expect(args()[0]).toMatch(
      /^store --label=Runahead: MCP login at example\.org service runahead id [\da-f-]{36}$/,
    );
    expect(notices).toEqual([]);
  },
);

linux("a server without a login does not open the keychain, and one with a login opens it once", async () => {
  program("secret-tool", WORKING);
  const one = logins();
  expect(await one.load(URL_A)).toBeUndefined();
  await logins().save(URL_A, LOGIN);
  await Promise.all([one.load(URL_A), one.load(URL_A)]);
  await one.load(URL_A);
  expect(args().map((line) => line.split(" ")[0])).toEqual(["store", "lookup"]);
});

linux("a new login replaces the item, and logout removes the item and the entry", async () => {
  program("secret-tool", WORKING);
  const reader = logins();
  await logins().save(URL_A, LOGIN);
  await reader.load(URL_A);
  const next = { ...LOGIN, tokens: { access_token: "next" } };
  await logins().save(URL_A, next);
  expect(await reader.load(URL_A)).toEqual(next);
  await logins().save(URL_A, undefined);
  expect(entry()).toBeUndefined();
  expect(args().map((line) => line.split(" ")[0])).toEqual([
    "store",
    "lookup",
    "store",
    "clear",
    "lookup",
    "clear",
  ]);
  expect(await reader.load(URL_A)).toBeUndefined();
});

linux(
  "if the keychain refuses, the login is in the file, with a notice; later it moves to the keychain",
  async () => {
    program("secret-tool", ['echo "Cannot create an item in a locked collection" >&2', "exit 1"]);
    await logins().save(URL_A, LOGIN);
    expect(entry()).toEqual(LOGIN);
    expect(notices).toEqual([
      `MCP: the system keychain failed: Cannot create an item in a locked collection. The login is saved in ${file()} (mode 0600)`,
    ]);
    expect(await logins().load(URL_A)).toEqual(LOGIN);
    program("secret-tool", WORKING);
    await logins().save(URL_A, LOGIN);
    expect(Object.keys(entry() ?? {})).toEqual(["keychainItem"]);
  },
);

linux(
  "an item that cannot be read counts as no login, with a notice, and is read again when it is back",
  async () => {
    program("secret-tool", WORKING);
    await logins().save(URL_A, LOGIN);
    const { keychainItem } = entry() as { keychainItem: string };
    const text = readFileSync(join(root, "items", keychainItem), "utf8");
    rmSync(join(root, "items", keychainItem));
    const one = logins();
    expect(await one.load(URL_A)).toBeUndefined();
    expect(notices).toEqual([
      `MCP: cannot read the login of ${URL_A} from the system keychain: it is locked, or the item was removed`,
    ]);
    writeFileSync(join(root, "items", keychainItem), text);
    expect(await one.load(URL_A)).toEqual(LOGIN);
    writeFileSync(join(root, "items", keychainItem), "{");
    expect(await logins().load(URL_A)).toBeUndefined();
    expect(await logins({ RUNAHEAD_KEYCHAIN: "0" }).load(URL_A)).toBeUndefined();
    expect(notices.at(-1)).toContain("RUNAHEAD_KEYCHAIN turns it off");
  },
);

linux("without a keychain the file is used without a notice, and its place says why", async () => {
  const cases = [
    [{ RUNAHEAD_KEYCHAIN: "0" }, "RUNAHEAD_KEYCHAIN turns it off"],
    [{ DBUS_SESSION_BUS_ADDRESS: "" }, "there is no D-Bus session"],
    [{ PATH: join(root, "bin") }, "secret-tool is not installed (Debian package libsecret-tools)"],
  ] as const;
  for (const [more, why] of cases) {
    await logins(more).save(URL_A, LOGIN);
    expect(entry()).toEqual(LOGIN);
    expect(await logins(more).place(URL_A)).toBe(
      `${file()} (mode 0600; the system keychain is not used: ${why})`,
    );
  }
  expect(notices).toEqual([]);
});

linux("a secret-tool of the workspace is never run", () => {
  mkdirSync(join(root, "project/bin"));
  writeFileSync(join(root, "project/bin/secret-tool"), "#!/bin/sh\n");
  chmodSync(join(root, "project/bin/secret-tool"), 0o755);
  const where = { cwd: join(root, "project"), env: { ...env(), PATH: join(root, "project/bin") } };
  expect(systemKeychain(where, "linux").type).toBe("missing");
});

test("a keychain that does not answer is killed and not asked again", async () => {
  const path = program("secret-tool", ["exec sleep 600"]);
  const keychain = secretService({ program: path, env: env(), limitMs: 300 });
  const items = new KeychainItems({ type: "found", keychain });
  const why = "it did not answer within 0.3 s";
  expect(await items.save({ a: 1 }, "label")).toEqual({ type: "failed", why });
  expect(await items.load("00000000-0000-4000-8000-000000000000")).toEqual({ type: "failed", why });
  expect(args()).toHaveLength(1);
});

test("a program that ends without reading its input, or cannot run, is a failure and not a crash", async () => {
  const path = program("secret-tool", ["exec true"]);
  const long = "x".repeat(900_000);
  const keychain = secretService({ program: path, env: env() });
  await keychain.save("id", { text: long, label: "l" });
  const none = secretService({ program: join(root, "bin/none"), env: env() });
  await expect(none.load("id")).rejects.toThrow("cannot be run (ENOENT)");
});

test("macOS: the secret is on the input of security, a login that was cut or refused is a failure", async () => {
  // As the real one: with -i, commands are on the input, and the exit code says nothing about them.
  const path = program("security", [
    'if [ "$1" = -i ]; then read -r line; set -- $line; for secret; do :; done; echo "$secret" > item; exit 0; fi',
    'case "$1" in find-generic-password) [ -e item ] && cat item || exit 44 ;; delete-generic-password) rm item ;; esac',
  ]);
  const keychain = macKeychain({ program: path, env: env() });
  expect(await keychain.load("id-1")).toBeUndefined();
  await keychain.save("id-1", { text: JSON.stringify(LOGIN), label: "Runahead: MCP login" });
  expect(JSON.parse((await keychain.load("id-1")) ?? "")).toEqual(LOGIN);
  await keychain.remove("id-1");
  expect(await keychain.load("id-1")).toBeUndefined();
  expect(args()).toContain("-i");
  expect(args().join("\n")).not.toMatch(/the-secret|eyJ/);
  const long = { text: "x".repeat(4000), label: "l" };
  await expect(keychain.save("id-1", long)).rejects.toThrow("too long");
  const refusing = program("security", [
    '[ "$1" = -i ] && echo "User interaction is not allowed." >&2 && exit 0',
    "exit 44",
  ]);
  await expect(
    macKeychain({ program: refusing, env: env() }).save("id-1", { text: "x", label: "l" }),
  ).rejects.toThrow("User interaction is not allowed.");
});
