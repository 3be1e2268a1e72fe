import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Line, type Reply, host as hostOf, isResult } from "./host.ts";
import { Shell, said, uses } from "./shell.ts";

const SERVER = fileURLToPath(new URL("../../../mcp/test/support/talking-server.mjs", import.meta.url));

let shell: Shell;
beforeEach(() => {
  shell = new Shell();
});
afterEach(() => shell.close());

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "calc", version: "1" },
  },
  "tools/list": { tools: [{ name: "add", description: "Adds.", inputSchema: { type: "object" } }] },
};
/** A host with the MCP server `calc`, that answers forms. */
const reply: Reply = ({ subtype, message }) => {
  if (subtype === "elicitation") return { action: "accept", content: { city: "Bonn" } };
  const { id, method } = (message ?? {}) as Line;
  return { mcp_response: { jsonrpc: "2.0", id, result: RESULTS[String(method)] ?? {} } };
};

test("the host adds, turns off, connects and removes MCP servers, and a server asks the user through the host", async () => {
  const answers = [uses("mcp__talker__elicit", {}), said("Bonn it is.")];
  const given = { answers, args: ["--allowedTools", "mcp__talker__elicit"] };
  const { host, ended, server } = await hostOf(shell, given, reply);
  let at = 0;
  const ask = async (subtype: string, members: object = {}): Promise<Line> =>
    host.request({ subtype, ...members }, `r${++at}`);
  const status = async (): Promise<unknown> => {
    const { mcpServers } = (await ask("mcp_status"))["response"] as Line;
    return Object.fromEntries((mcpServers as Line[]).map((one) => [one["name"], one["status"]]));
  };
  await ask("initialize", { title: "Named" });
  const talker = { command: process.execPath, args: [SERVER] };
  const servers = { talker, calc: { type: "sdk", name: "calc" }, broken: { command: "/no/such/program" } };
  expect((await ask("mcp_set_servers", { servers }))["response"]).toMatchObject({
    added: ["talker", "broken", "calc"],
    removed: [],
    errors: { broken: expect.stringContaining("/no/such/program") as string },
  });
  expect(await status()).toMatchObject({ talker: "connected", calc: "connected" });
  await ask("mcp_toggle", { serverName: "calc", enabled: false });
  expect(await status()).toMatchObject({ calc: "disabled" });
  expect((await ask("mcp_reconnect", { serverName: "calc" }))["subtype"]).toBe("success");
  expect(await ask("mcp_reconnect", { serverName: "nobody" })).toMatchObject({
    error: expect.stringContaining("No MCP server is called nobody") as string,
  });
  expect((await ask("mcp_set_servers", { servers: { talker } }))["response"]).toEqual({
    added: [],
    removed: expect.arrayContaining(["calc", "broken"]) as string[],
    errors: {},
  });
  expect(await status()).toEqual({ talker: "connected" });
  host.prompt("ask me");
  expect(await host.until(isResult)).toMatchObject({ result: "Bonn it is." });
  host.end();
  await ended;
  expect(host.asked.find(({ subtype }) => subtype === "elicitation")).toMatchObject({
    mcp_server_name: "talker",
    message: "Where?",
    mode: "form",
    requested_schema: expect.any(Object) as object,
  });
  expect(server.requests[1]?.text).toContain("Bonn");
  expect(host.lines.some(({ message }) => String(message).includes("title has no effect here"))).toBe(true);
});

test("the host changes which tools of its servers are offered, except of those that it named at the start", async () => {
  const { host, ended, server } = await hostOf(shell, { answers: [said("One."), said("Two.")] }, reply);
  let at = 0;
  const ask = async (subtype: string, members: object = {}): Promise<Line> =>
    host.request({ subtype, ...members }, `r${++at}`);
  const set = async (servers: object): Promise<unknown> =>
    (await ask("mcp_set_servers", { servers }))["response"];
  await ask("initialize", { sdkMcpServers: ["calc"] });
  const tools = [{ name: "add", permission_policy: "always_deny" }];
  const sdk = { type: "sdk" };
  const talker = { command: process.execPath, args: [SERVER], timeout: 30 };
  expect(await set({ calc: sdk, more: sdk, talker })).toEqual({
    added: ["talker", "more"],
    removed: [],
    errors: {},
  });
  host.prompt("one");
  await host.until(isResult);
  expect(await set({ calc: { ...sdk, tools }, more: { ...sdk, tools }, talker })).toEqual({
    added: ["more"],
    removed: ["more"],
    errors: { calc: "Its settings are those of the start of the session. They cannot change." },
  });
  host.prompt("two");
  host.end();
  await ended;
  const offered = server.requests.map(({ body }) =>
    (body["tools"] as Line[]).map(({ name }) => name).filter((name) => String(name).endsWith("__add")),
  );
  expect(offered).toEqual([["mcp__calc__add", "mcp__more__add"], ["mcp__calc__add"]]);
});

