import {
  type CanUseTool,
  type ExecutorOptions,
  StreamingToolExecutor,
  type Tool,
  type ToolResult,
  defineTool,
} from "@runahead/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { type Workplace, commands, newWorkplace } from "../../test/support/hook-scripts.ts";
import type { HookRunner } from "./hook-runner.ts";

let place: Workplace;
let ran: string[];
beforeEach(async () => {
  place = await newWorkplace();
  ran = [];
});
afterEach(async () => {
  expect(await place.leave()).toEqual([]);
});

const bash = defineTool({
  name: "Bash",
  aliases: ["Shell"],
  description: "Pretends to run a command.",
  inputSchema: z.object({ command: z.string() }),
  call: ({ command }) => {
    ran.push(command);
    if (command === "fail") throw new Error("it failed");
    return { printed: command };
  },
  toResult: ({ printed }) => printed,
});

const write = defineTool({
  name: "Write",
  description: "Pretends to write a file.",
  inputSchema: z.object({ file_path: z.string() }),
  call: ({ file_path }) => `wrote ${file_path}`,
});

interface Ran {
  readonly result: ToolResult;
  readonly executor: StreamingToolExecutor;
}

function newExecutor(runner: HookRunner, more: Partial<ExecutorOptions> = {}): StreamingToolExecutor {
  const tools = [bash as Tool, write as Tool];
  return new StreamingToolExecutor({
    tools,
    hooks: runner.engineHooks(),
    context: { cwd: place.folder },
    ...more,
  });
}

async function call(runner: HookRunner, command: string, more: Partial<ExecutorOptions> = {}): Promise<Ran> {
  const executor = newExecutor(runner, more);
  executor.add({ id: "call-1", name: "Bash", input: { command } });
  for await (const update of executor.remaining())
    if (update.type === "result") return { result: update.result, executor };
  throw new Error("no result");
}

const text = async (...args: Parameters<typeof call>): Promise<string> =>
  String((await call(...args)).result.content);
const json = (answer: object): string => `echo '${JSON.stringify(answer)}'`;
const specific = (members: object): string =>
  json({ hookSpecificOutput: { hookEventName: "PreToolUse", ...members } });
const decide = (permissionDecision: string, permissionDecisionReason = "") =>
  specific({ permissionDecision, permissionDecisionReason });
const pre = (...entries: (string | object)[]) => place.hooks(commands("PreToolUse", ...entries));

/** Rules that note what they are asked. The notes are not enumerable, so the rules can be spread as options. */
function rules(verdict: ReturnType<CanUseTool>) {
  const asked: unknown[] = [];
  const canUseTool: CanUseTool = (_tool, input, { hookDecision }) => {
    asked.push([input, hookDecision]);
    return verdict;
  };
  return Object.defineProperty({ canUseTool } as { canUseTool: CanUseTool; asked: unknown[] }, "asked", {
    value: asked,
  });
}

test("hooks in sh, node and python deny with exit code 2 and with JSON, and allow the rest", async () => {
  const guards = [
    await place.script("sh", `grep -q 'rm -rf' || exit 0\necho "no rm in sh" >&2\nexit 2`),
    await place.script(
      "node",
      `let text = ""; process.stdin.on("data", (piece) => (text += piece)).on("end", () => {
  const { tool_name, tool_input, tool_use_id } = JSON.parse(text);
  if (tool_name !== "Bash" || tool_use_id !== "call-1" || !tool_input.command.includes("rm -rf")) return;
  console.log(JSON.stringify({ hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no rm in node" } }));
});`,
    ),
    await place.script(
      "python",
      `import json, sys
if "rm -rf" in json.load(sys.stdin)["tool_input"]["command"]:
    print(json.dumps({"decision": "block", "reason": "no rm in python"}))`,
    ),
  ];
  const runner = pre(...guards);
  expect(await text(runner, "rm -rf /")).toBe(
    "Not run: denied by a hook. no rm in sh\nno rm in node\nno rm in python",
  );
  expect(await text(runner, "ls")).toBe("ls");
  expect([ran, place.notices]).toEqual([["ls"], []]);
});

