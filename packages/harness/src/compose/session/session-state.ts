/** What a session restores besides the conversation: files that were read, tasks, the mode, background jobs. */

import type { PermissionGate, SessionState } from "@runahead/agent";
import { isShape, listOf, shapeOf, stringOf } from "@runahead/base";
import type { FileMemory, TaskStore } from "@runahead/tools";

/** Makes a store for a task list that is saved as the state of a session. */
export function taskState(): { readonly store: TaskStore; readonly state: SessionState } {
  let held: unknown;
  return {
    store: { load: () => held, save: (state) => void (held = state) },
    state: {
      save: () => held,
      restore: (data) => {
        // A list of another version must not make the task tools fail.
        const isList = isShape(data) && typeof data["lastId"] === "number" && Array.isArray(data["tasks"]);
        if (isList) held = data;
      },
    },
  };
}

/** What the state of a task list says about one task, or about the next one. */
export function knownTask(state: unknown, id: string | undefined): Record<string, string> | undefined {
  const { lastId, tasks } = shapeOf(state);
  if (id === undefined) return { id: String((typeof lastId === "number" ? lastId : 0) + 1) };
  const found = listOf(tasks)
    .map(shapeOf)
    .find((task) => task["id"] === id);
  if (found === undefined) return undefined;
  return { id, subject: stringOf(found["subject"], ""), description: stringOf(found["description"], "") };
}

/** The parts of a coding agent that have a state. */
export interface StateParts {
  readonly memory: FileMemory;
  readonly gate: PermissionGate;
  readonly tasks: SessionState;
  readonly resumption: SessionState;
  /** Whether an option of this run says which mode to use. */
  readonly isModeGiven: boolean;
}

/** Returns what is saved in the session after each turn, by name. */
export function sessionState(parts: StateParts): Readonly<Record<string, SessionState>> {
  const { memory, gate, tasks, resumption, isModeGiven } = parts;
  return { files: filesState(memory), tasks, mode: modeState(gate, isModeGiven), resumption };
}

/** These modes are not restored: they allow more than the user may expect of a new process. */
const NOT_RESTORED: ReadonlySet<unknown> = new Set(["auto", "bypassPermissions"]);

/** The permission mode, unless this run was started with one. */
function modeState(gate: PermissionGate, isGiven: boolean): SessionState {
  return {
    save: () => gate.mode,
    restore: (mode) => {
      if (isGiven || typeof mode !== "string" || NOT_RESTORED.has(mode)) return;
      if (gate.modeObjection(mode) === undefined) gate.setMode(mode);
    },
  };
}

/** The files that were read, with one member per file, so that only those that changed are written. */
function filesState(memory: FileMemory): SessionState {
  return {
    save: () => flattened(memory.save()),
    restore: (data) => {
      memory.restore(unflattened(data));
    },
  };
}

function flattened(saved: unknown): unknown {
  if (!isShape(saved)) return saved;
  const { agents, ...rest } = saved;
  const files = listOf(agents).flatMap((one) => {
    const { agent, files: read } = shapeOf(one);
    return listOf(read).map((file): [string, unknown] => [fileKey(agent, file), { agent, file }]);
  });
  return { ...rest, ...Object.fromEntries(files) };
}

function unflattened(data: unknown): unknown {
  if (!isShape(data)) return data;
  const rest: Record<string, unknown> = {};
  const agents = new Map<string, { agent?: unknown; files: unknown[] }>();
  for (const [key, value] of Object.entries(data)) {
    if (!key.startsWith(FILE)) rest[key] = value;
    else if (isShape(value)) {
      const { agent, file } = value;
      const id = JSON.stringify(agent) ?? "";
      const known = agents.get(id) ?? { ...(agent === undefined ? {} : { agent }), files: [] };
      agents.set(id, known);
      known.files.push(file);
    }
  }
  return { ...rest, agents: [...agents.values()] };
}

const FILE = "file ";

function fileKey(agent: unknown, file: unknown): string {
  const id = isShape(agent) ? stringOf(agent["id"]) : "";
  return `${FILE}${id} ${isShape(file) ? stringOf(file["path"]) : ""}`;
}
