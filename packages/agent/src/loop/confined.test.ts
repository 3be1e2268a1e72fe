import { type CanUseTool, StreamingToolExecutor, defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { type Confinement, clearanceOf } from "../../../permissions/src/verdict/clearance.ts";
import { bashInput } from "../../../tools/src/shell/bash-input.ts";
import { USUAL_LIMITS } from "../../../tools/src/shell/bash-limits.ts";
import { type PermissionRules, judgeOf } from "./options.ts";

const CONFINED: Confinement = { hidden: () => [] };

/** How a tool that is called under these rules is to run. */
async function seenBy(canUseTool: CanUseTool | undefined): Promise<Confinement | undefined> {
  let seen: Confinement | undefined;
  const tool = defineTool({
    name: "Bash",
    description: "",
    inputSchema: bashInput(USUAL_LIMITS),
    call: (input) => {
      seen = clearanceOf(input)?.confinement;
      return "done";
    },
  });
  const judged = canUseTool === undefined ? {} : { canUseTool };
  const executor = new StreamingToolExecutor({ tools: [tool], ...judged });
  executor.add({ id: "a", name: "Bash", input: { command: "git status" } });
  executor.end({ ok: true });
  for await (const _ of executor.remaining());
  return seen;
}

const judge = (permissions: PermissionRules, canUseTool?: CanUseTool): CanUseTool | undefined =>
  judgeOf({ permissions, ...(canUseTool === undefined ? {} : { canUseTool }) } as never);

const confining: PermissionRules = { decide: () => ({ behavior: "allow", confinement: CONFINED }) };
const allowing: PermissionRules = { decide: () => ({ behavior: "allow" }) };

test("a tool gets the confinement of its verdict, also in a sub-agent", async () => {
  expect(await seenBy(judge(confining))).toBe(CONFINED);
  expect(await seenBy(judge(allowing))).toBeUndefined();
  // The rules of a sub-agent allow everything, and its caller's decide.
  expect(await seenBy(judge(allowing, judge(confining)))).toBe(CONFINED);
});