test("D07: a hook that fails in any way is reported and makes no decision; with onFailure block it blocks", async () => {
  const failing = ["exit 1", "no-such-guard", "kill -KILL $$"];
  for (const command of failing) {
    expect(await text(pre(command), "ls", rules({ behavior: "deny", reason: "rule" }))).toBe(
      "Not run: denied by permissions. rule",
    );
    expect(await text(pre(command), "ls")).toBe("ls");
    expect(await text(pre({ command, onFailure: "block" }), "ls")).toMatch(
      /^Not run: denied by a hook\. The PreToolUse hook /,
    );
  }
  expect(ran).toEqual(["ls", "ls", "ls"]);
  expect(place.notices.map((notice) => notice.replace(/: .*\. (?=It)/, ": … "))).toEqual(
    failing.flatMap((command) => {
      const failed = `The PreToolUse hook ${JSON.stringify(command)} of settings.json failed: … It`;
      return [`${failed} made no decision.`, `${failed} made no decision.`, `${failed} blocks.`];
    }),
  );
});

test("D08: a hook that takes too long makes no decision, so the rules decide, and a late allow never counts", async () => {
  const slow = { command: `${decide("allow")}; sleep 600`, timeout: 0.5 };
  const asking = rules({ behavior: "ask", reason: "rule" });
  expect(await text(pre(slow), "npm publish", asking)).toContain("nobody can be asked in this run");
  expect(asking.asked).toEqual([[{ command: "npm publish" }, undefined]]);
  expect(await text(pre({ ...slow, onFailure: "block" }), "npm publish")).toContain(
    "it took longer than 0.5 s",
  );
  expect([ran, place.notices.length]).toEqual([[], 2]);
});

test("D09: invalid output of a hook decides nothing, and exit code 2 blocks whatever was printed", async () => {
  const garbage = [
    "echo '[1]'",
    "echo '{'",
    String.raw`printf '\000\377{'`,
    `echo banner; ${decide("deny")}`,
  ];
  for (const command of garbage) expect(await text(pre(command), "ls")).toBe("ls");
  for (const command of garbage)
    expect(await text(pre(`${command}; echo no >&2; exit 2`), "ls")).toBe("Not run: denied by a hook. no");
  expect(await text(pre(`${decide("allow")}; echo no >&2; exit 2`), "ls")).toBe(
    "Not run: denied by a hook. no",
  );
  expect(place.notices.map((notice) => notice.split(" failed: ")[1])).toEqual([
    "its output is not valid JSON, so it is read as text. It made no decision.",
    "it printed text before its JSON, so all of it is read as text. It made no decision.",
  ]);
});

test("D10: if hooks disagree, deny wins over defer, and defer and ask win over allow", async () => {
  const [allow, ask, deny, defer] = ["allow", "ask", "deny", "defer"].map((word) => decide(word, word)) as [
    string,
    string,
    string,
    string,
  ];
  expect(await text(pre(allow, ask, defer, deny), "ls")).toBe("Not run: denied by a hook. deny");
  const nobody = /nobody can be asked in this run/;
  expect(await text(pre(allow, ask), "ls")).toMatch(nobody);
  expect(await text(pre(defer, allow), "ls", { canDefer: false })).toMatch(nobody);
  await expect(call(pre(defer, allow), "ls")).rejects.toThrow("no result");
  const asking = rules({ behavior: "allow" });
  expect(await text(pre(allow), "ls", asking)).toBe("ls");
  expect([asking.asked, ran]).toEqual([[[{ command: "ls" }, "allow"]], ["ls"]]);
});

test("if a hook returns ask, the user is asked and decides", async () => {
  const questions: unknown[] = [];
  const ask = ({ input }: { input: unknown }) => {
    questions.push(input);
    return { behavior: "allow" } as const;
  };
  expect(await text(pre(decide("ask")), "ls", { ...rules({ behavior: "allow" }), ask })).toBe("ls");
  expect(questions).toEqual([{ command: "ls" }]);
});

