import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { type Given, Shell, said, uses } from "./shell.ts";

const shell = new Shell();
afterAll(() => shell.close());

type Line = Readonly<Record<string, unknown>>;
type Reply = (request: Line) => Line | Error | undefined;

/** A host that answers requests of the program, and sends its own. */
class TestHost {
  readonly lines: Line[] = [];
  readonly asked: Line[] = [];
  readonly #child: ChildProcess;
  readonly #reply: Reply;
  #wake = (): void => {};

  constructor(child: ChildProcess, reply: Reply) {
    this.#child = child;
    this.#reply = reply;
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => this.#take(line));
  }

  write(line: object): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  prompt(content: string): void {
    this.write({ type: "user", message: { role: "user", content } });
  }

  end(): void {
    this.#child.stdin?.end();
  }

  async until(isWanted: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.lines.find(isWanted);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async request(request: Line, id: string): Promise<Line> {
    this.write({ type: "control_request", request_id: id, request });
    const isAnswer = ({ type, response }: Line): boolean =>
      type === "control_response" && (response as Line)["request_id"] === id;
    return (await this.until(isAnswer))["response"] as Line;
  }

  #take(text: string): void {
    const line = JSON.parse(text) as Line;
    this.lines.push(line);
    if (line["type"] === "control_request") this.#answer(line);
    this.#wake();
  }

  #answer({ request_id, request }: Line): void {
    this.asked.push(request as Line);
    const reply = this.#reply(request as Line);
    if (reply === undefined) return;
    const response =
      reply instanceof Error
        ? { subtype: "error", request_id, error: reply.message }
        : { subtype: "success", request_id, response: reply };
    this.write({ type: "control_response", response });
  }
}

const ARGS = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];

async function host(given: Partial<Given>, reply: Reply = () => ({})) {
  const { child, ended, server } = await shell.start({
    stdin: "open",
    ...given,
    args: [...ARGS, ...(given.args ?? [])],
  });
  return { host: new TestHost(child, reply), ended, server };
}

const isResult = ({ type }: Line): boolean => type === "result";

test("stream-json input needs no -p; initialize is answered, and an unknown subtype with an error", async () => {
  const run = await host({ answers: [said("Hello.")] });
  const begun = await run.host.request({ subtype: "initialize" }, "1");
  expect(begun).toMatchObject({ subtype: "success", response: { commands: [], output_style: "default" } });
  const unknown = await run.host.request({ subtype: "dance" }, "2");
  expect(unknown).toMatchObject({ subtype: "error", error: expect.stringContaining("dance") as string });
  const status = await run.host.request({ subtype: "mcp_status" }, "3");
  expect(status["response"]).toEqual({ mcpServers: [] });
  const task = await run.host.request({ subtype: "stop_task", task_id: "none" }, "4");
  expect(task["subtype"]).toBe("error");
  const thinking = (max_thinking_tokens: unknown, id: string): Promise<Line> =>
    run.host.request({ subtype: "set_max_thinking_tokens", max_thinking_tokens }, id);
  expect(await thinking(-1, "5")).toMatchObject({
    subtype: "error",
    error: "max_thinking_tokens must be a number of at least 0 or null, got -1.",
  });
  expect((await thinking(0, "6"))["subtype"]).toBe("success");
  run.host.prompt("hi");
  expect(await run.host.until(isResult)).toMatchObject({ subtype: "success", result: "Hello." });
  expect(run.server.requests[0]?.body).toMatchObject({ thinking: { type: "disabled" } });
  run.host.end();
  expect((await run.ended).code).toBe(0);
});

test("can_use_tool: an answer that is an error or not valid denies the call; a deny rule is never asked about", async () => {
  const answers = [
    uses("Write", { file_path: "one.txt", content: "x" }, "toolu_1"),
    uses("Write", { file_path: "two.txt", content: "x" }, "toolu_2"),
    uses("Write", { file_path: "three.txt", content: "x" }, "toolu_3"),
    uses("Write", { file_path: "four.txt", content: "x" }, "toolu_4"),
    said("Done."),
  ];
  const replies: (Line | Error)[] = [
    new Error("no idea"),
    { behavior: "perhaps" },
    { behavior: "allow", updatedInput: { file_path: "four.txt", content: "x" } },
  ];
  const run = await host(
    { answers, args: ["--permission-prompt-tool=stdio", "--disallowedTools", "Edit(four.txt)"] },
    ({ subtype }) => (subtype === "can_use_tool" ? replies.shift() : {}),
  );
  run.host.prompt("write");
  const result = await run.host.until(isResult);
  run.host.end();
  await run.ended;
  expect(run.host.asked.map(({ tool_use_id }) => tool_use_id)).toEqual(["toolu_1", "toolu_2", "toolu_3"]);
  expect(
    ["one", "two", "three", "four"].map((name) => existsSync(join(shell.root, "project", `${name}.txt`))),
  ).toEqual([false, false, false, false]);
  expect(result["permission_denials"]).toHaveLength(4);
});

