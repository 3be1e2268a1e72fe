import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { initialView, reduce } from "@runahead/agent";
import { PromptWorld, calls, remindersIn, requestsOf, says } from "../../../test/support/prompt-world.ts";
import { until } from "../../../../agent/test/support/until.ts";
import { pluginStore } from "../../plugins/store.ts";
import { transcriptPath } from "./transcript.ts";

const SERVER = fileURLToPath(new URL("../../../../mcp/test/support/talking-server.mjs", import.meta.url));

let world: PromptWorld;
let log: string;
beforeEach(() => {
  world = new PromptWorld();
  log = join(world.root, "log");
  world.write("a.txt", "a\n");
  world.commitAll();
});
afterEach(() => world.remove());

type Heard = Readonly<Record<string, unknown>>;

const run = (command: string): object => ({ type: "command", command });
const note = (): object => run(`printf '%s\\n' "$(cat)" >> ${log}`);
const settings = (hooks: object, more: object = {}): string =>
  world.write(".claude/settings.json", JSON.stringify({ hooks, ...more }));
const heard = (): Heard[] =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => JSON.parse(line) as Heard)
    : [];
const answer = (event: string, members: object): object =>
  run(`echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...members } })}'`);

test("class 6: SubagentStop hooks read the transcript of the sub-agent, and events name the effort of its model", async () => {
  world.write(".claude/agents/worker.md", "---\nname: worker\ndescription: d\neffort: low\n---\nYou work.");
  settings({
    SubagentStop: [{ hooks: [note()] }],
    Stop: [{ hooks: [note(), run(`echo "\\"$CLAUDE_EFFORT\\"" >> ${log}.effort`)] }],
    PreToolUse: [{ matcher: "Read", hooks: [note()] }],
    SessionStart: [{ hooks: [note()] }],
  });
  const start = calls("Agent", { description: "d", prompt: "look at a.txt", subagent_type: "worker" });
  const read = calls("Read", { file_path: join(world.project, "a.txt") });
  const { agent } = await world.start([start, read, says("It is a."), says("Done.")], {
    model: "claude-opus-4-6",
    effort: "high",
  });
  await agent.send("go");
  const of = (event: string): Heard => heard().find(({ hook_event_name: name }) => name === event) ?? {};
  const path = String(of("SubagentStop")["agent_transcript_path"]);
  const lines = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Heard);
  expect(path).not.toBe(of("SubagentStop")["transcript_path"]);
  expect(lines.every(({ isSidechain }) => isSidechain === true)).toBe(true);
  expect(JSON.stringify(lines)).toContain("look at a.txt");
  expect(JSON.stringify(lines.at(-1))).toContain("It is a.");
  expect(of("PreToolUse")["effort"]).toEqual({ level: "low" });
  expect(of("Stop")["effort"]).toEqual({ level: "high" });
  expect(of("SessionStart")["effort"]).toBeUndefined();
  expect(readFileSync(`${log}.effort`, "utf8")).toBe('"high"\n');
});

test("class 6: SessionStart hooks send a first message and reload skills, and their notifications reach the terminal", async () => {
  const skill = join(world.project, ".claude/skills/fresh");
  const sequence = "\u001b]9;ready\u0007";
  const printed = {
    terminalSequence: `\u001b]52;c;x\u001b\\${sequence}`,
    hookSpecificOutput: {
      hookEventName: "SessionStart",
      initialUserMessage: "Read the plan first.",
      reloadSkills: true,
    },
  };
  writeFileSync(join(world.root, "answer.json"), JSON.stringify(printed));
  const makes = `mkdir -p ${skill} && printf -- '---\\nname: fresh\\ndescription: newly made\\n---\\nHi' > ${skill}/SKILL.md`;
  settings({ SessionStart: [{ hooks: [run(`${makes}; cat ${join(world.root, "answer.json")}`)] }] });
  const sequences: string[] = [];
  const { agent, server } = await world.start([says("ok"), says("again")], {
    onTerminalSequence: (text) => void sequences.push(text),
  });
  await agent.send("go");
  await agent.send("more");
  const [first, second] = requestsOf(server);
  const text = JSON.stringify(first?.messages);
  expect(text.indexOf("Read the plan first.")).toBeGreaterThan(0);
  expect(text.indexOf("Read the plan first.")).toBeLessThan(text.indexOf('"go"'));
  expect(remindersIn(first!).join("\n")).toContain("newly made");
  expect(JSON.stringify(second?.messages).split("Read the plan first.")).toHaveLength(2);
  expect(sequences).toEqual([sequence]);
});

