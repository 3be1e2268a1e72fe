import { type AnyTool, defineTool } from "@runahead/engine";
import { z } from "zod";

/** A tool of this name that notes what it was run with, and gives the output. */
export function noting(
  name: string,
  ran: unknown[],
  { output = "ran", ...members }: Partial<AnyTool> & { readonly output?: string } = {},
): AnyTool {
  return defineTool({
    name,
    description: name,
    inputSchema: z.record(z.string(), z.unknown()),
    access: () => [],
    call: (input: unknown) => {
      ran.push(input);
      return output;
    },
    ...members,
  });
}
