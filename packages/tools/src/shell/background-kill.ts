/** The KillShell tool: ends a background job. */

import { type Tool, defineTool } from "@runahead/engine";
import type { Shells } from "./shells.ts";
import { killShellInput } from "./bash-input.ts";

export function killShellTool(shells: Shells): Tool<typeof killShellInput, string> {
  return defineTool({
    name: "KillShell",
    description: "Ends a background job of Bash with all its processes.",
    inputSchema: killShellInput,
    aliases: ["KillBash"],
    access: ({ shell_id }) => [{ mode: "write", place: `job:/${encodeURIComponent(shell_id)}` }],
    describe: ({ shell_id }) => `End ${shell_id}`,
    async call({ shell_id }) {
      const other = shells.otherTask(shell_id);
      if (other !== undefined) return other.stop();
      const job = shells.jobs.find(shell_id);
      const wasRunning = await shells.kill(job);
      return wasRunning ? `Ended ${job.id}: ${job.command}` : `${job.id} had already ended: ${job.command}`;
    },
  });
}
