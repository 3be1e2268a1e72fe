import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { managedMcpServers } from "./managed-mcp.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runahead-managed-"));
  for (const name of ["one", "two"]) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const paths = (): string[] => ["one", "two"].map((name) => join(folder, name, "managed-settings.json"));
const read = () => managedMcpServers({ env: {} }, paths());

test("without managed-mcp.json, the machine decides nothing about servers", async () => {
  expect(await read()).toBeUndefined();
});

test("the servers of managed-mcp.json are the managed ones", async () => {
  const servers = { mcpServers: { tickets: { command: "tickets-mcp" } } };
  writeFileSync(join(folder, "two", "managed-mcp.json"), JSON.stringify(servers));
  expect(await read()).toMatchObject({ servers: [{ name: "tickets", trusted: true }], problems: [] });
});

test("a managed-mcp.json that is empty of servers or cannot be read allows none", async () => {
  writeFileSync(join(folder, "one", "managed-mcp.json"), '{"mcpServers": {}}');
  expect(await read()).toEqual({ servers: [], problems: [] });
  writeFileSync(join(folder, "one", "managed-mcp.json"), "{");
  expect(await read()).toMatchObject({ servers: [], problems: [{ severity: "error" }] });
  rmSync(join(folder, "one", "managed-mcp.json"));
  mkdirSync(join(folder, "one", "managed-mcp.json"));
  expect(await read()).toMatchObject({ servers: [], problems: [{ severity: "error" }] });
});
