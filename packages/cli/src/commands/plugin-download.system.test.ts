import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runMain } from "../../test/support/run-main.ts";

let root = "";
let server: Server;
let address = "";
/** What the server answers, by path. */
let pages: Map<string, Buffer | string>;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-download-")));
  for (const folder of ["home", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
  pages = new Map();
  server = createServer(({ url = "" }, response) => {
    if (url === "/endless.json") return endless(response);
    const page = pages.get(decodeURIComponent(url));
    response.writeHead(page === undefined ? 404 : 200).end(page ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true, force: true });
});

function put(name: string, content: unknown): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

/** Sends spaces until the connection is closed. */
function endless(response: ServerResponse): void {
  const piece = " ".repeat(1_000_000);
  const send = (): void => {
    while (!response.destroyed && response.write(piece)) {}
  };
  response.on("drain", send);
  send();
}

const env = () => ({
  PATH: process.env["PATH"],
  HOME: join(root, "home"),
  npm_config_cache: join(root, "npm"),
});
const run = (...args: string[]) => runMain(root, ["plugin", ...args], { env: env() });

/** A registry with one package whose script must not run. */
function publish(name: string): void {
  put("src/package/package.json", {
    name,
    version: "1.2.0",
    dependencies: { leftpad: "1.0.0" },
    scripts: { preinstall: "touch ../ran", prepack: "touch ../ran" },
  });
  put("src/package/.claude-plugin/plugin.json", { name: "packed", description: "From a registry." });
  put("src/package/commands/hi.md", "Hi.");
  put("src/package/.mcp.json", { mcpServers: { one: { command: "node", args: ["x.js"] } } });
  execFileSync("tar", ["-czf", "p.tgz", "package"], { cwd: join(root, "src") });
  const tarball = readFileSync(join(root, "src/p.tgz"));
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const dist = { tarball: `${address}/p.tgz`, integrity };
  const version = { name, version: "1.2.0", dist };
  pages.set("/p.tgz", tarball);
  pages.set(
    `/${name}`,
    JSON.stringify({ name, "dist-tags": { latest: "1.2.0" }, versions: { "1.2.0": version } }),
  );
}

test("class 7: a plugin of a marketplace comes from a registry of npm packages, and its scripts do not run", async () => {
  publish("@acme/plug");
  const source = { source: "npm", package: "@acme/plug", version: "1.2.0", registry: address };
  put("market/.claude-plugin/marketplace.json", { name: "shop", plugins: [{ name: "packed", source }] });
  const added = await run("add", join(root, "market"), "packed", "--yes");
  expect([added.code, added.error]).toEqual([0, ""]);
  expect(added.out).toContain("Plugin packed: From a registry.");
  expect(added.out).toContain("Not installed (run npm install in its folder if it needs them)\n  leftpad");
  const { out } = await run("list");
  const path = out.split("  ").at(-1) ?? "";
  expect(out).toMatch(/^packed@shop {2}enabled/);
  expect(path).toContain(join(root, "home/.runahead/plugins/"));
  expect(readFileSync(join(path, "commands/hi.md"), "utf8")).toBe("Hi.");
  const missing = { source: "npm", package: "@acme/none", registry: address };
  put("market/.claude-plugin/marketplace.json", { plugins: [{ name: "none", source: missing }] });
  const failed = await run("add", join(root, "market"), "none");
  expect(failed.code).toBe(2);
  expect(failed.error).toMatch(/^runahead: cannot download npm:@acme\/none@latest: .*404/);
});

test("class 7: a marketplace is one file at an address, and a plugin is pinned to a commit", async () => {
  put("repo/plugins/one/commands/a.md", "First.");
  symlinkSync(root, join(root, "repo/plugins/link"));
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], {
      cwd: join(root, "repo"),
      encoding: "utf8",
    }).trim();
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  const sha = git("rev-parse", "HEAD");
  put("repo/plugins/one/commands/a.md", "Second.");
  git("commit", "-qam", "two");
  const url = `file://${join(root, "repo")}`;
  const from = (more: object): object => ({ source: "git-subdir", url, path: "plugins/one", ...more });
  const plugins = [
    { name: "one", source: from({ sha }) },
    { name: "out", source: from({ path: "../../.." }) },
    { name: "link", source: from({ path: "plugins/link" }) },
    { name: "short", source: from({ sha: "abc" }) },
    { name: "beside", source: "./plugins/one" },
    { name: "py", source: { source: "pip", package: "x" } },
    { name: "zip", source: { source: "archive", url: `${address}/a.zip` } },
  ];
  pages.set("/marketplace.json", JSON.stringify({ name: "web", plugins }));
  const market = `${address}/marketplace.json`;
  const added = await run("add", market, "one", "--yes");
  expect([added.code, added.error]).toEqual([0, ""]);
  const path = (await run("list")).out.split("  ").at(-1) ?? "";
  expect(readFileSync(join(path, "commands/a.md"), "utf8")).toBe("First.");
  const errorOf = async (name: string): Promise<string> => (await run("add", market, name)).error;
  expect(await errorOf("out")).toContain("leads out of its repository");
  expect(await errorOf("link")).toContain("leads out of its repository");
  expect(await errorOf("short")).toContain("abc is not the whole id of a commit");
  expect(await errorOf("beside")).toContain("is a single file. Use the git address of the marketplace");
  expect(await errorOf("py")).toContain("packages of PyPI are not supported");
  expect(await errorOf("zip")).toContain("archives are not supported");
  expect((await run("add", `${address}/none.json`)).error).toContain("the server answered 404");
});

test("a list of plugins that never ends is not kept, neither from an address nor from a device", async () => {
  const { error } = await run("add", `${address}/endless.json`, "one");
  expect(error).toContain("endless.json: the file is larger than 10 MB");
  mkdirSync(join(root, "market/.claude-plugin"), { recursive: true });
  symlinkSync("/dev/zero", join(root, "market/.claude-plugin/marketplace.json"));
  expect((await run("add", join(root, "market"), "one")).error).toContain("it is not a regular file");
});
