import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { running } from "../repl/terminal.ts";
import { said, uses } from "../run/shell.ts";
import { Programs } from "./programs.ts";

const EXAMPLES = fileURLToPath(new URL("../../../../examples/", import.meta.url));
const COMMANDS: [string, [string, string]][] = [
  ["node", [process.execPath, `${EXAMPLES}stream-json.mjs`]],
  ["python3", ["python3", `${EXAMPLES}stream_json.py`]],
];

let programs: Programs;
beforeEach(() => {
  programs = new Programs();
});
afterEach(() => programs.close());

test.each(COMMANDS)(
  "the example in %s asks twice in one conversation, and prints what ran and what was not allowed",
  async (_name, command) => {
    const { server, ended } = await programs.start(
      [...command, "Read it.", "Change it."],
      [
        uses("Read", { file_path: "a.txt" }),
        said("It says hello."),
        uses("Write", { file_path: "b.txt", content: "x" }, "toolu_2"),
        said("I may not."),
      ],
    );
    expect(await ended).toEqual({
      code: 0,
      out: "→ Read\nIt says hello.\n→ Write\nI may not.\nWrite was not allowed\n",
      error: "",
    });
    expect(server.requests[3]?.text).toContain("Read it.");
  },
);

test.each(COMMANDS)("the example in %s ends with the exit code of the program", async (_name, command) => {
  const { ended } = await programs.start([...command, "Hello."], [], { ANTHROPIC_API_KEY: "" });
  expect((await ended).code).toBe(3);
});

test("a signal to the example ends the program", async () => {
  const [[, command]] = COMMANDS as [[string, [string, string]]];
  const { child, server, ended } = await programs.start(
    [...command, "Look around."],
    [{ pieces: [], after: "hang" }],
  );
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGINT");
  expect((await ended).code).toBe(130);
  // Other tests run the same program at the same time, with other prompts.
  expect(running("Look around.")).toEqual([]);
});
