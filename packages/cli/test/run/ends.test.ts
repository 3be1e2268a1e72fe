import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkedLines } from "./stream-schema.ts";
import { Shell, refused, said, uses } from "./shell.ts";

let shell: Shell;
beforeEach(() => {
  shell = new Shell();
});
afterEach(() => shell.close());

const STREAM = ["--output-format", "stream-json"] as const;

test("without a key, it exits with 3 and one line that says what to set", async () => {
  const args = ["-p", "x"];
  const none = await shell.run({ args, env: { ANTHROPIC_API_KEY: "" } });
  expect([none.code, none.out, none.error]).toEqual([
    3,
    "",
    "runahead: No model is configured: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or OLLAMA_HOST with --model NAME.\n",
  ]);
  const stream = await shell.run({ args: [...args, ...STREAM], env: { ANTHROPIC_API_KEY: "" } });
  expect([stream.code, stream.lines()]).toMatchObject([3, [{ type: "result", is_error: true }]]);
});

test("I01: a bad key exits with 3, a rejected request with 1, and the result is marked as an error", async () => {
  const bad = await shell.run({ args: ["-p", "x", ...STREAM], answers: [refused(401, "invalid x-api-key")] });
  expect([bad.code, bad.server.requests.length, bad.lines().at(-1)]).toMatchObject([
    3,
    1,
    {
      subtype: "error_during_execution",
      is_error: true,
      result: expect.stringContaining("(401). Check ANTHROPIC_API_KEY.") as string,
    },
  ]);
  const odd = await shell.run({ args: ["-p", "x"], answers: [refused(400, "odd")] });
  expect([odd.code, odd.error]).toEqual([
    1,
    expect.stringMatching(/^runahead: The model request failed: .*odd.*\n$/) as string,
  ]);
});

test("a model that cannot be reached is retried a few times with a notice each, and then the exit code is 5", async () => {
  const server = createServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
  const [text, stream] = await Promise.all([
    shell.run({ args: ["-p", "x"], env }),
    shell.run({ args: ["-p", "x", ...STREAM], env }),
  ]);
  expect([text.code, text.out]).toEqual([5, ""]);
  expect(text.error).toMatch(/\. Retrying in 1 s\.\n[^]*runahead: The model request failed: .*127\.0\.0\.1/);
  const retries = stream.lines().filter(({ subtype }) => subtype === "api_retry");
  expect([stream.code, retries.map(({ attempt }) => attempt), stream.lines().at(-1)?.["is_error"]]).toEqual([
    5,
    [1, 2, 3, 4],
    true,
  ]);
  await new Promise((resolve) => server.close(resolve));
  // Nothing listens there now, and that does not change by waiting.
  const closed = await shell.run({ args: ["-p", "x", ...STREAM], env });
  expect([closed.code, closed.lines().filter(({ subtype }) => subtype === "api_retry")]).toEqual([5, []]);
});

test("overload is reported and retried until the model answers", async () => {
  const { code, lines } = await shell.run({
    args: ["-p", "x", ...STREAM],
    answers: [refused(529, "overloaded"), said("Here.")],
  });
  expect([code, lines().map(({ subtype }) => subtype)]).toEqual([
    0,
    ["init", "api_retry", undefined, "success"],
  ]);
});

test("invalid usage exits with 2 and suggests the nearest name", async () => {
  const [flag, command, prompt] = await Promise.all([
    shell.run({ args: ["--outptu-format", "json"] }),
    shell.run({ args: ["setings"] }),
    shell.run({ args: ["-p"] }),
  ]);
  expect([flag.code, flag.error]).toEqual([2, expect.stringContaining("--output-format") as string]);
  expect([command.code, command.error]).toEqual([2, expect.stringContaining("settings") as string]);
  expect([prompt.code, prompt.error]).toEqual([
    2,
    expect.stringContaining("no prompt. Pass it as an argument") as string,
  ]);
});

/** Processes whose command line has this in it. */
function running(mark: string): string[] {
  const all = execFileSync("ps", ["-eo", "pid,stat,args"], { encoding: "utf8" }).split("\n");
  return all.filter(
    (line) => line.includes(mark) && !/^\s*\d+\s+Z/.test(line) && !line.includes("runahead -p"),
  );
}