test("the host brings a plugin, reloads skills and styles, reads files by the rules, and withdraws prompts", async () => {
  shell.write("plug/.claude-plugin/plugin.json", { name: "plug" });
  shell.write("plug/commands/hi.md", "---\ndescription: Says hi.\n---\nHi.");
  shell.write("project/secret.txt", "hidden");
  const args = ["--plugin-dir", join(shell.root, "plug"), "--disallowedTools", "Read(secret.txt)"];
  const { host, ended, server } = await hostOf(shell, { answers: [said("One.")], args }, reply);
  let at = 0;
  const ask = async (subtype: string, members: object = {}): Promise<Line> =>
    host.request({ subtype, ...members }, `r${++at}`);
  const begun = (await ask("initialize"))["response"] as Line;
  expect(begun["commands"]).toContainEqual({ name: "plug:hi", description: "Says hi.", argumentHint: "" });
  shell.write("home/.claude/skills/fresh/SKILL.md", "---\nname: fresh\ndescription: New.\n---\nDo.");
  shell.write("home/.claude/output-styles/terse.md", "---\nname: Terse\n---\nBe terse.");
  expect((await ask("reload_skills"))["response"]).toMatchObject({
    skills: [{ name: "fresh", description: "New." }],
  });
  const styles = ((await ask("reload_output_styles"))["response"] as Line)["available_output_styles"];
  expect(styles).toEqual(expect.arrayContaining(["default", "Terse"]));
  expect((await ask("reload_plugins"))["response"]).toMatchObject({
    plugins: [{ name: "plug", path: join(shell.root, "plug") }],
    error_count: 0,
  });
  expect((await ask("reload_plugins", { add_plugins: [{ type: "local", path: "/x" }] }))["subtype"]).toBe(
    "error",
  );
  expect((await ask("read_file", { path: "a.txt", max_bytes: 3 }))["response"]).toEqual({
    contents: "hel",
    absPath: join(shell.root, "project/a.txt"),
    lossy: false,
    truncated: true,
  });
  expect((await ask("read_file", { path: "secret.txt" }))["subtype"]).toBe("error");
  expect(await ask("apply_flag_settings", { settings: { verbose: true } })).toMatchObject({
    error: expect.stringContaining("cannot change in a running session: verbose") as string,
  });
  expect((await ask("apply_flag_settings", { settings: { model: "claude-opus-4-6" } }))["subtype"]).toBe(
    "success",
  );
  expect((await ask("cancel_async_message", { message_uuid: "none" }))["response"]).toEqual({
    cancelled: false,
  });
  // The SDK sends a prompt as a block of text; a command in it is expanded.
  host.write({
    type: "user",
    message: { role: "user", content: [{ type: "text", text: "/plug:hi there" }] },
  });
  await host.until(isResult);
  host.end();
  await ended;
  expect(server.requests[0]?.text).toContain(String.raw`Hi.\n\nARGUMENTS: there`);
});

test("stop_task ends a background command, and the session goes on", async () => {
  const answers = [
    uses("Bash", { command: "echo $$ > pid; exec sleep 600", run_in_background: true }, "toolu_1"),
    said("Started."),
    // For the turn that the end of the command can start.
    said("It ended."),
  ];
  const run = await hostOf(shell, { answers, args: ["--allowedTools", "Bash"] });
  run.host.prompt("start");
  await run.host.until(({ result }) => result === "Started.");
  const [, id = ""] = /Running in the background as (\w+)/.exec(run.server.requests.at(-1)?.text ?? "") ?? [];
  expect(id).not.toBe("");
  const file = join(shell.root, "project", "pid");
  await expect.poll(() => (existsSync(file) ? readFileSync(file, "utf8").trim() : "")).toMatch(/^\d+$/);
  const pid = readFileSync(file, "utf8").trim();
  expect(await run.host.request({ subtype: "stop_task", task_id: id }, "1")).toMatchObject({
    subtype: "success",
  });
  await expect.poll(() => existsSync(`/proc/${pid}/cwd`)).toBe(false);
  expect(await run.host.request({ subtype: "mcp_status" }, "2")).toMatchObject({ subtype: "success" });
  run.host.end();
  await run.ended;
});

test("rewind_files takes files back to the state before a prompt, and says first what it would change", async () => {
  const answers = [uses("Write", { file_path: "new.txt", content: "x" }), said("Written.")];
  const env = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1" };
  const run = await hostOf(shell, { answers, env, args: ["--permission-mode", "acceptEdits"] });
  const uuid = "11111111-1111-4111-8111-111111111111";
  run.host.write({ type: "user", uuid, message: { role: "user", content: "write it" } });
  await run.host.until(isResult);
  const path = join(shell.root, "project/new.txt");
  const rewind = async (user_message_id: string, dry_run: boolean, id: string): Promise<unknown> =>
    (await run.host.request({ subtype: "rewind_files", user_message_id, dry_run }, id))["response"];
  expect(await rewind(uuid, true, "1")).toMatchObject({ canRewind: true, filesChanged: ["new.txt"] });
  expect(existsSync(path)).toBe(true);
  expect(await rewind("nobody", false, "2")).toMatchObject({ canRewind: false });
  expect(existsSync(path)).toBe(true);
  expect(await rewind(uuid, false, "3")).toMatchObject({ canRewind: true });
  expect(existsSync(path)).toBe(false);
  run.host.end();
  await run.ended;
});
