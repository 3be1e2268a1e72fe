import { expect, test } from "vitest";
import { checkTools } from "../packages/base/src/check-tools.ts";
import { TOOL_FUNCTIONS, TOOL_VALUES } from "../packages/engine/src/runtime/tool-members.ts";

const tool = { name: "Look", description: "", inputSchema: {}, call: () => "" };

test.each([...TOOL_FUNCTIONS, ...TOOL_VALUES].filter((member) => !(member in tool)))(
  "a misspelt %s of a tool is noticed",
  (member) => {
    const misspelt = { ...tool, [`${member.slice(0, -1)}_${member.slice(-1)}`]: () => true };
    expect(() => checkTools([misspelt], "query")).toThrow(`"${member}"`);
  },
);

test.each(TOOL_FUNCTIONS.filter((member) => member !== "call"))(
  "%s of a tool must be a function",
  (member) => {
    expect(() => checkTools([{ ...tool, [member]: 1 }], "query")).toThrow(`"${member}" must be a function`);
  },
);
