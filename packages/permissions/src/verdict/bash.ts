/** Verdicts on shell commands. Every command in the text must be allowed; one denied command denies the whole text. */

import { posix } from "node:path";
import type { Judge } from "./judge.ts";
import { shapeOf } from "@runahead/base";
import type { Verdict } from "./verdict.ts";
import { readCall } from "./bash-call.ts";
import { forbidden } from "./forbidden.ts";
import { permitted } from "./permitted.ts";

export function decideBash(input: unknown, judge: Judge): Verdict {
  const text = shapeOf(input)["command"];
  if (typeof text !== "string" || text.trim() === "")
    return {
      behavior: "deny",
      reason: "Bash was called without a command. Set `command` to the shell command to run.",
      by: { type: "input" },
    };
  const folder = folderOf(shapeOf(input), judge.workspace.cwd);
  if (folder === undefined) return decideCommand(text, input, judge);
  // The tool may ignore the folder, so the command must be allowed in both.
  const there = { ...judge, workspace: { ...judge.workspace, cwd: folder } };
  const verdicts = [judge, there].map((one) => decideCommand(text, input, one));
  return (
    verdicts.find(({ behavior }) => behavior === "deny") ??
    verdicts.find(({ behavior }) => behavior === "ask") ??
    (verdicts[0] as Verdict)
  );
}

function decideCommand(text: string, input: unknown, judge: Judge): Verdict {
  const call = readCall(text, input, judge);
  return forbidden(call, judge) ?? permitted(call, judge);
}

/** Returns the working directory that the model passed; it does not extend the workspace. */
function folderOf(input: Record<string, unknown>, cwd: string): string | undefined {
  const given = ["cwd", "workdir", "working_directory", "workingDirectory"]
    .map((name) => input[name])
    .find((value) => value !== undefined && value !== null);
  if (given === undefined) return undefined;
  // A value that is not a string could be interpreted as any folder, so assume one outside the workspace.
  return posix.resolve(cwd, typeof given === "string" ? given : "/");
}
