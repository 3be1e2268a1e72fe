/** A tool that reads nothing: its result says what it was asked for. */

import { defineTool } from "@runahead/engine";
import { z } from "zod";

export const read = defineTool({
  name: "Read",
  description: "Reads",
  inputSchema: z.object({ file_path: z.string() }),
  isReadOnly: () => true,
  call: ({ file_path }) => `content of ${file_path}`,
});
