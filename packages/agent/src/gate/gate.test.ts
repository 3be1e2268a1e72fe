import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hooks, Question } from "@runahead/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noting } from "../../test/support/noting-tool.ts";
import { runQuery } from "../../test/support/run-query.ts";
import type { Model, ModelEvent } from "../model/event.ts";
import type { Block } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import { NO_USAGE } from "../model/token-usage.ts";
import { createPermissionGate, type PermissionGate } from "./gate.ts";
import type { GateOptions, PersonAnswer, PersonQuestion } from "./gate-options.ts";
import { agentTool } from "../agents/sub-agent.ts";

let cwd = "";
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "runahead-gate-"));
  mkdirSync(join(cwd, ".git"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const bash = (id: string, command: string): Block => ({
  type: "tool_use",
  id,
  name: "Bash",
  input: { command },
});
const write = (id: string, path: string): Block => ({
  type: "tool_use",
  id,
  name: "Write",
  input: { file_path: path, content: "x" },
});

interface Lists {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

function gateOf(lists: Lists, mode: string, options: Partial<GateOptions> = {}): PermissionGate {
  const sources = [{ name: "settings.json", root: cwd, trusted: true, ...lists }];
  return createPermissionGate({ settings: { mode, sources }, cwd, home: join(cwd, "home"), ...options });
}

/** One turn of these calls; gives what ran. */
async function ranOf(calls: readonly Block[], gate: PermissionGate, hooks: Hooks = {}): Promise<unknown[]> {
  const ran: unknown[] = [];
  const tools = [noting("Bash", ran), noting("Write", ran), noting("Edit", ran)];
  const model = scripted([calls, [{ type: "text", text: "Done." }]]);
  await runQuery({ prompt: "go", model, tools, permissions: gate, hooks, cwd });
  return ran;
}

test("an answer that adds a rule does not abort the signal of its own question", async () => {
  const aborted: boolean[] = [];
  const askPerson = async ({ signal }: PersonQuestion): Promise<PersonAnswer> => {
    signal.addEventListener("abort", () => aborted.push(true));
    return { type: "session", rules: ["Bash"] };
  };
  const gate = gateOf({}, "default", { askPerson });
  expect(await ranOf([bash("1", "make a")], gate)).toHaveLength(1);
  expect(aborted).toEqual([]);
});

test("D11, D12: no rules, mode, hook or answer turns a deny or a protected write into a run", async () => {
  const modes = ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];
  const lists: Lists[] = [
    { deny: ["Bash(rm:*)"] },
    { deny: ["Bash(rm:*)"], allow: ["Bash", "Write", "Edit"] },
    { deny: ["Bash(rm:*)"], ask: ["Bash(rm:*)"], allow: ["Bash(rm:*)", "Bash(rm -rf build)", "Edit(**)"] },
  ];
  const hooks: Hooks[] = [
    {},
    { preToolUse: () => ({ decision: "allow" }) },
    { preToolUse: () => ({ decision: "ask" }) },
    { preToolUse: ({ input }) => ({ decision: "allow", input: { ...(input as object) } }) },
    {
      preToolUse: ({ tool }) => ({
        decision: "allow",
        input:
          tool.name === "Bash"
            ? { command: "rm -rf build" }
            : { file_path: join(cwd, ".git/config"), content: "x" },
      }),
    },
  ];
  const answers: PersonAnswer[] = [
    { type: "once" },
    { type: "session", rules: ["Bash(rm:*)", "Bash", "Write", "Edit(**)"] },
    { type: "always", rules: ["Bash(rm:*)", "Edit(**)"] },
  ];
  const calls = [bash("1", "rm -rf build"), bash("2", "ls; $(rm x)"), write("3", join(cwd, ".git/config"))];
  let combinations = 0;
  for (const mode of modes)
    for (const list of lists)
      for (const hook of hooks)
        for (const answer of answers) {
          const judge = () =>
            Promise.resolve({ decision: "allow", reason: "fine", model: "m", usage: NO_USAGE } as const);
          const gate = gateOf(list, mode, { askPerson: () => answer, save: () => Promise.resolve(), judge });
          expect([mode, list, answer, await ranOf(calls, gate, hook)]).toEqual([mode, list, answer, []]);
          combinations++;
        }
  expect(combinations).toBe(270);
});

test("a hook's allow answers a question of the mode, but not of a rule", async () => {
  const hooks: Hooks = { preToolUse: () => ({ decision: "allow" }) };
  const call = [bash("1", "make all")];
  expect(await ranOf(call, gateOf({}, "default"))).toEqual([]);
  expect(await ranOf(call, gateOf({}, "default"), hooks)).toHaveLength(1);
  expect(await ranOf(call, gateOf({ ask: ["Bash(make:*)"] }, "default"), hooks)).toEqual([]);
});

test("the question says what is asked, why, and which rules the answer would add", async () => {
  const questions: PersonQuestion[] = [];
  const askPerson = (question: PersonQuestion): PersonAnswer => {
    questions.push(question);
    return { type: "no", message: "use the other one" };
  };
  expect(await ranOf([bash("1", "make all")], gateOf({}, "default", { askPerson }))).toEqual([]);
  expect(questions).toMatchObject([{ toolName: "Bash", input: { command: "make all" }, waiting: 0 }]);
  expect(questions[0]?.choices).toEqual([
    { label: "Allow exactly this command", rules: ["Bash(make all)"], scopes: ["session", "always"] },
  ]);
  expect(questions[0]?.reason).not.toBe("");
});

test("D06: an answer for the session applies to waiting and later calls, an answer for once does not", async () => {
  const asked: string[] = [];
  const answering = (answer: PersonAnswer) => (question: PersonQuestion) => {
    asked.push((question.input as { command: string }).command);
    return answer;
  };
  const calls = [bash("1", "make a"), bash("2", "make b"), bash("3", "make c")];
  const forSession = { type: "session", rules: ["Bash(make:*)"] } as const;
  const gate = gateOf({}, "default", { askPerson: answering(forSession) });
  expect(await ranOf(calls, gate)).toHaveLength(3);
  expect(await ranOf([bash("4", "make d")], gate)).toHaveLength(1);
  expect(asked).toEqual(["make a"]);
  asked.length = 0;
  const once = gateOf({}, "default", { askPerson: answering({ type: "once" }) });
  expect(await ranOf(calls, once)).toHaveLength(3);
  expect(asked).toEqual(["make a", "make b", "make c"]);
});

test("a new rule also settles questions of sub-agents, and a question says who asks", async () => {
  const asked: [string, string | undefined][] = [];
  const askPerson = ({ description, from }: PersonQuestion): PersonAnswer => {
    asked.push([description, from]);
    return { type: "session", rules: ["Bash(make:*)"] };
  };
  const gate = gateOf({ allow: ["Agent"] }, "default", { askPerson });
  const ran: unknown[] = [];
  const bashTool = noting("Bash", ran, { describe: ({ command }) => String(command) });
  const nested = scripted([[bash("1", "make a"), bash("2", "make b")], [{ type: "text", text: "Made." }]]);
  const options = { model: nested, tools: [bashTool], permissions: gate, cwd };
  const input = { description: "make", prompt: "make all" };
  const model = scripted([
    [{ type: "tool_use", id: "a", name: "Agent", input }],
    [{ type: "text", text: "Done." }],
  ]);
  await runQuery({ ...options, model, tools: [bashTool, agentTool({ options })], prompt: "go" });
  // They touch nothing in common, so they can run in either order.
  expect(ran).toHaveLength(2);
  expect(ran).toEqual(expect.arrayContaining([{ command: "make a" }, { command: "make b" }]));
  expect(asked).toEqual([["make a", "general-purpose (agent-1)"]]);
});

test("identical calls that wait share one answer, and later ones are asked about again", async () => {
  let asked = 0;
  const gate = gateOf({}, "default", {
    askPerson: async () => {
      asked++;
      // People take their time: the others are waiting by then.
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { type: "once" };
    },
  });
  expect(await ranOf([bash("1", "make"), bash("2", "make"), bash("3", "make")], gate)).toHaveLength(3);
  expect(asked).toBe(1);
  expect(await ranOf([bash("4", "make")], gate)).toHaveLength(1);
  expect(asked).toBe(2);
});

test("calls of several agents with the same id never share an answer", async () => {
  const asked: unknown[] = [];
  const gate = gateOf({}, "default", {
    askPerson: ({ input }) => {
      asked.push(input);
      return { type: "once" };
    },
  });
  const tool = noting("Bash", []);
  const question = (callId: string, command: string): Question => ({
    callId,
    tool,
    input: { command },
    reason: "",
    context: { cwd },
    waiting: 0,
    signal: new AbortController().signal,
  });
  const calls = [
    ["call_0", "ls"],
    ["call_0", "rm x"],
    ["call_1", "rm x"],
  ] as const;
  for (const [id, command] of calls) gate.asks(id, "Bash", { command });
  await gate.ask(question("call_0", "ls"));
  await gate.ask(question("call_1", "rm x"));
  expect(asked).toEqual([{ command: "ls" }, { command: "rm x" }]);
  // This one is identical to the one before, and waited with it.
  await gate.ask(question("call_0", "rm x"));
  expect(asked).toHaveLength(2);
});

test("a rule for always is saved; if that fails, it applies to the session and a notice reports it", async () => {
  const saved: string[] = [];
  const notices: string[] = [];
  const askPerson = (): PersonAnswer => ({ type: "always" });
  const save = (rule: string) => Promise.resolve(void saved.push(rule));
  await ranOf([bash("1", "make all")], gateOf({}, "default", { askPerson, save }));
  expect(saved).toEqual([expect.stringMatching(/^Bash\(make all/)]);
  const failing = gateOf({}, "default", {
    askPerson,
    save: () => Promise.reject(new Error("disk full")),
    onNotice: (message) => notices.push(message),
  });
  expect(await ranOf([bash("1", "make all")], failing)).toHaveLength(1);
  expect(notices[0]).toContain("disk full");
});

test("a choice for the session only is never saved", async () => {
  const saved: string[] = [];
  const askPerson = ({ choices }: PersonQuestion): PersonAnswer => ({
    type: "always",
    rules: choices.at(-1)?.rules ?? [],
  });
  const gate = gateOf({}, "default", { askPerson, save: (rule) => Promise.resolve(void saved.push(rule)) });
  expect(await ranOf([write("1", join(cwd, "a")), write("2", join(cwd, "b"))], gate)).toHaveLength(2);
  expect(saved).toEqual([]);
});

test("D03: switching the mode while a question is open can answer it", async () => {
  for (const [mode, expected] of [
    ["bypassPermissions", 1],
    ["dontAsk", 0],
  ] as const) {
    const gate = gateOf({}, "default", {
      askPerson: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve({ type: "withdrawn" }));
          gate.setMode(mode);
        }),
    });
    expect(await ranOf([bash("1", "make")], gate)).toHaveLength(expected);
  }
});