test("D11: a hook's allow does not override a deny", async () => {
  const denying = rules({ behavior: "deny", reason: "the rule Bash(rm *)" });
  expect(await text(pre(decide("allow")), "rm x", denying)).toBe(
    "Not run: denied by permissions. the rule Bash(rm *)",
  );
  expect([denying.asked, ran]).toEqual([[[{ command: "rm x" }, "allow"]], []]);
});

test("D12: input that a hook changed is validated and judged again", async () => {
  const change = (updatedInput: object) => specific({ permissionDecision: "allow", updatedInput });
  const canUseTool: CanUseTool = (_tool, input) =>
    (input as { command: string }).command.startsWith("rm")
      ? { behavior: "deny", reason: "the rule Bash(rm *)" }
      : { behavior: "allow" };
  expect(await text(pre(change({ command: "rm x" })), "ls", { canUseTool })).toBe(
    "Not run: denied by permissions. the rule Bash(rm *)",
  );
  expect(await text(pre(change({ comand: "ls" })), "ls", { canUseTool })).toContain("InputValidationError");
  expect(await text(pre(change({ command: "ls -l" })), "ls", { canUseTool })).toBe("ls -l");
  expect(
    await text(pre(change({ command: "first" }), change({ command: "second" })), "ls", { canUseTool }),
  ).toBe("second");
  expect(place.notices).toEqual(["2 hooks changed the input of a Bash call. The last change is used."]);
  expect(ran).toEqual(["ls -l", "second"]);
});

test("D13: a hook that ends the turn while a call fails ends it, and every call has its result", async () => {
  const runner = place.hooks(commands("PostToolUseFailure", json({ continue: false, stopReason: "enough" })));
  const executor = newExecutor(runner);
  executor.add({ id: "call-1", name: "Bash", input: { command: "fail" } });
  executor.add({ id: "call-2", name: "Bash", input: { command: "ls" } });
  const results: unknown[] = [];
  for await (const update of executor.remaining())
    if (update.type === "result") results.push([update.callId, String(update.result.content).split("\n")[0]]);
  expect(results).toEqual([
    ["call-1", "Error: it failed"],
    ["call-2", expect.stringMatching(/^Not run: /)],
  ]);
  expect([executor.endedBy, ran]).toEqual(["enough", ["fail"]]);
});

test("D13: a hook that ends the turn before a call prevents it from running", async () => {
  const { result, executor } = await call(pre(json({ continue: false, stopReason: "not today" })), "ls");
  expect(result).toEqual({
    type: "tool_result",
    tool_use_id: "call-1",
    content: "Not run: denied by a hook. not today",
    is_error: true,
  });
  expect([executor.endedBy, ran]).toEqual(["a hook ended the turn", []]);
});

test("context from hooks before and after a call, and after a failure, reaches the result", async () => {
  const add = (additionalContext: string) => specific({ additionalContext });
  const runner = place.hooks({
    ...commands("PreToolUse", add("one"), add("two")),
    ...commands("PostToolUse", add("three"), "echo 'not formatted' >&2; exit 2"),
    ...commands("PostToolUseFailure", add("four"), json({ decision: "block", reason: "again" })),
  });
  const adds = (...texts: string[]) => texts.map((each) => `Added by a hook: ${each}`);
  expect((await text(runner, "ls")).split("\n")).toEqual([
    "ls",
    ...adds("one", "two", "three"),
    "A hook objects: not formatted",
  ]);
  const failed = (await text(runner, "fail")).split("\n");
  expect([failed[0], ...failed.slice(-4)]).toEqual([
    "Error: it failed",
    ...adds("one", "two", "four"),
    "A hook objects: again",
  ]);
  expect(runner.takeContext()).toEqual([]);
});

