import { describe, expect, test } from "vitest";
import { frontMatter } from "./front-matter.ts";

const read = (head: string): unknown => Object.fromEntries(frontMatter(`---\n${head}\n---\nText`).values);

describe("class 2: front matter as people write it", () => {
  const cases: readonly (readonly [what: string, head: string, values: object])[] = [
    [
      "an unquoted colon",
      "description: Use when: asked (see: docs)",
      { description: "Use when: asked (see: docs)" },
    ],
    ["quotes inside of text", `description: He said "no: never"`, { description: `He said "no: never"` }],
    ["a comment after a value", "tools: Read, Grep # no Bash", { tools: "Read, Grep" }],
    ["a number sign inside of a word", "description: C#7 code", { description: "C#7 code" }],
    ["a comment line", "# a comment\nname: x", { name: "x" }],
    [
      "a list in brackets",
      "tools: [Read, 'Grep', \"Bash(git log:*, -n)\"]",
      { tools: ["Read", "Grep", "Bash(git log:*, -n)"] },
    ],
    [
      "brackets in plain text of a list",
      "tools: [Bash(git add:*, x), Read]",
      { tools: ["Bash(git add:*, x)", "Read"] },
    ],
    ["a list over several lines", "tools: [\n  Read, # first\n  Grep,\n]", { tools: ["Read", "Grep"] }],
    ["an indented list", "tools:\n  - Read\n  - Bash(git log:*)", { tools: ["Read", "Bash(git log:*)"] }],
    [
      "a list that is not indented",
      "tools:\n- Read\n- Grep\nmodel: opus",
      { tools: ["Read", "Grep"], model: "opus" },
    ],
    [
      "comments in a list",
      "tools:\n  # for reading\n  - Read # always\n  - Grep",
      { tools: ["Read", "Grep"] },
    ],
    [
      "a quoted text whose lines look like members",
      'description: "Use it.\n\nuser: \\"go\\"\nuser: again"\ntools: [Read]',
      { description: 'Use it.\nuser: "go" user: again', tools: ["Read"] },
    ],
    [
      "a text with a quote that is never closed loses no member",
      'description: "Use it\ntools: "Read"\nmodel: opus',
      { description: '"Use it', tools: "Read", model: "opus" },
    ],
    ["folded text", "description: >\n  one\n  two\n\n  three", { description: "one two\nthree" }],
    ["literal text", "description: |-\n  one\n    two\nname: x", { description: "one\n  two", name: "x" }],
    ["plain text over several lines", "description: one\n  two", { description: "one two" }],
    [
      "plain text that is not indented",
      "description: one\n<example>two</example>\nname: x",
      { description: "one <example>two</example>", name: "x" },
    ],
    [
      "a quoted text over several lines",
      'description: "one\n  two: three"',
      { description: "one two: three" },
    ],
    ["escapes", String.raw`description: "a\n\"b\" é"`, { description: 'a\n"b" é' }],
    ["a doubled quote", "description: 'it''s'", { description: "it's" }],
    ["text after a closing quote", `description: "A" and "B"`, { description: `"A" and "B"` }],
    [
      "nested members",
      "hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: ./x.sh\n          timeout: 5",
      {
        hooks: {
          PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./x.sh", timeout: 5 }] }],
        },
      },
    ],
    [
      "an object in braces",
      'metadata: { author: me, version: "1.0" }',
      { metadata: { author: "me", version: "1.0" } },
    ],
    [
      "types",
      "a: true\nb: 12\nc: null\nd: 'true'\ne: 1.0.2",
      { a: true, b: 12, c: null, d: "true", e: "1.0.2" },
    ],
    ["a key without a value", "tools:\nname: x", { tools: null, name: "x" }],
    ["a star", "tools: *", { tools: "*" }],
    ["a placeholder in brackets", "argument-hint: [file] [--force]", { "argument-hint": "[file] [--force]" }],
    ["tabs", "tools:\n\t- Read\n\t- Grep", { tools: ["Read", "Grep"] }],
  ];
  test.each(cases)("%s", (_, head, values) => {
    expect(read(head)).toEqual(values);
  });

  test("a byte order mark, Windows line ends and blank lines before it", () => {
    const { values, body } = frontMatter("\uFEFF\r\n---\r\nname: x\r\ntools:\r\n  - Read\r\n---\r\nText\r\n");
    expect([Object.fromEntries(values), body]).toEqual([{ name: "x", tools: ["Read"] }, "Text\n"]);
  });

  test("a file without it is only text, also if it begins with a rule", () => {
    for (const text of ["# Title\n", "---\n\n# Title\n\n---\n", "---\nno end"])
      expect(frontMatter(text)).toMatchObject({ isPresent: false, body: text });
  });

  test("front matter that is not closed, repeated keys and stray lines are reported", () => {
    expect(frontMatter("---\ntools: Read\n\nText").strayLines).toHaveLength(1);
    expect(frontMatter("---\ntools: Read\ntools: Bash\n---\n").repeated).toEqual(["tools"]);
    expect(frontMatter("---\n? odd\nname: x\n---\n").strayLines).toEqual(["? odd"]);
  });
});
