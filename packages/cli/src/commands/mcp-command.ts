/** The options of `runahead mcp`. */

import { type Command, Option } from "commander";
import type { McpScope } from "@runahead/harness";
import type { World } from "../shared/world.ts";
import type { AddFlags } from "./mcp.ts";

const SCOPES = ["local", "project", "user"];

function several(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function scopeOption(words: string): Option {
  return new Option("-s, --scope <scope>", words).choices(SCOPES);
}

export function addMcp(root: Command, world: World, done: (code: number) => void): void {
  const mcp = root.command("mcp").description("Add, list and remove MCP servers, and log in to them.");
  const load = () => import("./mcp.ts");
  const where = "where to save it: local (this folder, only you), project (.mcp.json) or user (all folders)";
  mcp
    .command("add")
    .description("Add an MCP server: a program with its arguments, or an http address.")
    .argument("<name>", "name of the server")
    .argument("<command-or-url>", "program to start, or address")
    .argument("[args...]", "arguments of the program; put -- before them if they start with a dash")
    .addOption(scopeOption(where).default("local"))
    .addOption(
      new Option(
        "-t, --transport <transport>",
        "transport (default: http for an address, else stdio)",
      ).choices(["stdio", "http", "sse"]),
    )
    .option("-e, --env <name=value>", "environment variable of the program (repeatable)", several)
    .option("-H, --header <name: value>", "header of every request (repeatable)", several)
    .action(async (name: string, target: string, args: string[], flags: AddFlags) => {
      done(await (await load()).addServer(world, { name, target, args }, flags));
    });
  mcp
    .command("add-json")
    .description("Add an MCP server from JSON, in the format of .mcp.json.")
    .argument("<name>", "name of the server")
    .argument("<json>", 'definition: {"command": "…"} or {"type": "http", "url": "…"}')
    .addOption(scopeOption(where).default("local"))
    .action(async (name: string, json: string, flags: { scope: McpScope }) => {
      done(await (await load()).addJson(world, { name, json }, flags));
    });
  addLooking(mcp, world, done);
  addLogin(mcp, world, done);
}

function addLooking(mcp: Command, world: World, done: (code: number) => void): void {
  mcp
    .command("list")
    .description("List the MCP servers of this folder without starting them.")
    .option("--json", "print JSON")
    .action(async (flags: object) => done(await (await import("./mcp.ts")).listServers(world, flags)));
  mcp
    .command("get")
    .description("Show one MCP server: where it is defined, how it is reached, whether a login is saved.")
    .argument("<name>", "name of the server")
    .action(async (name: string) => done(await (await import("./mcp.ts")).showServer(world, name)));
  mcp
    .command("remove")
    .description("Remove an MCP server.")
    .argument("<name>", "name of the server")
    .addOption(scopeOption("where to remove it from (default: the first scope that has it)"))
    .action(async (name: string, flags: object) =>
      done(await (await import("./mcp.ts")).removeServer(world, name, flags)),
    );
}

function addLogin(mcp: Command, world: World, done: (code: number) => void): void {
  mcp
    .command("login")
    .description("Log in to an MCP server with OAuth, in a browser.")
    .argument("<name>", "name of the server")
    .option("--scope <scopes>", "scopes to ask for (default: those that the server names)")
    .option(
      "--port <number>",
      "port of the local address that the browser returns to (default: any free one)",
    )
    .action(async (name: string, flags: object) =>
      done(await (await import("./mcp.ts")).logIn(world, name, flags)),
    );
  mcp
    .command("logout")
    .description("Remove the login of an MCP server from this computer.")
    .argument("<name>", "name of the server")
    .action(async (name: string) => done(await (await import("./mcp.ts")).logOut(world, name)));
}
