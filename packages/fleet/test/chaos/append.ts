/** The tool that the sessions of the chaos tests call: appends a line to a file that all workers share. */

import { appendFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { defineTool } from "@runahead/engine";

/** `slowMs` is the longest time that a call takes before and after it writes. */
export function appendTool(file: string, slowMs: number) {
  return defineTool({
    name: "Append",
    description: "Appends a line.",
    inputSchema: z.object({ line: z.string() }),
    async call({ line }) {
      await pause(Math.random() * slowMs);
      await appendFile(file, `${line}\n`);
      await pause(Math.random() * slowMs);
      return "appended";
    },
  });
}
