/**
 * One start of an agent, as a program: settings, approvals and an MCP server from the disk, one call of a tool, and an
 * end. Prints what was asked and what came of it. `mcp-start.ts FOLDER SERVER ANSWER`.
 */

import { writeSync } from "node:fs";
import { join } from "node:path";
import { createPermissionGate } from "../../../agent/src/gate/gate.ts";
import type { PersonAnswer } from "../../../agent/src/gate/gate-options.ts";
import { connectMcp } from "../../src/connect.ts";
import { validateJsonSchema } from "../../src/validate.ts";
import { scripted } from "../../../agent/src/model/scripted.ts";
import { loadSettings } from "../../../harness/src/settings/load.ts";
import { mcpApprovals } from "../../../harness/src/settings/mcp-approvals.ts";
import { saveRule } from "../../../harness/src/settings/save.ts";
import { runQuery } from "../../../agent/test/support/run-query.ts";

const [, , folder = "", script = "", answer = "no"] = process.argv;
const [cwd, home] = [join(folder, "project"), join(folder, "home")];
const where = { cwd, home, env: {}, isTrusted: true };
const notices: string[] = [];
const asked: string[] = [];
let saving: Promise<void> | undefined;
const onNotice = (message: string): void => void notices.push(message);
const server = {
  type: "stdio",
  command: process.execPath,
  args: [script, "stdio", "well"],
  env: {},
} as const;
const mcp = connectMcp({
  servers: [{ name: "odd", path: join(cwd, ".mcp.json"), trusted: true, server }],
  onNotice,
  cwd,
  approvals: await mcpApprovals(where, onNotice),
});
await mcp.settled();
const permissions = createPermissionGate({
  settings: await loadSettings({ ...where, managedPaths: [] }),
  cwd,
  home,
  onNotice,
  approvals: mcp,
  askPerson: async ({ toolName, reason }) => {
    asked.push(reason);
    if (answer === "always") await mcp.approveForGood(toolName);
    return { type: answer } as PersonAnswer;
  },
  save: (rule) => {
    saving = saveRule({ level: "local", behavior: "allow", rule, cwd }).then(() => {});
    return saving;
  },
});
const call = (id: string) => ({ type: "tool_use", id, name: "mcp__odd__cancelled", input: {} });
const model = scripted([[call("a")], [call("b")], [{ type: "text", text: "Done." }]]);
const { result } = await runQuery({
  prompt: "go",
  model,
  cwd,
  permissions,
  validateJsonSchema,
  tools: [...mcp.tools()],
});
await saving;
await mcp.close();
writeSync(1, JSON.stringify({ asked, notices, reason: result.reason }));