test("D04: a rule that is removed while a call waits no longer applies", async () => {
  const ran: unknown[] = [];
  const gate = gateOf({ allow: ["Bash(make:*)"] }, "acceptEdits");
  const first = noting("Write", ran, {
    access: () => [{ mode: "write", place: "*" }],
    call: () => {
      gate.setSettings({ mode: "default", sources: [] });
      return "written";
    },
  });
  const second = noting("Bash", ran, { access: () => [{ mode: "write", place: "*" }] });
  const model = scripted([
    [write("1", join(cwd, "a")), bash("2", "make")],
    [{ type: "text", text: "Done." }],
  ]);
  await runQuery({ prompt: "go", model, tools: [first, second], permissions: gate, cwd });
  expect(ran).toEqual([]);
});

test("V4, D02: if nobody can be asked, or asking fails, the call does not run", async () => {
  expect(await ranOf([bash("1", "make")], gateOf({}, "default"))).toEqual([]);
  const failing = gateOf({}, "default", { askPerson: () => Promise.reject(new Error("gone")) });
  expect(await ranOf([bash("1", "make")], failing)).toEqual([]);
  for (const answer of [{ type: "yes" }, { type: "withdrawn" }, {}, undefined, "once"]) {
    const strange = gateOf({}, "default", { askPerson: () => answer as PersonAnswer });
    expect(await ranOf([bash("1", "make")], strange)).toEqual([]);
  }
});

