import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedAnswer } from "../../../agent/test/support/model-server.ts";
import { refused, said, uses } from "../run/shell.ts";
import { Programs } from "./programs.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const ACTION = readFileSync(`${ROOT}action/action.yml`, "utf8");
const WORKFLOW = readFileSync(`${ROOT}examples/github-action/review.yml`, "utf8");

let programs: Programs;
beforeEach(() => {
  programs = new Programs();
});
afterEach(() => programs.close());

/** The script of its only step, as a runner writes it to a file. */
function script(): string {
  const lines = ACTION.split("\n");
  const begin = lines.findIndex((line) => line.trim() === "run: |") + 1;
  const indent = /^ */.exec(lines[begin] ?? "")?.[0].length ?? 0;
  return lines
    .slice(begin)
    .map((line) => line.slice(indent))
    .join("\n");
}

const names = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] as string).toSorted();

async function act(answers: readonly ScriptedAnswer[], env: Readonly<Record<string, string>> = {}) {
  const [output, summary] = [join(programs.root, "output"), join(programs.root, "summary")];
  const { server, ended } = await programs.start(
    ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script()],
    answers,
    {
      PROMPT: 'Sum up: `$(touch owned)` "it"',
      MODEL: "",
      ALLOWED_TOOLS: "Read,Grep,Glob",
      MAX_TURNS: "30",
      MAX_BUDGET_USD: "",
      VERSION: "latest",
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      ...env,
    },
  );
  const { code, error } = await ended;
  return {
    code,
    error,
    server,
    output: readFileSync(output, "utf8"),
    summary: readFileSync(summary, "utf8"),
  };
}

test("the inputs of the action are those that its step uses, and the workflow passes no others", () => {
  const [before = "", steps = ""] = ACTION.split("\nruns:\n");
  const declared = names(before.split("\noutputs:\n")[0] ?? "", /\n {2}([\w-]+):\n/g);
  expect(names(steps, /\$\{\{ inputs\.([\w-]+) \}\}/g)).toEqual(declared);
  expect(declared).toEqual(["allowed-tools", "max-budget-usd", "max-turns", "model", "prompt", "version"]);
  expect(script()).not.toContain("${{");
  const given = WORKFLOW.split("uses: ./.github/actions/runahead")[1]?.split("\n      - ")[0] ?? "";
  expect(names(given, /\n {10}([\w-]+):/g).filter((name) => name !== "ANTHROPIC_API_KEY")).toEqual([
    "allowed-tools",
    "max-budget-usd",
    "max-turns",
    "prompt",
  ]);
});

test("the answer is an output and in the summary; the prompt is treated as data", async () => {
  const answer = "It says hello.\nresult<<END\nEND";
  const { code, server, output, summary } = await act([uses("Read", { file_path: "a.txt" }), said(answer)]);
  expect(code).toBe(0);
  const [, end = "none"] = /^result<<(\S+)$/m.exec(output) ?? [];
  // No line of the answer may end it.
  expect(answer.split("\n")).not.toContain(end);
  expect(output.startsWith(`result<<${end}\n${answer}\n${end}\nsession-id=`)).toBe(true);
  expect(summary).toMatch(/^## Runahead\n\nIt says hello\.[^]*\*2 turns/);
  expect(server.requests[0]?.text).toContain("$(touch owned)");
  expect(existsSync(join(programs.project, "owned"))).toBe(false);
});

test("calls that are not allowed are not run, and the summary lists them", async () => {
  const { code, summary } = await act([uses("Bash", { command: "touch made" }), said("I could not.")]);
  expect([code, existsSync(join(programs.project, "made"))]).toEqual([0, false]);
  expect(summary).toContain("not allowed: Bash");
});

test("it fails with the program's exit code and message", async () => {
  const limit = await act([uses("Read", { file_path: "a.txt" })], { MAX_TURNS: "1" });
  expect([limit.code, limit.summary.includes("exit code 4")]).toEqual([4, true]);
  const key = await act([refused(401, "invalid x-api-key")]);
  expect([key.code, key.output.includes("(401). Check ANTHROPIC_API_KEY")]).toEqual([3, true]);
  const usage = await act([], { MAX_TURNS: "none" });
  expect([usage.code, usage.output.includes("exited with code 2 and without an answer")]).toEqual([2, true]);
  const other = await act([said("x")], { VERSION: "none" });
  expect(other.code).toBe(99);
});
