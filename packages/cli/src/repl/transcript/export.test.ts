import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { exportTo, markdownOf } from "./export.ts";

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

test("the name decides the format: JSON has the messages, and HTML is a page that loads and runs nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runahead-export-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const messages = [
    { role: "user" as const, content: "<script>alert(1)</script> & more" },
    {
      role: "assistant" as const,
      content: [{ type: "tool_use", id: "1", name: "Read", input: { file_path: '"><img src=x>' } }],
    },
  ];
  const written = async (name: string): Promise<string> => {
    expect(await exportTo(name, { cwd: folder, home: "/home/a" }, messages)).toBe(`Written to ${name}`);
    return readFileSync(join(folder, name), "utf8");
  };
  expect(JSON.parse(await written("talk.json"))).toEqual({ messages });
  expect(await exportTo(join(folder, "talk.json"), { cwd: "/", home: folder }, messages)).toBe(
    "Not exported: ~/talk.json already exists. Choose another name.",
  );
  const page = await written("talk.html");
  expect(page).toContain("<pre>&lt;script&gt;alert(1)&lt;/script&gt; &amp; more</pre>");
  expect(page).toContain("default-src 'none'");
  expect(page).not.toMatch(/<(?:script|img|link|iframe)/);
});
