import { agentTools } from "@runahead/agent";
import { type AnyTool, toAnthropicTools } from "@runahead/engine";
import { askUserTool, fileTools, shellTools, taskTools, webTools } from "@runahead/tools";
import { expect, test } from "vitest";

/** All definitions together, as JSON. They are sent with every request. */
const MOST_CHARS = 16_000;

const model = { name: "m", stream: () => Promise.reject(new Error("not called")) };

function allTools(): AnyTool[] {
  const shell = shellTools({ root: "/p", home: "/h", outputFolder: "/o", env: {}, sandbox: true });
  const tools = [
    ...fileTools(),
    ...shell.tools,
    ...webTools(),
    ...taskTools(),
    askUserTool() as unknown as AnyTool,
  ];
  return [...tools, ...agentTools({ options: { model: model as never, tools, prompt: "" } as never })];
}

interface Definition {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  };
}

const definitions = toAnthropicTools(allTools()) as unknown as readonly Definition[];

test("all tool definitions together stay within their budget", () => {
  expect(definitions.length).toBeGreaterThanOrEqual(15);
  expect(JSON.stringify(definitions).length).toBeLessThanOrEqual(MOST_CHARS);
});

test.each(definitions.map((definition) => [definition.name, definition] as const))(
  "%s describes itself and every parameter",
  (_name, { description = "", input_schema }) => {
    expect(description.length).toBeGreaterThan(40);
    for (const [name, property] of Object.entries(input_schema.properties ?? {}))
      expect([name, property.description ?? ""]).toEqual([name, expect.stringMatching(/\S/)]);
  },
);

test("every optional parameter names its default or when it is needed", () => {
  const missing = definitions.flatMap(({ name, input_schema }) => {
    const { properties = {}, required = [] } = input_schema as Definition["input_schema"] & {
      readonly required?: readonly string[];
    };
    return Object.entries(properties)
      .filter(([parameter]) => !required.includes(parameter))
      .filter(([, { description = "" }]) => !/default|leave it out|when/i.test(description))
      .map(([parameter]) => `${name}.${parameter}`);
  });
  expect(missing).toEqual([]);
});
