/** What a change did to a file, in the protocol's form: texts before and after, one pair for each place. */

import type { ToolCallContent } from "@agentclientprotocol/sdk";
import type { Hunk } from "@runahead/harness";
import type { ChangedFile } from "../shared/outputs.ts";

/** None where the texts were too large or too different to be compared. */
export function diffsOf({ type, path, diff }: ChangedFile): ToolCallContent[] {
  if (diff.type !== "hunks") return [];
  return diff.hunks.map((hunk) => ({
    type: "diff",
    path,
    oldText: type === "created" ? null : side(hunk, "-"),
    newText: side(hunk, "+"),
  }));
}

/** The lines that both have, and those of one side. */
function side({ lines }: Hunk, sign: "-" | "+"): string {
  let text = "";
  lines.forEach((line, at) => {
    if (!line.startsWith(" ") && !line.startsWith(sign)) return;
    // The line after it may say that it has no end.
    text += line.slice(1) + (lines[at + 1]?.startsWith("\\") === true ? "" : "\n");
  });
  return text;
}
