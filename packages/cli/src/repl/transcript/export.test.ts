import { expect, test } from "vitest";
import { markdownOf } from "./export.ts";

test("a conversation is written with who said what, and no result can end its fence", () => {
  const text = markdownOf([
    {
      role: "user",
      content: [
        { type: "text", text: "look at @a" },
        { type: "text", text: '<file path="a">\nx\n</file>' },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "I do." },
        { type: "tool_use", id: "1", name: "Read", input: { file_path: "a" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "```\n# x\n```" }] },
      ],
    },
    { role: "assistant", content: "Done." },
  ]);
  expect(text).toBe(
    [
      "## You",
      "look at @a",
      "_with a_",
      "## Runahead",
      "I do.",
      "**Read**",
      '```json\n{\n  "file_path": "a"\n}\n```',
      "````\n```\n# x\n```\n````",
      "## Runahead",
      "Done.\n",
    ].join("\n\n"),
  );
});
