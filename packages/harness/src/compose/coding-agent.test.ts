import { expect, test } from "vitest";
import { codingAgent } from "./coding-agent.ts";

test("an unknown option, a wrong type and an unknown mode are refused, and the error names the option", async () => {
  for (const [options, message] of [
    [
      { permisionMode: "plan" },
      'codingAgent: unknown option "permisionMode". Did you mean "permissionMode"?',
    ],
    [{ allowedTools: "Read" }, 'codingAgent: "allowedTools" must be an array of strings, got "Read".'],
    [{ onEvent: true }, 'codingAgent: "onEvent" must be a function, got true.'],
    [{ permissionMode: "yolo" }, 'Unknown permission mode "yolo". Modes: default, acceptEdits,'],
    ["plan", 'codingAgent must be given an object, got "plan".'],
  ] as const) {
    const made = codingAgent(options as object);
    await expect(made).rejects.toThrow(TypeError);
    await expect(made).rejects.toThrow(message);
  }
});