/** A run in the middle of a command that takes for ever. */
async function inCommand(mark: string, stdout: readonly string[] = STREAM) {
  const begun = await shell.start({
    args: ["-p", "x", ...stdout, "--allowedTools", "Bash(sleep:*)"],
    answers: [uses("Bash", { command: `sleep ${mark}` }), said("Done.")],
  });
  while (running(`sleep ${mark}`).length === 0) {
    if (begun.child.exitCode !== null) throw new Error("It ended before it ran.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return begun;
}

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)(
  "F07: %s stops running calls, is recorded, and exits with %d; the last line is a result, and the session can be resumed",
  async (signal, code) => {
    const mark = `3${code}.25`;
    const { child, ended } = await inCommand(mark);
    child.kill(signal);
    const { code: given, lines } = await ended;
    expect([given, lines().at(-1)?.["is_error"], running(`sleep ${mark}`)]).toEqual([code, true, []]);
    const resumed = await shell.run({ args: ["-p", "go on", "--continue"], answers: [said("Yes.")] });
    expect([resumed.code, resumed.out]).toEqual([0, "Yes.\n"]);
    expect(resumed.server.requests[0]?.text).toContain("may have had effects");
  },
);

test("SIGTERM while waiting for standard input exits too", async () => {
  const { child, ended } = await shell.start({ args: ["-p", ...STREAM], stdin: "open" });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGTERM");
  const { code, lines } = await ended;
  expect([code, lines().map(({ subtype }) => subtype)]).toEqual([143, ["init", "error_during_execution"]]);
});

test("I02, A17: if the reader closes the pipe, it exits with 1 without a message, and no process is left", async () => {
  const mark = "3777.25";
  const { child, ended } = await inCommand(mark);
  child.stdout.destroy();
  // Something must be said for that to be noticed.
  for (const line of running(`sleep ${mark}`)) process.kill(Number.parseInt(line, 10));
  const { code, error } = await ended;
  expect([code, error, running(`sleep ${mark}`)]).toEqual([1, "", []]);
});

test("A17: a reader that is slow gets everything before the program exits", async () => {
  const text = "0123456789".repeat(300_000);
  const { child, ended } = await shell.start({ args: ["-p", "x"], answers: [said(text)] });
  child.stdout.pause();
  // The pipe is full: the program has more to write than fits.
  await vi.waitFor(() => expect(child.stdout.readableLength).toBeGreaterThan(60_000), 60_000);
  child.stdout.resume();
  const { code, out, error } = await ended;
  expect([code, error, out.length, out === `${text}\n`]).toEqual([0, "", text.length + 1, true]);
});

test("I02: no further request is sent when nobody reads the answer", async () => {
  const overloaded = Array.from({ length: 10 }, () => refused(529, "overloaded"));
  const { child, server, ended } = await shell.start({ args: ["-p", "x", ...STREAM], answers: overloaded });
  await new Promise<void>((resolve) => {
    child.stdout.on("data", () => (server.requests.length > 0 ? resolve() : undefined));
  });
  child.stdout.destroy();
  const { code, error } = await ended;
  expect([code, error]).toEqual([1, ""]);
  expect(server.requests.length).toBeLessThan(5);
});

test("I02: a closed pipe causes no stack trace in commands that only print", async () => {
  const { child, ended } = await shell.start({ args: ["--help"] });
  child.stdout.destroy();
  const { code, error } = await ended;
  expect([code, error]).toEqual([1, ""]);
});

test("I04: a turn limit leaves a session that can be resumed", async () => {
  const first = await shell.run({
    args: ["-p", "x", "--max-turns", "1"],
    answers: [uses("Read", { file_path: "a.txt" })],
  });
  expect(first.code).toBe(4);
  const next = await shell.run({ args: ["-p", "go on", "--continue"], answers: [said("Yes.")] });
  expect([next.code, next.out]).toEqual([0, "Yes.\n"]);
});

test("the schema rejects invalid lines, and a stream that does not end with a result", () => {
  const result = {
    type: "result",
    subtype: "success",
    is_error: false,
    result: "",
    session_id: "",
    num_turns: 0,
    duration_ms: 1,
    total_cost_usd: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    permission_denials: [],
    stop_reason: null,
    modelUsage: {},
    duration_api_ms: 0,
    uuid: "1",
  };
  const notice = { type: "system", subtype: "notice", message: "", session_id: "", uuid: "2" };
  const printed = (...values: readonly object[]): string =>
    values.map((value) => JSON.stringify(value)).join("\n");
  expect(checkedLines(printed(notice, result))).toEqual([notice, result]);
  for (const wrong of [
    printed(result, notice),
    printed({ ...notice, more: 1 }, result),
    printed({ ...result, is_error: true }),
    printed({ type: "odd" }, result),
  ])
    expect(() => checkedLines(wrong)).toThrow();
});

test("only the session is left: no temporary folder remains", async () => {
  const ours = (): string[] => readdirSync("/tmp").filter((name) => name.startsWith("runahead-mcp-"));
  const before = ours();
  await shell.run({ args: ["-p", "x", "--mcp-config", '{"mcpServers": {}}'], answers: [said("Done.")] });
  expect(ours().filter((name) => !before.includes(name))).toEqual([]);
});
