/** The tool of the trace test: the same declaration in the process of the agent and in that of the worker. */

import { z } from "zod";
import { defineTool } from "@runahead/engine";

export function lookTool(onCall: (context: object) => void) {
  return defineTool({
    name: "Look",
    description: "Looks.",
    inputSchema: z.object({}),
    isReadOnly: () => true,
    call(_input, { context }) {
      onCall(context);
      return "seen";
    },
  });
}