test("a relative path is judged where the call would run, and the workspace stays where it was", () => {
  const gate = gateOf({ deny: ["Read(/secret/**)"] }, "default");
  const facts = (folder: string) => ({ cwd: folder, hookDecision: undefined });
  const read = { file_path: "a.txt" };
  expect(gate.decide("Read", read, facts(cwd)).behavior).toBe("allow");
  expect(gate.decide("Read", read, facts(join(cwd, "secret"))).behavior).toBe("deny");
  expect(gate.decide("Read", read, facts("/etc")).behavior).toBe("ask");
});

test("H05: the user is asked about a tool whose definition changed, whatever the rules, and approves it again", async () => {
  const changed = new Set(["Bash"]);
  const approvals = {
    changedSinceApproval: (name: string) => changed.has(name),
    approve: (name: string) => void changed.delete(name),
  };
  let asked = 0;
  const askPerson = (): PersonAnswer => {
    asked++;
    return { type: "once" };
  };
  const gate = gateOf({ allow: ["Bash"] }, "default", { approvals, askPerson });
  expect(await ranOf([bash("1", "make")], gate)).toHaveLength(1);
  expect(await ranOf([bash("2", "make")], gate)).toHaveLength(1);
  expect(asked).toBe(1);
});

test("a tool whose server wants approval for every call is asked about, whatever rules, modes, hooks and earlier answers say", async () => {
  const approvals = {
    changedSinceApproval: () => false,
    approve: () => {},
    alwaysAsks: (name: string) => (["Bash", "Write"].includes(name) ? ".mcp.json" : undefined),
  };
  const questions: PersonQuestion[] = [];
  const askPerson = (question: PersonQuestion): PersonAnswer => {
    questions.push(question);
    return { type: "session", rules: ["Bash"] };
  };
  const more = { approvals, askPerson, isSandboxed: true };
  const gate = gateOf({ allow: ["Bash"] }, "bypassPermissions", more);
  const hooks: Hooks = { preToolUse: () => ({ decision: "allow" }) };
  expect(await ranOf([bash("1", "make"), bash("2", "make all")], gate, hooks)).toHaveLength(2);
  expect(questions.map(({ reason, choices }) => [reason, choices])).toEqual([
    ["Every call of Bash needs approval (.mcp.json).", []],
    ["Every call of Bash needs approval (.mcp.json).", []],
  ]);
  expect(await ranOf([bash("3", "make")], gateOf({ allow: ["Bash"] }, "dontAsk", more))).toEqual([]);
  expect(await ranOf([bash("4", "make")], gateOf({ deny: ["Bash"] }, "default", more))).toEqual([]);
  expect(questions).toHaveLength(2);
  // No rule could allow it, so none is offered.
  expect(await ranOf([write("5", join(cwd, "a"))], gateOf({}, "default", more))).toHaveLength(1);
  expect(questions.at(-1)).toMatchObject({ toolName: "Write", choices: [] });
});

