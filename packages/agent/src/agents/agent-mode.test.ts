import { type AnyTool, type Verdict, defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { createPermissionGate } from "../gate/gate.ts";
import { scripted } from "../model/scripted.ts";
import { inMode } from "./agent-mode.ts";

const EDIT: AnyTool = defineTool({
  name: "Edit",
  description: "",
  inputSchema: z.object({}).loose(),
  call: () => "",
});

type AgentMode = Parameters<typeof inMode>[0];

/** The verdict on an edit in the workspace: the mode of the whole agent, then that of the sub-agent. */
function verdict(main: string, own: AgentMode, deny: readonly string[] = []): string {
  const gate = createPermissionGate({
    settings: { mode: main, sources: [{ name: "mine", root: "/repo", deny }] },
    cwd: "/repo",
  });
  const options = { model: scripted([]), tools: [], permissions: gate };
  const facts = { cwd: "/repo", hookDecision: undefined };
  const caller = (): Verdict => gate.decide("Edit", { file_path: "/repo/a.ts" }, facts);
  const judge = inMode(own, options, caller);
  const context = { context: { cwd: "/repo" }, hookDecision: undefined } as never;
  return (judge(EDIT, { file_path: "/repo/a.ts" }, context) as Verdict).behavior;
}

test("class 2: the permission mode of a sub-agent restricts it, and never allows what is denied", () => {
  expect([
    verdict("default", undefined),
    verdict("acceptEdits", "default"),
    verdict("acceptEdits", "plan"),
    verdict("bypassPermissions", "plan"),
    verdict("bypassPermissions", "dontAsk"),
    verdict("default", "acceptEdits"),
    verdict("plan", "acceptEdits"),
    verdict("dontAsk", "acceptEdits"),
    verdict("default", "acceptEdits", ["Edit(a.ts)"]),
  ]).toEqual(["ask", "ask", "deny", "deny", "deny", "allow", "deny", "deny", "deny"]);
});
