import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readPlugin } from "../definitions/plugin.ts";
import type { OtherValue } from "../settings/loaded.ts";
import { pluginOptions } from "./options.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "runahead-options-"));
  mkdirSync(join(root, ".claude-plugin"));
  const manifest = {
    name: "tickets",
    userConfig: { host: { description: "The server." }, port: { description: "Its port.", default: 8080 } },
    mcpServers: { api: { type: "http", url: "https://${user_config.host}:${user_config.port}/mcp" } },
  };
  writeFileSync(join(root, ".claude-plugin", "plugin.json"), JSON.stringify(manifest));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const value = { "tickets@house": { options: { host: "tickets.example.com", port: 443, token: {} } } };
const options = (level: OtherValue["level"]) =>
  pluginOptions("tickets", {
    other: new Map([["pluginConfigs", [{ value, name: "x", level, trusted: true }]]]),
  });

test("pluginConfigs fills the options of a plugin, and the manifest has the defaults", async () => {
  const set = await readPlugin({ root, env: {}, options: options("user") });
  expect(set.servers[0]?.server).toMatchObject({ url: "https://tickets.example.com:443/mcp" });
  expect(set.problems).toEqual([]);
  const usual = await readPlugin({ root, env: {}, options: { host: "h" } });
  expect(usual.servers[0]?.server).toMatchObject({ url: "https://h:8080/mcp" });
});

test("an option without a value is reported once, with the setting that sets it", async () => {
  const { problems } = await readPlugin({ root, env: {} });
  expect(
    problems.filter(({ message }) => message.includes("option host")).map(({ message }) => message),
  ).toEqual([
    `${root}: its option host is not set; set pluginConfigs."tickets".options.host in your settings`,
  ]);
});

test("a repository cannot set the options of a plugin", () => {
  expect(options("project")).toEqual({});
  expect(options("local")).toEqual({});
  expect(options("user")).toEqual({ host: "tickets.example.com", port: "443" });
});