test("a mode that the settings forbid cannot be set, under any of its names, until they allow it", () => {
  const settings = { mode: "default", sources: [] };
  const forbiddenModes = { bypassPermissions: "the administrator forbids it" };
  const gate = createPermissionGate({ settings: { ...settings, forbiddenModes }, cwd });
  for (const mode of ["bypassPermissions", "allow"]) {
    expect(() => gate.setMode(mode)).toThrow(`Cannot switch to ${mode}: the administrator forbids it.`);
    expect([gate.modeObjection(mode), gate.mode]).toEqual(["the administrator forbids it", "default"]);
  }
  expect(gate.modeObjection("acceptEdits")).toBeUndefined();
  gate.setSettings(settings);
  gate.setMode("allow");
  expect(gate.mode).toBe("bypassPermissions");
});

test("the sandbox answers questions of the mode about commands, but not those of rules or protected places", async () => {
  const sandboxed = (lists: Lists): PermissionGate => gateOf(lists, "default", { isSandboxed: true });
  expect(await ranOf([bash("1", "make all")], sandboxed({}))).toHaveLength(1);
  expect(await ranOf([bash("1", "make all")], sandboxed({ ask: ["Bash(make:*)"] }))).toEqual([]);
  expect(await ranOf([bash("1", "make all")], sandboxed({ deny: ["Bash(make:*)"] }))).toEqual([]);
  expect(await ranOf([bash("1", "echo x > .git/config")], sandboxed({}))).toEqual([]);
  expect(await ranOf([write("1", join(cwd, "a"))], sandboxed({}))).toEqual([]);
});

test("plan mode: neither a hook nor the sandbox answers what only the user can", () => {
  const gate = gateOf({ allow: ["ExitPlanMode"] }, "plan", { isSandboxed: true });
  const leaving = gate.decide("ExitPlanMode", { plan: "Do it." }, { cwd, hookDecision: "allow" });
  expect(leaving.behavior).toBe("ask");
  // It only reads, except for programs that the configuration of the repository names.
  const reading = gate.decide("Bash", { command: "git diff" }, { cwd, hookDecision: undefined });
  expect(reading.behavior).toBe("ask");
});

