/** The agents of the benchmark of the fleet: sessions of three turns with a scripted model that takes no time. */

import { setTimeout as pause } from "node:timers/promises";
import { scripted } from "../../packages/agent/dist/index.js";

export const TURNS = 3;

/** Sessions whose id starts with this wait for a person. */
export const ASKS = "asks-";

const note = (toolMs) => ({
  name: "Note",
  description: "Notes a text.",
  inputSchema: { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } },
  jsonSchema: { type: "object", properties: { text: { type: "string" } } },
  access: () => [],
  call: async () => {
    if (toolMs > 0) await pause(toolMs);
    return "noted";
  },
});

/** Two turns with a call that writes, and one that ends the run. */
function turn({ messages }) {
  const done = messages.filter(({ role }) => role === "assistant").length;
  return done < TURNS - 1
    ? [{ type: "tool_use", id: `c${done}`, name: "Note", input: { text: "x".repeat(200) } }]
    : [{ type: "text", text: "Done." }];
}

/** Returns the options of an agent whose calls take `toolMs`. */
export const agentOptions =
  (toolMs = 0) =>
  ({ session } = {}) => ({
    model: scripted(Array.from({ length: TURNS }, () => turn)),
    tools: [note(toolMs)],
    ...(session?.id.startsWith(ASKS) ? { canUseTool: () => ({ behavior: "ask", reason: "bench" }) } : {}),
  });