test("class 6: events of MCP tools name the server and who defines it, whatever its file is called", async () => {
  const server = { command: process.execPath, args: [SERVER] };
  world.write(".mcp.json", JSON.stringify({ mcpServers: { "my server": server } }));
  const given = world.write("other/.mcp.json", JSON.stringify({ mcpServers: { my: server } }));
  const own = JSON.stringify({ inner: server });
  world.write(
    ".claude/agents/one.md",
    `---\nname: one\ndescription: d\nmcpServers:\n  - ${own}\n---\nYou work.`,
  );
  settings(
    {
      PreToolUse: [
        { matcher: "mcp__.*", hooks: [note(), answer("PreToolUse", { permissionDecision: "deny" })] },
      ],
    },
    { enableAllProjectMcpServers: true },
  );
  const start = calls("Agent", { description: "d", prompt: "p", subagent_type: "one" });
  const use = (name: string) => calls(`mcp__${name}__sample`, {});
  const answers = [use("my_server"), use("my"), start, use("inner"), says("1"), says("done")];
  const { agent, mcp } = await world.start(answers, { mcpConfig: [given] });
  await mcp.settled();
  await agent.send("go");
  // A hook can run again for a call that is judged again.
  const heardOf = new Set(heard().map((one) => JSON.stringify(one["mcp_server"])));
  expect([...heardOf].map((text) => JSON.parse(text) as unknown)).toEqual([
    { name: "my server", source: "project" },
    { name: "my", source: "dynamic" },
    { name: "inner", source: "agent" },
  ]);
});

test("class 6: the next prompt has the context of an async hook that ended after the answer", async () => {
  const go = join(world.root, "go");
  writeFileSync(
    join(world.root, "answer.json"),
    JSON.stringify({ systemMessage: "at last", hookSpecificOutput: { additionalContext: "late context" } }),
  );
  const waits = `while [ ! -e ${go} ]; do sleep 0.05; done; cat ${join(world.root, "answer.json")}`;
  settings({ UserPromptSubmit: [{ hooks: [{ ...run(waits), async: true, once: true }] }] });
  const notices: string[] = [];
  const { agent, server } = await world.start([says("1"), says("2")], {
    onNotice: (message) => notices.push(message),
  });
  await agent.send("one");
  writeFileSync(go, "");
  await until(() => notices.some((text) => text.includes("at last")), "the end of the hook");
  await agent.send("two");
  const [first, second] = requestsOf(server).map(({ messages }) => JSON.stringify(messages));
  expect([first?.includes("late context"), second?.includes("late context")]).toEqual([false, true]);
});

test("class 6: what a PermissionRequest hook says is not marked as the user's words", async () => {
  const decision = { behavior: "deny", message: "not on Fridays" };
  settings({ PermissionRequest: [{ hooks: [answer("PermissionRequest", { decision })] }] });
  const { agent, server } = await world.start([calls("Bash", { command: "touch x" }), says("I stop.")]);
  await agent.send("go");
  expect(JSON.stringify(requestsOf(server).at(-1)?.messages.at(-1))).toContain(
    "Not run: denied by a hook. not on Fridays",
  );
});

