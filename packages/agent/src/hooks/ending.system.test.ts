import { expect, test } from "vitest";
import { NOTHING_SAID, type Said } from "./answer.ts";
import { boundSaid } from "./bound.ts";
import { combine } from "./combine.ts";
import { type HookEnding, interpret } from "./ending.ts";
import type { HookEvent } from "./event.ts";
import type { CommandHandler, OnFailure } from "./handler.ts";

function handler(event: HookEvent, onFailure: OnFailure = "proceed"): CommandHandler {
  return {
    type: "command",
    id: "1",
    event,
    matcher: { text: "", matches: () => true },
    source: "settings.json",
    limitMs: 1_000,
    onFailure,
    rule: undefined,
    what: "guard",
    program: "sh",
    args: [],
    isAsync: false,
    wakes: false,
    isOnce: false,
    status: "",
  };
}

function exited(code: number, stdout: string, stderr = ""): HookEnding {
  return { type: "exited", code, stdout, stderr, isCut: false };
}

const printed = (event: HookEvent, value: unknown): Said =>
  interpret(handler(event), exited(0, typeof value === "string" ? value : JSON.stringify(value)));

const said = (members: Partial<Said>): Said => ({ ...NOTHING_SAID, ...members });

test("every member of an answer is read", () => {
  const answer = {
    continue: false,
    stopReason: "enough",
    systemMessage: "hello",
    suppressOutput: true,
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      permissionDecisionReason: "it is safe",
      updatedInput: { command: "ls" },
      additionalContext: "more",
    },
  };
  expect(printed("PreToolUse", answer)).toEqual(
    said({
      verdict: "allow",
      reason: "it is safe",
      context: ["more"],
      message: "hello",
      stop: "enough",
      input: { command: "ls" },
    }),
  );
  const output = { hookSpecificOutput: { updatedToolOutput: ["x"] }, decision: "block", reason: "bad" };
  expect(printed("PostToolUse", output)).toEqual(
    said({ verdict: "block", reason: "bad", output: { value: ["x"] } }),
  );
});

test("each decision has its documented meaning, including the older names", () => {
  const decided = (permissionDecision: string) =>
    printed("PreToolUse", { hookSpecificOutput: { permissionDecision } }).verdict;
  expect(["allow", "deny", "ask", "defer"].map(decided)).toEqual(["allow", "block", "ask", "defer"]);
  expect(printed("PreToolUse", { decision: "approve" }).verdict).toBe("allow");
  expect(printed("PreToolUse", { decision: "block", reason: "no" })).toEqual(
    said({ verdict: "block", reason: "no" }),
  );
  expect(printed("Stop", { decision: "approve" }).verdict).toBe("none");
  const both = { decision: "block", hookSpecificOutput: { permissionDecision: "allow" } };
  expect(printed("PreToolUse", both).verdict).toBe("block");
});

test("an invalid answer is a failure; it can still deny, but never allow", () => {
  const wrong = (answer: object) => {
    const { verdict, input, failure } = printed("PreToolUse", answer);
    return [verdict, input, failure.replace("its answer is invalid: ", "")];
  };
  const specific = (members: object) => ({ hookSpecificOutput: members });
  expect(wrong(specific({ permissionDecision: "allow", updatedInput: "ls" }))).toEqual([
    "none",
    undefined,
    "updatedInput must be an object, got a string",
  ]);
  expect(wrong(specific({ permissionDecision: "deny", additionalContext: 7 }))).toEqual([
    "block",
    undefined,
    "additionalContext must be a string, got a number",
  ]);
  expect(wrong(specific({ permissionDecision: "Deny" }))[2]).toBe(
    'permissionDecision must be one of deny, defer, ask, allow, got "Deny"',
  );
  expect(wrong({ continue: "false" })[2]).toBe("continue must be true or false, got a string");
  expect(wrong({ hookSpecificOutput: [] })[2]).toBe("hookSpecificOutput must be an object, got an array");
  const noWord = 'permissionDecision must be one of deny, defer, ask, allow, got "toString"';
  expect(wrong(specific({ permissionDecision: "toString" }))).toEqual(["none", undefined, noWord]);
});

test("exit code 2 blocks with the text from stderr, and JSON cannot override it", () => {
  const allow = JSON.stringify({ hookSpecificOutput: { permissionDecision: "allow" } });
  expect(interpret(handler("PreToolUse"), exited(2, allow, " no rm \n"))).toEqual(
    said({ verdict: "block", reason: "no rm" }),
  );
  expect(interpret(handler("PreToolUse"), exited(2, '{"reason":"inside"}')).reason).toBe("inside");
});

test("exit 2 keeps the reason, the message and the context of the JSON, beside what was printed as errors", () => {
  const answer = {
    systemMessage: "look",
    reason: "inside",
    hookSpecificOutput: { permissionDecision: "allow", updatedInput: { a: 1 }, additionalContext: "more" },
  };
  expect(interpret(handler("PreToolUse"), exited(2, JSON.stringify(answer), "outside"))).toEqual(
    said({ verdict: "block", reason: "inside\noutside", message: "look", context: ["more"] }),
  );
});

