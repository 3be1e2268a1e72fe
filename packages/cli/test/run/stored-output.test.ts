import { afterEach, beforeEach, expect, test } from "vitest";
import { Shell, said, uses } from "./shell.ts";

let shell: Shell;
beforeEach(() => {
  shell = new Shell();
});
afterEach(() => shell.close());

interface Result {
  readonly type: string;
  readonly content: string;
  readonly is_error: boolean;
}

/** The result that the last request of a server ends with. */
function lastResult(requests: readonly { readonly text: string }[]): Result {
  const { messages } = JSON.parse(requests.at(-1)?.text ?? "{}") as {
    messages: { content: Result[] }[];
  };
  const results = messages.flatMap(({ content }) => content).filter(({ type }) => type === "tool_result");
  return results.at(-1) as Result;
}

test("output that was stored in a file can be read back without a question, also after --continue", async () => {
  const first = await shell.run({
    args: ["-p", "count"],
    answers: [uses("Bash", { command: "seq 1 40000" }), said("Counted.")],
  });
  expect([first.code, first.out]).toEqual([0, "Counted.\n"]);
  const { content } = lastResult(first.server.requests);
  const [, file_path = ""] = /The full output is in (\S+\.out)\./.exec(content) ?? [];
  const second = await shell.run({
    args: ["-p", "read it", "--continue"],
    answers: [uses("Read", { file_path, offset: 20_000, limit: 2 }, "toolu_2"), said("Read.")],
  });
  expect([second.code, second.out]).toEqual([0, "Read.\n"]);
  const read = lastResult(second.server.requests);
  expect([read.is_error, read.content]).toEqual([false, expect.stringContaining("20001")]);
});
