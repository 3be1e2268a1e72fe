import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { ROOT, filesOf, textOf } from "./source.ts";

function runExample(name: string): Promise<{ code: number | null; printed: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--import", "tsx", `examples/${name}.ts`],
      { cwd: ROOT },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode, printed: stdout + stderr });
      },
    );
  });
}

/** Far more than any example takes, so that a busy machine is not a failure. */
const LIMIT_MS = 180_000;

/** A line that each example must print. */
const SHOWN = {
  "quick-start": "It is sunny in Oslo.",
  batch: "No such tool available: Raed. Did you mean Read?",
  openai: "Error: ENOENT: no such file or directory",
  permissions: "Only read for now.",
  stopping: "it reached its time limit of 0.2 s",
  "large-results": "the file has 100000 lines",
  recovery: "Outcome unknown: the program ended while this call was running.",
  approvals: "deferred: 1 question is open",
  limits: "call_3 waits for api:/github",
  around: "Look failed and runs again\nLook was quick\n",
  "prepare-turn": "turn 1: small with Search\nturn 2: large with Search, Refund\nThe refund is on its way.",
  "structured-output": "42.5 EUR, due in 14 days",
  "charge-once": "charged 1 time",
  "code-mode": '{"checked":30,"ordered":3}\n2 turns',
  "provider-scripts": "call_1: succeeded\ncall_2: succeeded\ncall_3: denied\n",
  simulate: "with the list declared: 0 races in 5 runs",
  "tool-search": "302 tools\nToolSearch: succeeded\nRefund: succeeded\nAda has her money back.",
  retry: "Rate failed (attempt 2), next try in 100 ms\nsucceeded after 3 attempts",
  cache: "4 calls, 2 lookups\n5 calls, 3 lookups",
  agent: "completed after 2 turns",
  "own-ui": "  succeeded: Read package.json",
  "ai-sdk": "(looking up Oslo while the model talks)",
  "anthropic-sdk": "completed: user, assistant, user, assistant",
  "openai-sdk": "completed: user, assistant, tool, assistant",
  workers: "8 letters",
  fleet: "8 calls ran on 2 workers",
  "agent-queue": "Refund waits for a person: money leaves the account. Sessions at work: 0",
  "own-store": "all checks of the store passed",
  "many-prompts": "first run: stopped by the budget\nboth runs: 500 of 500 answered",
  "own-model": "completed, 200 tokens in",
  otel: "execute_tool Read {",
};

test.concurrent.each(Object.entries(SHOWN))(
  "the example %s runs and prints what it shows",
  async (name, shown) => {
    const { code, printed } = await runExample(name);
    expect(printed).toContain(shown);
    expect(code).toBe(0);
  },
  LIMIT_MS,
);

test("every recipe of the cookbook names a program that a test runs", () => {
  const tested = [...Object.keys(SHOWN), "chat-server", "ui-chat"];
  const pages = filesOf(".md", "docs/cookbook").filter((file) => !file.endsWith("README.md"));
  expect(pages.length).toBeGreaterThanOrEqual(5);
  for (const page of pages) {
    const [, name = ""] = /^node --import tsx examples\/([\w-]+)\.ts/m.exec(textOf(page)) ?? [];
    expect([page, tested.includes(name)]).toEqual([page, true]);
  }
});

test("code that the docs show from a file is in the file", () => {
  const shown = filesOf(".md", ".").flatMap((file) =>
    [...textOf(file).matchAll(/```ts(?: no-run)?\n\/\/ (examples\/[\w-]+\.ts)\n([^]*?)```/g)].map(
      ([, path, code]) => ({
        file,
        path: path as string,
        code,
      }),
    ),
  );
  expect(shown.length).toBeGreaterThan(0);
  for (const { path, code } of shown) expect(textOf(path)).toContain(code);
});