test("class 6: a call whose input a hook changed is shown as it runs", async () => {
  const changes = [
    ["PreToolUse", { permissionDecision: "allow", updatedInput: { command: "echo changed" } }],
    ["PermissionRequest", { decision: { behavior: "allow", updatedInput: { command: "echo changed" } } }],
  ] as const;
  for (const [event, members] of changes) {
    settings({ [event]: [{ hooks: [answer(event, members)] }] });
    const view = initialView();
    const shown: string[] = [];
    const { agent } = await world.start([calls("Bash", { command: "touch x" }), says("ok")], {
      onEvent: (happened) => {
        for (const { what, call } of reduce(view, happened)?.calls ?? [])
          if (what === "ended") shown.push(call.description, JSON.stringify(call.preview()));
      },
    });
    await agent.send("go");
    expect([event, ...shown]).toEqual([event, "echo changed", '{"command":"echo changed"}']);
  }
});

test("class 6: a PermissionDenied hook lets the model try again", async () => {
  settings({ PermissionDenied: [{ hooks: [note(), answer("PermissionDenied", { retry: true })] }] });
  const push = calls("Bash", { command: "git push --force origin main" });
  const judge = says('{"decision": "ask", "reason": "it overwrites the remote"}');
  const { agent, server } = await world.start([push, judge, says("I stop.")], { permissionMode: "auto" });
  await agent.send("go");
  const last = JSON.stringify(requestsOf(server).at(-1)?.messages);
  expect(heard()[0]).toMatchObject({ hook_event_name: "PermissionDenied", tool_name: "Bash" });
  expect(last).toContain("A hook says that you can make the denied Bash call again.");
});

test("hooks and texts of a plugin find its folder and the folder of its data", async () => {
  const root = join(world.root, "plug");
  const file = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  file(".claude-plugin/plugin.json", JSON.stringify({ name: "plug" }));
  file("commands/where.md", "Data is in ${CLAUDE_PLUGIN_DATA}.");
  file("agents/one.md", "---\nname: one\ndescription: d\n---\nSee ${CLAUDE_PLUGIN_ROOT}/x.");
  const script = 'echo "$CLAUDE_PLUGIN_ROOT" > "${CLAUDE_PLUGIN_DATA}/root"';
  file(
    "hooks/hooks.json",
    JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: script }] }] } }),
  );
  await pluginStore(world.surroundings).add({ id: "plug@shop", path: root, source: root, isEnabled: true });
  const { agent, prompts, agents } = await world.start([says("ok")]);
  await agent.send("go");
  const data = join(world.root, "runahead/plugin-data/plug-shop");
  expect(readFileSync(join(data, "root"), "utf8").trim()).toBe(root);
  expect((await prompts.expand("/plug:where", new AbortController().signal))?.text).toBe(
    `Data is in ${data}.`,
  );
  expect(agents.find(({ name }) => name === "plug:one")?.prompt).toBe(`See ${root}/x.`);
});

test("class 6: what a background hook reports after the end of the agent is said, and ends nothing", async () => {
  const [start, noted] = [join(world.root, "start"), join(world.root, "noted")];
  const untilThere = (path: string): string => `until test -f ${path}; do sleep 0.05; done`;
  settings({
    Stop: [{ hooks: [{ ...run(`${untilThere(start)}; echo look-again >&2; exit 2`), asyncRewake: true }] }],
    SessionEnd: [{ hooks: [{ ...run(`touch ${start}; ${untilThere(noted)}`), timeout: 30 }] }],
  });
  const notices: string[] = [];
  const made = await world.start([says("Done.")], {
    onNotice: (message) => {
      notices.push(message);
      writeFileSync(noted, "");
    },
  });
  await made.agent.send("go");
  await made.close();
  expect(notices).toEqual([
    "The report of a background hook was not sent to the model: The agent is closed. Create a new one with createAgent(). It said: look-again",
  ]);
});

test("class 6: the transcript is written for a status line too, and for nobody else", async () => {
  const writtenWith = async (more: object): Promise<boolean> => {
    settings({}, more);
    const { agent, session } = await world.start([says("Done.")]);
    await agent.send("go");
    return session !== undefined && existsSync(transcriptPath(session));
  };
  expect(await writtenWith({ statusLine: { type: "command", command: "true" } })).toBe(true);
  expect(await writtenWith({})).toBe(false);
});