test("a tool that is denied as a whole is not offered to the model", async () => {
  const offered: string[] = [];
  const model = scripted([
    (request) => {
      offered.push(...request.tools.map(({ name }) => name));
      return [{ type: "text", text: "Done." }];
    },
  ]);
  const tools = [noting("Bash", []), noting("Write", [])];
  await runQuery({ prompt: "go", model, tools, permissions: gateOf({ deny: ["Bash"] }, "default"), cwd });
  expect(offered).toEqual(["Write"]);
});

test("D01: a no without a message ends the turn, and every call has its result", async () => {
  const askPerson = (): PersonAnswer => ({ type: "no" });
  const ran: unknown[] = [];
  const model = scripted([
    [bash("1", "make a"), bash("2", "make b")],
    [{ type: "text", text: "Never said." }],
  ]);
  const permissions = gateOf({}, "default", { askPerson });
  const { result } = await runQuery({ prompt: "go", model, tools: [noting("Bash", ran)], permissions, cwd });
  expect([result.reason, ran]).toEqual(["hook_stopped", []]);
  expect(result.messages.at(-1)?.content).toHaveLength(2);
});

test("D01: a no without a message while the response streams ends the response too", async () => {
  const permissions = gateOf({}, "default", { askPerson: () => ({ type: "no" }) });
  const call = { id: "1", name: "Bash", input: { command: "make" } };
  const model: Model = {
    name: "endless",
    async *stream(_request, signal): AsyncGenerator<ModelEvent> {
      yield { type: "message-started", id: "m", model: "endless" };
      yield { type: "call-complete", call };
      yield { type: "block", block: { type: "tool_use", ...call } };
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      throw signal.reason;
    },
  };
  const { result } = await runQuery({ prompt: "go", model, tools: [noting("Bash", [])], permissions, cwd });
  expect([result.reason, result.messages.length]).toEqual(["hook_stopped", 3]);
});

test("a rule of this session can be listed and removed, and no longer applies", () => {
  const gate = gateOf({}, "default");
  gate.addRules({ allow: ["Bash(make)", "Bash(npm test)"], deny: ["Bash(curl:*)"] });
  const verdictOf = (command: string): string =>
    gate.decide("Bash", { command }, { cwd, hookDecision: undefined }).behavior;
  expect([verdictOf("make"), verdictOf("npm test"), verdictOf("curl x")]).toEqual(["allow", "allow", "deny"]);
  gate.removeRules({ allow: ["Bash(make)"], deny: ["Bash(curl:*)"] });
  expect(gate.sessionRules).toEqual({ allow: ["Bash(npm test)"], ask: [], deny: [] });
  expect([verdictOf("make"), verdictOf("npm test"), verdictOf("curl x")]).toEqual(["ask", "allow", "ask"]);
});

test("wrong rules are answered by name and change nothing, so that a misspelt deny allows nothing in silence", () => {
  const gate = gateOf({ allow: ["Read"] }, "default");
  const wrong =
    (call: (rules: never) => unknown, rules: unknown): (() => unknown) =>
    () =>
      call(rules as never);
  const add = (rules: never): unknown => gate.addRules(rules);
  const remove = (rules: never): unknown => gate.removeRules(rules);
  const grant = (rules: never): unknown => gate.grant(rules);
  expect(wrong(add, { dney: ["Bash"] })).toThrow('addRules: unknown option "dney". Did you mean "deny"?');
  expect(wrong(add, { deny: "Bash" })).toThrow('addRules: "deny" must be an array of strings, got "Bash".');
  expect(wrong(add, undefined)).toThrow("addRules: the argument is required.");
  expect(wrong(add, { allow: [""] })).toThrow("must be a non-empty string");
  expect(wrong(remove, { alow: ["Bash"] })).toThrow('Did you mean "allow"?');
  expect(wrong(grant, { name: "a skill", alow: ["Bash"] })).toThrow(
    'grant: unknown option "alow". Did you mean "allow"?',
  );
  expect(wrong(grant, { name: "a skill", deny: [""] })).toThrow("must be a non-empty string");
  expect(wrong((copy) => gate.addCopy(copy), { path: "copy", of: cwd })).toThrow(
    "must be an array of absolute paths",
  );
  // A change that was refused is not tried again with the next one.
  gate.addRules({ deny: ["Bash(rm:*)"] });
  expect(gate.sessionRules).toEqual({ allow: [], ask: [], deny: ["Bash(rm:*)"] });
  expect(gate.copies).toEqual([]);
  expect(gate.decide("Bash", { command: "rm x" }, { cwd, hookDecision: undefined }).behavior).toBe("deny");
});