test("JSON counts on every exit code, but a hook that failed cannot allow", () => {
  const answer = (permissionDecision: string): string =>
    JSON.stringify({ systemMessage: "look", hookSpecificOutput: { permissionDecision } });
  const verdicts = ["deny", "ask", "allow"].map((word) => {
    const { verdict, message } = interpret(handler("PreToolUse"), exited(1, answer(word)));
    return [verdict, message];
  });
  expect(verdicts).toEqual([
    ["block", "look"],
    ["ask", "look"],
    ["none", "look"],
  ]);
  const stopped = interpret(handler("PostToolUse"), exited(3, '{"continue":false,"stopReason":"enough"}'));
  expect([stopped.stop, stopped.failure.startsWith("it exited with code 3")]).toEqual(["enough", true]);
});

test("D09: text, a list, invalid JSON and a banner before JSON are plain text, and output that was meant as an answer is reported", () => {
  const failures = ["fine", "[1]", '{"decision":', 'Loading…\n{"decision":"block"}', "7", "null"].map(
    (text) => printed("PreToolUse", text),
  );
  expect(failures).toEqual([
    NOTHING_SAID,
    NOTHING_SAID,
    said({ failure: "its output is not valid JSON, so it is read as text" }),
    said({ failure: "it printed text before its JSON, so all of it is read as text" }),
    NOTHING_SAID,
    NOTHING_SAID,
  ]);
});

test("plain text of UserPromptSubmit and SessionStart hooks goes to the model, that of others does not", () => {
  const events = ["UserPromptSubmit", "SessionStart", "Stop", "PostToolUse"] as const;
  expect(events.map((event) => printed(event, "branch: main\n").context)).toEqual([
    ["branch: main"],
    ["branch: main"],
    [],
    [],
  ]);
});

test("D07, D08: a hook that fails makes no decision, and blocks if onFailure says so", () => {
  const nothing = { stdout: "", stderr: "", isCut: false };
  const endings: HookEnding[] = [
    exited(1, "", "broken"),
    exited(127, "no JSON"),
    { type: "killed", signal: "SIGSEGV", ...nothing },
    { type: "timed-out", limitMs: 5_000, ...nothing },
    { type: "not-started", message: "spawn x ENOENT" },
    { type: "threw", message: "oops" },
    { type: "returned", value: 7 },
    exited(0, "{"),
  ];
  const failures = [
    "it exited with code 1: broken",
    "it exited with code 127: no JSON",
    "it was killed by SIGSEGV",
    "it took longer than 5 s",
    "it could not be started: spawn x ENOENT",
    "it threw: oops",
    "its answer must be an object, got a number",
    "its output is not valid JSON, so it is read as text",
  ];
  expect(endings.map((ending) => interpret(handler("PreToolUse"), ending))).toEqual(
    failures.map((failure) => said({ failure })),
  );
  expect(endings.map((ending) => interpret(handler("PreToolUse", "block"), ending))).toEqual(
    failures.map((failure) => {
      const reason = `The PreToolUse hook "guard" of settings.json failed: ${failure}. It blocks because of onFailure "block".`;
      return said({ failure, verdict: "block", reason });
    }),
  );
});

test("D10: the strictest verdict wins with its reasons, and all context is kept", () => {
  const of = (...verdicts: Said["verdict"][]) =>
    combine(
      verdicts.map((verdict, at) =>
        said({ verdict, reason: `${verdict} ${at}`, context: [`context ${at}`] }),
      ),
    );
  expect(of("allow", "block", "ask", "block", "defer")).toMatchObject({
    verdict: "block",
    reason: "block 1\nblock 3",
    context: ["context 0", "context 1", "context 2", "context 3", "context 4"],
  });
  expect([
    of("allow", "ask", "defer").verdict,
    of("allow", "ask").verdict,
    of("none", "allow").verdict,
  ]).toEqual(["defer", "ask", "allow"]);
  const inputs = [said({ input: { a: 1 } }), said({}), said({ input: { a: 2 } }), said({})];
  expect(combine(inputs)).toMatchObject({ input: { a: 2 }, changes: 2 });
});

test("texts over 10,000 characters are cut and stored, never in the middle of a character", async () => {
  const long = `${"x".repeat(9_999)}😀${"y".repeat(100)}`;
  const stored: string[] = [];
  const store = (text: string): string => {
    stored.push(text);
    return "/tmp/whole";
  };
  const before = said({ context: ["short", long], stop: "" });
  const short = await boundSaid(before, store);
  expect(short.context).toEqual([
    "short",
    `${"x".repeat(9_999)}\n[Cut off after 10000 of 10101 characters. The full text is in /tmp/whole.]`,
  ]);
  expect([stored, short.stop]).toEqual([[long], ""]);
  const alone = await boundSaid(said({ reason: long }), undefined);
  expect(alone.reason.endsWith("\n[Cut off after 10000 of 10101 characters.]")).toBe(true);
  const failing = await boundSaid(said({ reason: long }), () => Promise.reject(new Error("disk full")));
  expect(failing.reason.endsWith(" The full text could not be stored: disk full.]")).toBe(true);
  const hanging = await boundSaid(said({ reason: long }), () => new Promise(() => {}));
  expect(hanging.reason.endsWith(" The full text could not be stored: it took too long.]")).toBe(true);
});