test("context from a hook about a call that did not run is kept for the next message", async () => {
  const runner = pre(specific({ additionalContext: "careful" }));
  await call(runner, "ls", rules({ behavior: "deny" }));
  expect([runner.takeContext(), runner.takeContext()]).toEqual([["careful"], []]);
  const denied = pre(
    specific({ additionalContext: "careful", permissionDecision: "deny", permissionDecisionReason: "no" }),
  );
  expect(await text(denied, "ls")).toBe("Not run: denied by a hook. no\ncareful");
});

test("a hook can replace what the model reads", async () => {
  const replaced = async (updatedToolOutput: unknown) => {
    const runner = place.hooks(commands("PostToolUse", json({ hookSpecificOutput: { updatedToolOutput } })));
    return (await call(runner, "ls")).result.content;
  };
  expect(await replaced("hidden")).toBe("hidden");
  expect(await replaced([{ type: "text", text: "block" }])).toEqual([{ type: "text", text: "block" }]);
  expect(await replaced({ printed: "x" })).toBe('{"printed":"x"}');
  expect(await replaced([{ type: "odd" }])).toBe('[{"type":"odd"}]');
});

test("hooks after a call get its output, duration, error and cause", async () => {
  const runner = place.hooks({
    ...commands("PostToolUse", "cat > after"),
    ...commands("PostToolUseFailure", "cat > failed"),
  });
  const base = { tool_name: "Bash", tool_use_id: "call-1", cwd: place.folder, session_id: "session-1" };
  await call(runner, "ls");
  expect(JSON.parse(await place.read("after"))).toMatchObject({
    ...base,
    tool_input: { command: "ls" },
    tool_response: { printed: "ls" },
  });
  await call(runner, "fail");
  expect(JSON.parse(await place.read("failed"))).toMatchObject({
    ...base,
    error: "it failed",
    is_interrupt: false,
  });
  const { signal } = new AbortController();
  const context = { cwd: place.folder };
  const facts = {
    callId: "call-1",
    tool: bash as Tool,
    input: {},
    signal,
    context,
    output: undefined,
    content: "text",
    ranMs: 12.4,
  };
  await runner.engineHooks({ id: "agent-7", type: "reviewer" }).postToolUse?.(facts);
  expect(JSON.parse(await place.read("after"))).toMatchObject({
    tool_response: "text",
    duration_ms: 12,
    agent_id: "agent-7",
    agent_type: "reviewer",
  });
});

test("hooks run whatever a tool returns", async () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const odd = defineTool({
    name: "Odd",
    description: "",
    inputSchema: z.object({}),
    call: () => circle,
    toResult: () => "a circle",
  });
  const runner = place.hooks(commands("PostToolUse", "cat > after"));
  const executor = newExecutor(runner, { tools: [odd] });
  executor.add({ id: "1", name: "Odd", input: {} });
  for await (const update of executor.remaining()) void update;
  expect(JSON.parse(await place.read("after"))).toMatchObject({ tool_response: "a circle" });
});

test("a call that the user stops is reported to hooks as interrupted, and its hooks can finish", async () => {
  const slow = defineTool({
    name: "Slow",
    description: "Runs until it is stopped.",
    inputSchema: z.object({}),
    call: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
        setTimeout(() => executor.interrupt("stop"), 10);
      }),
  });
  const runner = place.hooks(commands("PostToolUseFailure", "cat > failed"));
  const executor = newExecutor(runner, { tools: [slow] });
  executor.add({ id: "1", name: "Slow", input: {} });
  for await (const update of executor.remaining()) void update;
  expect(JSON.parse(await place.read("failed"))).toMatchObject({ error: "stopped", is_interrupt: true });
});

test("stopping the turn stops a running hook, and the call does not run", async () => {
  const stopping = new AbortController();
  const runner = pre("touch begun; sleep 600");
  const running = call(runner, "ls", { signal: stopping.signal });
  await expect.poll(() => place.read("begun").catch(() => undefined)).toBe("");
  stopping.abort();
  expect(String((await running).result.content)).toMatch(/^Not run: /);
  await runner.close();
  expect([ran, place.notices]).toEqual([[], []]);
});

