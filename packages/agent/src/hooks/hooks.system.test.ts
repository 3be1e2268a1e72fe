import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Workplace, commands, newWorkplace } from "../../test/support/hook-scripts.ts";
import { createHooks } from "./hooks.ts";
import type { EventResult } from "./hook-runner.ts";

let place: Workplace;
beforeEach(async () => {
  place = await newWorkplace();
});
afterEach(async () => {
  expect(await place.leave()).toEqual([]);
});

const NOTHING: EventResult = { blocked: undefined, stop: undefined, context: [], messages: [] };
const result = (members: Partial<EventResult>): EventResult => ({ ...NOTHING, ...members });
const json = (answer: object): string => `echo '${JSON.stringify(answer)}'`;

/** The input of a hook, written by the hook itself. */
const inputOf = async (name: string): Promise<unknown> => JSON.parse(await place.read(name)) as unknown;

test("each event passes the documented fields to its hooks", async () => {
  const events = [
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "SessionStart",
    "SessionEnd",
    "PreCompact",
    "Notification",
  ];
  const runner = place.hooks(
    Object.assign({}, ...events.map((event) => commands(event, `cat > ${event}`))) as object,
    {
      permissionMode: () => "plan",
    },
  );
  const base = (event: string) => ({
    session_id: "session-1",
    transcript_path: `${place.folder}/session-1.jsonl`,
    cwd: place.folder,
    permission_mode: "plan",
    hook_event_name: event,
  });
  expect(await runner.sessionStart("startup")).toEqual(NOTHING);
  expect(await inputOf("SessionStart")).toEqual({ ...base("SessionStart"), source: "startup" });
  expect(await runner.userPromptSubmit("Hello 'you'")).toEqual(NOTHING);
  const submitted = (await inputOf("UserPromptSubmit")) as { prompt_id: string };
  const withPrompt = (event: string) => ({ ...base(event), prompt_id: submitted.prompt_id });
  expect(submitted.prompt_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(submitted).toEqual({ ...withPrompt("UserPromptSubmit"), prompt: "Hello 'you'" });
  await runner.stop({ lastAssistantMessage: "Done.", isActive: false });
  expect(await inputOf("Stop")).toEqual({
    ...withPrompt("Stop"),
    stop_hook_active: false,
    background_tasks: [],
    last_assistant_message: "Done.",
  });
  await runner.subagentStop(
    { id: "agent-7", type: "reviewer" },
    { lastAssistantMessage: "Fine.", isActive: true },
  );
  expect(await inputOf("SubagentStop")).toEqual({
    ...withPrompt("SubagentStop"),
    agent_id: "agent-7",
    agent_transcript_path: "",
    agent_type: "reviewer",
    stop_hook_active: true,
    background_tasks: [],
    last_assistant_message: "Fine.",
  });
  await runner.preCompact({ trigger: "manual", customInstructions: "keep names" });
  expect(await inputOf("PreCompact")).toEqual({
    ...withPrompt("PreCompact"),
    trigger: "manual",
    custom_instructions: "keep names",
  });
  await runner.notification({ message: "It waits.", type: "idle_prompt" });
  expect(await inputOf("Notification")).toEqual({
    ...withPrompt("Notification"),
    message: "It waits.",
    notification_type: "idle_prompt",
  });
  await runner.sessionEnd("exit");
  expect(await inputOf("SessionEnd")).toEqual({ ...withPrompt("SessionEnd"), reason: "exit" });
  expect(place.notices).toEqual([]);
});

test("a hook can block a prompt, end the run or add context, by exit code, JSON and text", async () => {
  const submit = (...entries: (string | object)[]) =>
    place.hooks(commands("UserPromptSubmit", ...entries)).userPromptSubmit("hi");
  expect(await submit("echo secret >&2; exit 2")).toEqual(result({ blocked: { reason: "secret" } }));
  expect(await submit(json({ decision: "block", reason: "not now" }))).toEqual(
    result({ blocked: { reason: "not now" } }),
  );
  expect(await submit(json({ continue: false, stopReason: "enough" }))).toEqual(
    result({ stop: { reason: "enough" } }),
  );
  const context = { hookSpecificOutput: { additionalContext: "two" }, systemMessage: "shown" };
  expect(await submit("echo one", json(context), "true")).toEqual(
    result({ context: ["one", "two"], messages: ["shown"] }),
  );
});

test("compaction can be blocked; the start and end of a session and notifications cannot, and the reason is shown", async () => {
  const says = "echo no >&2; exit 2";
  const all = ["PreCompact", "SessionStart", "SessionEnd", "Notification"].map((event) =>
    commands(event, says),
  );
  const runner = place.hooks(Object.assign({}, ...all) as object);
  expect(await runner.preCompact({ trigger: "auto", customInstructions: "" })).toEqual(
    result({ blocked: { reason: "no" } }),
  );
  const shown = result({ messages: ["no"] });
  expect(await runner.sessionStart("resume")).toEqual(shown);
  expect(await runner.notification({ message: "x", type: "y" })).toEqual(shown);
  expect(await runner.sessionEnd("exit")).toEqual(shown);
});

test("matchers look at the source, the reason, the trigger, the type of a notification and of an agent", async () => {
  const matched = (event: string, matcher: string) => ({
    [event]: [{ matcher, hooks: [{ type: "command", command: `echo ${matcher} >> seen` }] }],
  });
  const runner = place.hooks({
    ...matched("SessionStart", "resume"),
    ...matched("SessionEnd", "clear"),
    ...matched("PreCompact", "auto"),
    ...matched("Notification", "idle_prompt"),
    ...matched("SubagentStop", "reviewer"),
    ...matched("Stop", "never-compared"),
  });
  const facts = { lastAssistantMessage: "", isActive: false };
  for (const source of ["startup", "resume"]) await runner.sessionStart(source);
  for (const reason of ["exit", "clear"]) await runner.sessionEnd(reason);
  for (const trigger of ["manual", "auto"] as const)
    await runner.preCompact({ trigger, customInstructions: "" });
  for (const type of ["permission_prompt", "idle_prompt"]) await runner.notification({ message: "", type });
  for (const type of ["writer", "reviewer"]) await runner.subagentStop({ id: type, type }, facts);
  await runner.stop(facts);
  expect(await place.read("seen")).toBe("resume\nclear\nauto\nidle_prompt\nreviewer\nnever-compared\n");
});

test("D14: a Stop hook that always blocks gets stop_hook_active, and after eight blocks the agent stops with a notice", async () => {
  const block = `grep -o '"stop_hook_active":[a-z]*' >> active; echo more >&2; exit 2`;
  const runner = place.hooks({ ...commands("Stop", block), ...commands("SubagentStop", block) });
  const facts = { lastAssistantMessage: "Done.", isActive: false };
  const blocked: unknown[] = [];
  for (let round = 0; round < 10; round++) blocked.push((await runner.stop(facts)).blocked?.reason);
  expect(blocked).toEqual([...Array<string>(8).fill("more"), undefined, "more"]);
  const active = (await place.read("active")).trimEnd().split("\n");
  expect(active.map((line) => line.split(":")[1])).toEqual([
    "false",
    ...Array<string>(8).fill("true"),
    "false",
  ]);
  expect(place.notices).toEqual(["Stop hooks blocked the end 8 times in a row. The next block is ignored."]);
  for (let round = 0; round < 5; round++) {
    const agents = ["a", "b"].map((id) => runner.subagentStop({ id, type: "t" }, facts));
    expect((await Promise.all(agents)).map(({ blocked: each }) => each?.reason)).toEqual(["more", "more"]);
  }
});

test("D14: a new prompt begins a new count", async () => {
  const runner = place.hooks(commands("Stop", "exit 2"));
  const facts = { lastAssistantMessage: "", isActive: false };
  for (let round = 0; round < 8; round++) await runner.stop(facts);
  await runner.userPromptSubmit("again");
  expect((await runner.stop(facts)).blocked).toEqual({ reason: "The hook gave no reason." });
  expect(place.notices).toEqual([]);
});

test("SessionEnd hooks have 1.5 seconds, or the time that they ask for, up to a minute", async () => {
  const runner = place.hooks(
    commands(
      "SessionEnd",
      { command: "echo long", timeout: 900 },
      { command: "sleep 2; echo slow > slow", timeout: 50 },
      "sleep 601",
      "echo ended > ended",
    ),
  );
  await runner.sessionEnd("exit");
  expect([await place.read("ended"), await place.read("slow")]).toEqual(["ended\n", "slow\n"]);
  const late = (command: string) =>
    `The SessionEnd hook "${command}" of settings.json failed: it took longer than 1.5 s. It made no decision.`;
  expect(place.notices).toEqual([
    "settings.json: hooks.SessionEnd[0].hooks[0].timeout is longer than SessionEnd allows; 60 s is used.",
    late("sleep 601"),
  ]);
});

test("hooks run in parallel: each of these waits for the other", async () => {
  const wait = (own: string, other: string) =>
    `touch ${own}; while ! [ -e ${other} ]; do sleep 0.02; done; echo ${own}`;
  const runner = place.hooks(commands("SessionStart", wait("a", "b"), wait("b", "a")));
  expect((await runner.sessionStart("startup")).context).toEqual(["a", "b"]);
});

test("the same command from several places runs once, as strictly as any of them asks", async () => {
  const command = "echo run >> runs; exit 1";
  const config = (source: string, entry: object) => {
    return { source, root: place.folder, trusted: true, hooks: commands("UserPromptSubmit", entry) };
  };
  const configs = [
    config("user.json", { command, async: true }),
    config("project.json", { command, onFailure: "block" }),
    config("local.json", { command }),
    config("other.json", { command: "sh", args: ["-c", "echo other >> runs"] }),
  ];
  const runner = place.hooks({}, { configs });
  expect((await runner.userPromptSubmit("hi")).blocked?.reason).toContain("it exited with code 1");
  expect((await place.read("runs")).split("\n").toSorted()).toEqual(["", "other", "run"]);
});

test("an async hook is not waited for, its failure is reported, and it ends when the runner closes", async () => {
  const runner = place.hooks(
    commands(
      "Stop",
      { command: "while ! [ -e go ]; do sleep 0.02; done; exit 3", async: true },
      { command: "sleep 600", async: true },
    ),
  );
  expect(await runner.stop({ lastAssistantMessage: "", isActive: false })).toEqual(NOTHING);
  expect(place.notices).toEqual([]);
  await writeFile(join(place.folder, "go"), "");
  await expect.poll(() => place.notices.length).toBe(1);
  expect(place.notices[0]).toContain("it exited with code 3");
});

/** Waits for the file `go`, so that the test decides when it ends. */
const WAIT = "while ! [ -e go ]; do sleep 0.02; done";

test('a command that prints {"async": true} first continues in the background, and its answer comes late', async () => {
  const late = json({ systemMessage: "late", hookSpecificOutput: { additionalContext: "for the model" } });
  const shown: (string | undefined)[] = [];
  const runner = place.hooks(
    commands(
      "UserPromptSubmit",
      { command: `echo '{"async":true}'; ${WAIT}; ${late}`, statusMessage: "Checking" },
      { command: `printf '{\n  "async": true,\n  "asyncTimeout": 60000\n}\n'; ${WAIT}; exit 3` },
      { command: `echo '{"async": true, "asyncTimeout": 100}'; exec sleep 600` },
      { command: `echo '{"async": true}'; echo no >&2; exit 2` },
    ),
    { onStatus: (text) => shown.push(text) },
  );
  expect(await runner.userPromptSubmit("hi")).toEqual(NOTHING);
  expect(shown).toEqual(["Checking", undefined]);
  await expect.poll(() => place.notices).toEqual([expect.stringContaining("it took longer than 0.1 s")]);
  await writeFile(join(place.folder, "go"), "");
  await expect.poll(() => place.notices).toHaveLength(3);
  expect(place.notices.slice(1).toSorted()).toEqual([
    expect.stringContaining("it exited with code 3"),
    "UserPromptSubmit hook: late",
  ]);
  expect(runner.takeContext()).toEqual(["for the model"]);
});

test('{"async": true} is not taken from a guard, from an answer that decides, or from later output', async () => {
  const deny = { async: true, decision: "block", reason: "denied" };
  const guard = { command: `echo '{"async": true}'; sleep 0.1; exit 1`, onFailure: "block" };
  const later = `echo; echo checked; echo '{"async": true}'; sleep 0.1; echo end`;
  const runs = (entry: string | object) =>
    place.hooks(commands("UserPromptSubmit", entry)).userPromptSubmit("hi");
  expect((await runs(guard)).blocked?.reason).toContain("it exited with code 1");
  expect((await runs(json(deny))).blocked?.reason).toBe("denied");
  expect((await runs(later)).context).toEqual(['checked\n{"async": true}\nend']);
});

test("hooks in the background end when the runner closes, also if their event was aborted long ago", async () => {
  const event = new AbortController();
  const runner = place.hooks(
    commands("SessionStart", `echo '{"async": true}'; touch started; exec sleep 600`),
  );
  await runner.sessionStart("startup", event.signal);
  event.abort();
  await expect.poll(() => place.read("started").catch(() => "no")).toBe("");
  await runner.close();
  expect(place.notices).toEqual([]);
});

test("more than 32 async hooks at a time are not started, and that is reported", async () => {
  const entries = Array.from({ length: 34 }, (_, at) => ({ command: `sleep 60${at}`, async: true }));
  await place.hooks(commands("Notification", ...entries)).notification({ message: "", type: "" });
  expect(place.notices).toHaveLength(2);
  expect(place.notices[0]).toContain("it could not be started: 32 async hooks are already running");
});

test("functions get the same input and decide the same, and what they throw is reported", async () => {
  const heard: unknown[] = [];
  const runner = place.hooks(
    commands("UserPromptSubmit", json({ hookSpecificOutput: { additionalContext: "first" } })),
    {
      inProcess: [
        {
          event: "UserPromptSubmit",
          run: (payload) => {
            heard.push(payload["prompt"], payload["hook_event_name"]);
            return { decision: "block", reason: "no", hookSpecificOutput: { additionalContext: "second" } };
          },
        },
        { event: "UserPromptSubmit", name: "broken", run: () => Promise.reject(new Error("oops")) },
        { event: "UserPromptSubmit", name: "slow", timeoutMs: 50, run: () => new Promise(() => {}) },
        { event: "Stop", run: () => void heard.push("never") },
      ],
    },
  );
  expect(await runner.userPromptSubmit("hi")).toEqual(
    result({ blocked: { reason: "no" }, context: ["first", "second"] }),
  );
  expect(heard).toEqual(["hi", "UserPromptSubmit"]);
  expect(place.notices).toEqual([
    'The UserPromptSubmit hook "broken" of the program failed: it threw: oops. It made no decision.',
    'The UserPromptSubmit hook "slow" of the program failed: it took longer than 0.05 s. It made no decision.',
  ]);
});

test("a function gets a signal, and is let go when it is cancelled", async () => {
  const stopping = new AbortController();
  const signals: AbortSignal[] = [];
  const runner = place.hooks(commands("UserPromptSubmit", "sleep 600"), {
    inProcess: [
      {
        event: "UserPromptSubmit",
        run: (_, signal) => {
          signals.push(signal);
          stopping.abort();
          return new Promise(() => {});
        },
      },
    ],
  });
  expect(await runner.userPromptSubmit("hi", stopping.signal)).toEqual(NOTHING);
  expect([signals.map(({ aborted }) => aborted), place.notices]).toEqual([[true], []]);
});

test("invalid options are reported at once", () => {
  const options = {
    cwd: "/",
    projectDir: "/",
    env: {},
    sessionId: "",
    transcriptPath: "",
    permissionMode: () => "",
    onNotice: () => {},
  };
  expect(() => createHooks({ ...options, configs: undefined as never })).toThrow(
    'createHooks: "configs" is required.',
  );
  const wrong = (hook: object) => () => createHooks({ ...options, configs: [], inProcess: [hook as never] });
  expect(wrong({ event: "PreTooluse", run: () => {} })).toThrow(
    /^createHooks: inProcess\[0\]: "event" must be .*got "PreTooluse"\. Did you mean "PreToolUse"\?$/,
  );
  expect(wrong({ event: "Stop" })).toThrow('inProcess[0]: "run" is required.');
  expect(wrong({ event: "Stop", run: () => {}, timeoutMs: 0 })).toThrow(
    '"timeoutMs" must be a number above 0, got 0.',
  );
  expect(wrong({ event: "Stop", run: () => {}, mather: "Bash" })).toThrow('Did you mean "matcher"?');
});

test("many hooks at once cause no Node warning", async () => {
  const warnings: string[] = [];
  const hear = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", hear);
  const runner = place.hooks(
    commands("SessionStart", ...Array.from({ length: 20 }, (_, at) => `echo ${at}`)),
  );
  expect((await runner.sessionStart("startup")).context).toHaveLength(20);
  process.off("warning", hear);
  expect(warnings).toEqual([]);
});

test("D17: hooks of an untrusted folder never run; they are listed", async () => {
  const hooks = { ...commands("SessionStart", "touch ran"), ...commands("PreToolUse", "touch ran") };
  const config = { source: ".claude/settings.json", root: place.folder, trusted: false, hooks };
  const runner = place.hooks({}, { configs: [config] });
  expect(await runner.sessionStart("startup")).toEqual(NOTHING);
  expect(runner.engineHooks()).toEqual({});
  const [first] = runner.list();
  await expect(runner.test("SessionStart", {}, first?.id)).rejects.toThrow(
    "The hook .claude/settings.json:hooks.SessionStart[0].hooks[0] does not run: its folder is not trusted.",
  );
  expect(await runner.test("SessionStart", { source: "startup" })).toEqual([]);
  await expect(place.read("ran")).rejects.toThrow("ENOENT");
  expect(place.notices).toEqual([
    ".claude/settings.json: 2 hooks do not run because the folder is not trusted.",
  ]);
});

test("hooks are listed with their commands, and one can be run with a sample", async () => {
  const hooks = {
    PreToolUse: [
      { matcher: "Bash", hooks: [{ type: "command", command: "echo no >&2; exit 2", async: true }] },
    ],
  };
  const runner = place.hooks(hooks, { inProcess: [{ event: "Stop", name: "counts", run: () => {} }] });
  const bash = {
    id: "settings.json:hooks.PreToolUse[0].hooks[0]",
    event: "PreToolUse",
    matcher: "Bash",
    source: "settings.json",
    what: "echo no >&2; exit 2",
    runs: true,
    timeoutMs: 590_000,
    onFailure: "proceed",
    isAsync: true,
    rule: "",
  };
  expect(runner.list()).toMatchObject([
    bash,
    { event: "Stop", what: "counts", source: "the program", runs: true },
  ]);
  const ending = { type: "exited", code: 2, stdout: "", stderr: "no\n", isCut: false };
  const tried = [{ hook: bash, matches: true, ending, said: { verdict: "block", reason: "no" } }];
  expect(await runner.test("PreToolUse", { tool_name: "Bash" })).toMatchObject(tried);
  expect(await runner.test("PreToolUse", { tool_name: "Read" })).toEqual([]);
  expect(await runner.test("PreToolUse", { tool_name: "Read" }, bash.id)).toMatchObject([
    { ending, matches: false },
  ]);
  await expect(runner.test("Never" as never, {})).rejects.toThrow(
    'Unknown event "Never". Events: PreToolUse,',
  );
  await expect(runner.test("Stop", [] as never)).rejects.toThrow("The sample must be a JSON object.");
  await expect(runner.test("Stop", {}, "x")).rejects.toThrow('Unknown hook "x".');
});

test("closing stops running hooks, and none runs afterwards", async () => {
  const runner = place.hooks(commands("UserPromptSubmit", "touch begun; trap '' TERM; sleep 600; sleep 600"));
  const running = runner.userPromptSubmit("hi");
  await expect.poll(() => place.read("begun").catch(() => undefined)).toBe("");
  await runner.close();
  expect(await running).toEqual(NOTHING);
  expect(await runner.userPromptSubmit("hi")).toEqual(NOTHING);
  await runner.close();
  expect(place.notices).toEqual([]);
});

test("a notice listener that throws does not affect a verdict", async () => {
  const onNotice = (): void => {
    throw new Error("broken listener");
  };
  const runner = place.hooks(commands("UserPromptSubmit", "exit 1", "exit 2"), { onNotice });
  expect((await runner.userPromptSubmit("hi")).blocked).toEqual({ reason: "The hook gave no reason." });
});