test("hook_callback decides, mcp_message carries a server of the host, and a mode that is not allowed is refused", async () => {
  const initialize = {
    subtype: "initialize",
    hooks: { PostToolUse: [{ matcher: "mcp__calc__add", hookCallbackIds: ["after"] }] },
    sdkMcpServers: ["calc"],
  };
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "calc", version: "1" },
    },
    "tools/list": { tools: [{ name: "add", description: "Adds.", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "sum 5" }] },
  };
  const reply: Reply = ({ subtype, message }) => {
    if (subtype === "hook_callback")
      return { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "well done" } };
    const { id, method } = message as Line;
    return { mcp_response: { jsonrpc: "2.0", id, result: results[String(method)] ?? {} } };
  };
  const run = await host(
    { answers: [uses("mcp__calc__add", { a: 2 }), said("5")], args: ["--allowedTools", "mcp__calc__add"] },
    reply,
  );
  await run.host.request(initialize, "1");
  const refused = await run.host.request({ subtype: "set_permission_mode", mode: "bypassPermissions" }, "2");
  expect(refused["subtype"]).toBe("error");
  const changed = await run.host.request({ subtype: "set_permission_mode", mode: "plan" }, "3");
  expect(changed["response"]).toEqual({ mode: "plan" });
  await run.host.request({ subtype: "set_permission_mode", mode: "default" }, "4");
  run.host.prompt("add");
  await run.host.until(isResult);
  run.host.end();
  await run.ended;
  expect(run.server.requests[1]?.text).toContain("sum 5");
  expect(run.server.requests[1]?.text).toContain("well done");
  const callback = run.host.asked.find(({ subtype }) => subtype === "hook_callback");
  expect(callback).toMatchObject({ callback_id: "after", tool_use_id: "toolu_1" });
});

test("a question is withdrawn when the turn is interrupted, and the next prompt is answered", async () => {
  const run = await host(
    {
      answers: [uses("Write", { file_path: "x.txt", content: "x" }), said("Next.")],
      args: ["--permission-prompt-tool=stdio"],
    },
    ({ subtype }) => (subtype === "can_use_tool" ? undefined : {}),
  );
  run.host.prompt("write");
  await run.host.until(({ type }) => type === "control_request");
  expect((await run.host.request({ subtype: "interrupt" }, "1"))["response"]).toEqual({ still_queued: [] });
  await run.host.until(({ type }) => type === "control_cancel_request");
  expect(await run.host.until(isResult)).toMatchObject({
    is_error: true,
    errors: [expect.any(String) as string],
  });
  run.host.prompt("again");
  expect(await run.host.until(({ result }) => result === "Next.")).toMatchObject({ subtype: "success" });
  run.host.end();
  await run.ended;
});

test("hooks of files: PermissionRequest answers, CLAUDE_ENV_FILE reaches Bash, the transcript and tool_response have the known form", async () => {
  const allow = JSON.stringify({ hookSpecificOutput: { decision: { behavior: "allow" } } });
  const hook = (command: string): object[] => [{ hooks: [{ type: "command", command }] }];
  const settings = {
    hooks: {
      SessionStart: hook('echo "export FROM_HOOK=yes" >> "$CLAUDE_ENV_FILE"'),
      PermissionRequest: hook(`echo '${allow}'`),
      PostToolUse: hook(`cat > ${shell.root}/post.json`),
      Stop: hook(`cat > ${shell.root}/stop.json`),
    },
  };
  const { code } = await shell.run({
    args: ["-p", "go", "--settings", JSON.stringify(settings)],
    answers: [uses("Bash", { command: 'echo "$FROM_HOOK" > env.txt; cat env.txt' }), said("Done.")],
  });
  const json = (name: string): Line => JSON.parse(readFileSync(join(shell.root, name), "utf8")) as Line;
  expect([code, readFileSync(join(shell.root, "project/env.txt"), "utf8")]).toEqual([0, "yes\n"]);
  expect(json("post.json")["tool_response"]).toMatchObject({ stdout: "yes", stderr: "", interrupted: false });
  const transcript = readFileSync(String(json("stop.json")["transcript_path"]), "utf8")
    .trim()
    .split("\n");
  const lines = transcript.map((line) => JSON.parse(line) as Line);
  expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(["user", "assistant"]));
  expect(lines.at(-1)).toMatchObject({
    type: "assistant",
    sessionId: json("stop.json")["session_id"],
    parentUuid: lines.at(-2)?.["uuid"],
    message: { role: "assistant", content: [{ type: "text", text: "Done." }] },
  });
});

test("a plan is answered through can_use_tool: revised, then approved with a mode, which is reported", async () => {
  const answers = [
    uses("ExitPlanMode", { plan: "# One" }, "toolu_1"),
    uses("ExitPlanMode", { plan: "# Two" }, "toolu_2"),
    uses("Write", { file_path: "one.txt", content: "x" }, "toolu_3"),
    said("Done."),
  ];
  const reply: Reply = ({ subtype, input }) => {
    if (subtype !== "can_use_tool") return {};
    if ((input as Line)["plan"] === "# One") return { behavior: "deny", message: "Smaller steps." };
    return {
      behavior: "allow",
      updatedInput: { plan: "# Two, by me" },
      updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    };
  };
  const run = await host(
    { answers, args: ["--permission-prompt-tool", "stdio", "--permission-mode", "plan"] },
    reply,
  );
  run.host.prompt("do it");
  await run.host.until(isResult);
  const asked = run.host.asked.filter(({ subtype }) => subtype === "can_use_tool");
  expect(asked.map(({ tool_name, input }) => [tool_name, input])).toEqual([
    ["ExitPlanMode", { plan: "# One" }],
    ["ExitPlanMode", { plan: "# Two" }],
  ]);
  const modes = run.host.lines.filter(({ subtype }) => subtype === "status");
  expect(modes.map(({ permissionMode }) => permissionMode)).toEqual(["acceptEdits"]);
  const results = JSON.stringify(run.host.lines.filter(({ type }) => type === "user"));
  expect(results).toContain("Smaller steps.");
  expect(results).toContain("# Two, by me");
  run.host.end();
  expect((await run.ended).code).toBe(0);
});
