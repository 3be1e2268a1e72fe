/** A change of a file in the protocol's format: old and new text per hunk. */

import type { ToolCallContent } from "@agentclientprotocol/sdk";
import type { Hunk } from "@runahead/harness";
import type { ChangedFile } from "../shared/outputs.ts";

/** Returns no diffs if the texts were too large or too different to compare. */
export function diffsOf({ type, path, diff }: ChangedFile): ToolCallContent[] {
  if (diff.type !== "hunks") return [];
  return diff.hunks.map((hunk) => ({
    type: "diff",
    path,
    oldText: type === "created" ? null : side(hunk, "-"),
    newText: side(hunk, "+"),
  }));
}

/** The lines of one side, including the common ones. */
function side({ lines }: Hunk, sign: "-" | "+"): string {
  let text = "";
  lines.forEach((line, at) => {
    if (!line.startsWith(" ") && !line.startsWith(sign)) return;
    // A following "\\" line says that this line has no line break.
    text += line.slice(1) + (lines[at + 1]?.startsWith("\\") === true ? "" : "\n");
  });
  return text;
}
