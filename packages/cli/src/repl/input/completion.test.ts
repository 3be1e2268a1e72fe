import { expect, test } from "vitest";
import { Completion } from "./completion.ts";
import { indexOf } from "./file-match.ts";

const files = ["src/app.ts", "src/", "docs/an app.md", "app/x.ts", "src/\u001b]0;x\u0007.ts"];
const completion = new Completion({
  commands: () => ["export", "exit", "git:fix"].map((name) => ({ name, help: `does ${name}` })),
  files: () => indexOf(files),
});

const offered = async (text: string, line = 0): Promise<string[] | undefined> => {
  const lines = [...Array.from({ length: line }, () => ""), text];
  return (await completion.getSuggestions(lines, line, text.length))?.items.map(({ value }) => value);
};

/** What stands there after a choice; the cursor is at its end. */
const after = (text: string, value: string): string =>
  completion.applyCompletion([text], 0, text.length, { value, label: value }, "stale").lines[0] ?? "";

test("commands are offered after a slash at the start, files after an @", async () => {
  expect(await offered("/ex")).toEqual(["export", "exit"]);
  expect(await offered("/xpt")).toEqual(["export"]);
  expect(await offered("/gx")).toEqual(["git:fix"]);
  expect(await offered("/usr/bin")).toBeUndefined();
  expect(await offered("/ex", 1)).toBeUndefined();
  expect(await offered("see @app")).toEqual(["app/x.ts", "src/app.ts", "docs/an app.md"]);
  expect(await offered('see @"docs/an')).toEqual(["docs/an app.md"]);
  expect(await offered("me@app")).toBeUndefined();
});

test("I06: a file name with control characters is not offered", async () => {
  expect(await offered("@src")).toEqual(["src/", "src/app.ts"]);
});

test("the choice replaces the typed text, quoted if it contains spaces", () => {
  expect([
    after("/exp", "export"),
    after("see @ap", "src/app.ts"),
    after("see @an", "docs/an app.md"),
    after("see @s", "src/"),
  ]).toEqual(["/export ", "see @src/app.ts ", 'see @"docs/an app.md" ', "see @src/"]);
});

test("a completion list that is older than the text changes nothing", () => {
  expect([after("/exit", "export"), after("/exi", "export"), after("plain words", "export")]).toEqual([
    "/exit",
    "/exi",
    "plain words",
  ]);
});

test("Tab completes a name by some of its letters; Enter runs only what starts with the text", () => {
  expect(after("/xpt", "export")).toBe("/export ");
  completion.isSending = true;
  expect([after("/xpt", "export"), after("/exp", "export")]).toEqual(["/xpt", "/export "]);
  completion.isSending = false;
});
