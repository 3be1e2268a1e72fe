import { expect, test } from "vitest";
import { codingAgent } from "./coding-agent.ts";

test("an unknown option, a wrong type and an unknown mode are refused, and the error names the option", async () => {
  for (const [options, message] of [
    [
      { permisionMode: "plan" },
      'codingAgent: unknown option "permisionMode". Did you mean "permissionMode"?',
    ],
    [{ allowedTools: "Read" }, 'codingAgent: option "allowedTools" must be an array of strings, not "Read".'],
    [{ onEvent: true }, 'codingAgent: option "onEvent" must be a function, not true.'],
    [{ permissionMode: "yolo" }, 'codingAgent: option "permissionMode" must be one of "default",'],
    ["plan", 'codingAgent: options must be an object, not "plan".'],
  ] as const) {
    const made = codingAgent(options as object);
    await expect(made).rejects.toThrow(TypeError);
    await expect(made).rejects.toThrow(message);
  }
});
