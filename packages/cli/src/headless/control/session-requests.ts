/** Requests of the host about files, skills, plugins and settings of the session. */

import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { CodingAgent } from "@runahead/harness";
import { pluginStore } from "@runahead/harness";
import { switchModel } from "../../shared/model-switch.ts";
import { serverStatuses } from "./mcp-requests.ts";
import { type Members, isMembers, textIn } from "./members.ts";
import type { Controlled, Handle } from "./requests.ts";

export const SESSION_HANDLERS: Readonly<Record<string, Handle>> = {
  reload_skills: async (_request, { made }) => {
    await readAgain(made);
    return { skills: made.prompts.known.filter(({ kind }) => kind === "skill").map(commandOf) };
  },
  reload_output_styles: async (_request, { made }) => ({
    available_output_styles: await made.outputStyles(),
  }),
  reload_plugins: reloadPlugins,
  background_tasks: (request, { made }) => {
    if (request["tool_use_id"] !== undefined)
      throw new Error("One task alone cannot be moved to the background. Leave tool_use_id out.");
    return { backgrounded: made.moveToBackground().length > 0 };
  },
  read_file: readFile,
  apply_flag_settings: applySettings,
  // All lines are sent at once, so nothing depends on it.
  set_has_subscribers: () => ({}),
};

async function readAgain({ prompts }: CodingAgent): Promise<void> {
  prompts.reload();
  await prompts.files();
}

export function commandsOf({ prompts }: CodingAgent): Members[] {
  return prompts.known.filter(({ isForUser }) => isForUser).map(commandOf);
}

export function agentsOf({ agents }: CodingAgent): Members[] {
  return agents.map(({ name, description }) => ({ name, description }));
}

type Command = CodingAgent["prompts"]["known"][number];

function commandOf({ name, description, argumentHint }: Command): Members {
  return { name, description, argumentHint: argumentHint ?? "" };
}

/** Skills and commands are read again. Hooks, servers and sub-agents of new plugins need a new session. */
async function reloadPlugins(request: Members, controlled: Controlled): Promise<Members> {
  const { made, world, onNotice } = controlled;
  if (Array.isArray(request["add_plugins"]) && request["add_plugins"].length > 0)
    throw new Error("Plugins cannot be added to a running session. Start it with --plugin-dir.");
  await readAgain(made);
  const added = (await pluginStore(world).list()).filter(
    ({ isEnabled, path }) => isEnabled && !made.plugins.some((one) => one.path === path),
  );
  if (added.length > 0)
    onNotice(`These plugins are used from the next session on: ${added.map(({ id }) => id).join(", ")}.`);
  return {
    commands: commandsOf(made),
    agents: agentsOf(made),
    plugins: made.plugins,
    mcpServers: serverStatuses(made),
    error_count: added.length,
  };
}

const MOST_BYTES = 10_000_000;

/** The rules of the Read tool decide: what would need a question is not read. */
async function readFile(request: Members, { made }: Controlled): Promise<Members> {
  const { cwd } = made.settings;
  const path = resolve(cwd, textIn(request, "path") ?? "");
  const verdict = made.gate.permissions.decide("Read", { file_path: path }, cwd);
  if (verdict.behavior !== "allow") throw new Error(`${path} cannot be read: ${verdict.reason}`);
  const asked = request["max_bytes"];
  const most = typeof asked === "number" && asked >= 0 ? Math.min(asked, MOST_BYTES) : MOST_BYTES;
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(size, most)) });
    const bytes = buffer.subarray(0, bytesRead);
    const cut = size > bytesRead ? { truncated: true } : {};
    if (request["encoding"] === "base64")
      return { contents: bytes.toString("base64"), absPath: path, encoding: "base64", ...cut };
    const contents = bytes.toString("utf8");
    return { contents, absPath: path, lossy: !Buffer.from(contents).equals(bytes), ...cut };
  } finally {
    await file.close();
  }
}

/** Only the model can change in a running session; other settings are fixed at the start or watched in files. */
async function applySettings(request: Members, { made }: Controlled): Promise<Members> {
  const settings = isMembers(request["settings"]) ? request["settings"] : {};
  const { model, ...others } = settings;
  const rest = Object.keys(others);
  if (rest.length > 0)
    throw new Error(
      `These settings cannot change in a running session: ${rest.join(", ")}. Start it with --settings, or write them to a settings file.`,
    );
  const name = typeof model === "string" ? model : undefined;
  if (Object.hasOwn(settings, "model"))
    await switchModel({ name, source: "sdk", run: () => made.setModel(name), made: () => made });
  return {};
}