test("hooks get absolute paths, and match by any name of the tool", async () => {
  const hook = (matcher: string, command: string) => ({ matcher, hooks: [{ type: "command", command }] });
  const runner = place.hooks({
    PreToolUse: [hook("Write", "cat > write"), hook("Shell", "touch alias"), hook("^Wri$", "touch never")],
  });
  const executor = newExecutor(runner);
  executor.add({ id: "1", name: "Write", input: { file_path: "src/../a.ts" } });
  executor.add({ id: "2", name: "Bash", input: { command: "ls" } });
  const texts: unknown[] = [];
  for await (const update of executor.remaining())
    if (update.type === "result") texts.push(update.result.content);
  expect(texts).toEqual(["wrote src/../a.ts", "ls"]);
  expect(JSON.parse(await place.read("write"))).toMatchObject({
    tool_input: { file_path: `${place.folder}/a.ts` },
  });
  expect(await place.read("alias")).toBe("");
  await expect(place.read("never")).rejects.toThrow("ENOENT");
});

test("a rule limits a hook to matching calls; if the rule cannot be checked, the hook runs", async () => {
  const hooks = commands("PreToolUse", { command: "exit 2", if: "Bash(git *)" });
  const seen: unknown[] = [];
  const matchesRule = (rule: unknown, toolName: string, input: unknown): boolean => {
    seen.push([rule, toolName, input]);
    return (input as { command: string }).command.startsWith("git ");
  };
  const runner = place.hooks(hooks, { matchesRule });
  expect([await text(runner, "git push"), await text(runner, "ls")]).toEqual([
    "Not run: denied by a hook. The hook gave no reason.",
    "ls",
  ]);
  expect(seen[0]).toEqual([{ text: "Bash(git *)", root: place.folder }, "Bash", { command: "git push" }]);
  const broken = (): boolean => {
    throw new Error("bad rule");
  };
  expect(await text(place.hooks(hooks, { matchesRule: broken }), "ls")).toContain("denied by a hook");
  expect(await text(place.hooks(hooks), "ls")).toContain("denied by a hook");
  expect(place.notices).toEqual([
    expect.stringContaining("runs because its rule could not be checked: bad rule"),
  ]);
});

test("functions decide on calls as commands do, and cannot change the input of other hooks", async () => {
  const runner = place.hooks(commands("PreToolUse", "cat > seen"), {
    inProcess: [
      {
        event: "PreToolUse",
        matcher: "Bash",
        run: (payload) => {
          (payload["tool_input"] as { command: string }).command = "changed";
          return {
            systemMessage: "looked",
            hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no" },
          };
        },
      },
    ],
  });
  expect(await text(runner, "ls")).toBe("Not run: denied by a hook. no");
  expect(JSON.parse(await place.read("seen"))).toMatchObject({ tool_input: { command: "ls" } });
  expect(place.notices).toEqual(["PreToolUse hook: looked"]);
});

test("if the hooks of a call cannot run, the call does not run", async () => {
  const runner = pre("exit 0");
  await runner.close();
  expect(await text(runner, "ls")).toBe(
    "Not run: denied by a hook. The session is closing, so its hooks cannot check the call.",
  );
  const permissionMode = (): string => {
    throw new Error("no mode");
  };
  const broken = place.hooks(commands("PreToolUse", "exit 0"), { permissionMode });
  expect(await text(broken, "ls")).toBe("Not run: denied by a hook. Its hooks could not run: no mode");
  expect(ran).toEqual([]);
});

test("calls that no hook matches are not delayed", () => {
  expect(place.hooks({}).engineHooks()).toEqual({});
  const stop = place.hooks(commands("Stop", "true")).engineHooks();
  expect(stop).toEqual({});
  const guarded = place.hooks({
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }],
  });
  const { signal } = new AbortController();
  const matches = (tool: unknown) =>
    guarded
      .engineHooks()
      .matches?.({ callId: "1", tool: tool as Tool, input: {}, context: { cwd: "/" }, signal });
  expect([matches(bash), matches(write)]).toEqual([true, false]);
});
