import { expect, test } from "vitest";
import { agentIn } from "./agent-file.ts";
import { promptIn } from "./prompt-file.ts";
import { toolWords } from "./tool-list.ts";

test.each([
  ["Read, Grep", ["Read", "Grep"]],
  ["Read Grep", ["Read", "Grep"]],
  ["Read; Grep\nBash(git add:*, x)", ["Read", "Grep", "Bash(git add:*, x)"]],
  ["Read and Grep", ["Read", "Grep"]],
  ["Read web_search EnterPlanMode mcp__a__b", ["Read", "web_search", "EnterPlanMode", "mcp__a__b"]],
  ["Glob (no writing), Read", ["Glob (no writing)", "Read"]],
  ['["Read", "Bash(ls)"]', ["Read", "Bash(ls)"]],
  ["All tools", ["*"]],
  ["something", ["something"]],
])("%j lists tools", (text, names) => {
  expect(toolWords(text)).toEqual({ names, excluded: [], prose: [] });
});

test.each([
  ["All tools except Bash", ["*"], ["Bash"]],
  ["everything but Write and Edit", ["*"], ["Write", "Edit"]],
  ["*, !Bash", ["*"], ["Bash"]],
  ["Read, not Bash", ["Read"], ["Bash"]],
  ["Read -Bash", ["Read"], ["Bash"]],
])("%j excludes tools", (text, names, excluded) => {
  expect(toolWords(text)).toEqual({ names, excluded, prose: [] });
});

test.each([
  "Bash git status",
  "Bash without rm",
  "only safe Bash",
  "all but what writes",
  "Bash: git status",
])("%j is a sentence, so the tool in it is not listed", (text) => {
  expect(toolWords(text)).toEqual({ names: [], excluded: [], prose: [text] });
});

function promptWith(fields: string) {
  const place = { kind: "command", path: "c.md", name: "c", prefix: "" } as const;
  const { file, problems } = promptIn(`---\ndescription: d\n${fields}\n---\nDo.`, place);
  return {
    ...(file === undefined ? {} : { allow: file.allowedTools, deny: file.disallowedTools }),
    said: problems.filter(({ severity }) => severity !== "note").map(({ message }) => message),
  };
}

test.each(["All tools except Bash", "no Bash", "Bash without rm", "Bash git status", "{Bash: [git]}", "*"])(
  "allowed-tools: %s allows no call of Bash",
  (list) => {
    expect(promptWith(`allowed-tools: ${JSON.stringify(list)}`).allow).toEqual([]);
  },
);

test("a part of allowed-tools that cannot be read is reported, and the rest allows what it lists", () => {
  expect(promptWith("allowed-tools: Read, Bash without rm")).toEqual({
    allow: ["Read"],
    deny: [],
    said: ["c.md: `allowed-tools` cannot be read, so it allows nothing: Bash without rm"],
  });
});

test.each([
  ["disallowed-tools: all", ["*"]],
  ["disallowed-tools: [bash, Write]", ["Bash", "Write"]],
  ["disallowed-tools: {Bash: true, Read: false}", ["Bash"]],
  ["denied-tools: Bash", ["Bash"]],
  ["forbiddenTools: Bash", ["Bash"]],
  ["deny: Bash(rm:*)", ["Bash(rm:*)"]],
])("a skill or command takes away tools in every known form: %s", (fields, deny) => {
  expect(promptWith(fields)).toEqual({ allow: [], deny, said: [] });
});

test.each([
  ["disallowed-tools: Bsh", 'names Bsh, which is not a tool. Did you mean "Bash"?'],
  ["disallowed-tools: whatever writes files", "cannot be read: whatever writes files"],
  ["disallowed-tools: {Bash: [git]}", "cannot be read: Bash: git"],
])("a file whose restriction cannot be read is not used: %s", (fields, why) => {
  expect(promptWith(fields)).toEqual({
    said: [`c.md: \`disallowed-tools\` ${why}`, `c.md: is ignored: \`disallowed-tools\` ${why}`],
  });
});

test("tools of other programs that do not exist here can be taken away", () => {
  const fields = "disallowed-tools: TaskGet, CronCreate, run_terminal_command";
  expect(promptWith(fields)).toEqual({
    allow: [],
    deny: ["TaskGet", "CronCreate", "run_terminal_command"],
    said: [],
  });
});

function agentWith(fields: string) {
  const { agent, problems } = agentIn(`---\nname: a\ndescription: d\n${fields}\n---\nBe a.`, "a.md");
  const said = problems.filter(({ severity }) => severity !== "note").map(({ message }) => message);
  if (agent === undefined) return { said };
  const { tools, disallowedTools: deny, permissionMode: mode } = agent;
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(mode === undefined ? {} : { mode }),
    deny,
    said,
  };
}

test.each([
  ["tools: All tools except Bash", { deny: ["Bash"] }],
  ["tools: '*, !Bash'", { deny: ["Bash"] }],
  ["tools: '!Bash'", { deny: ["Bash"] }],
  ["tools: Read, not Bash", { tools: ["Read"], deny: ["Bash"] }],
  ["tools: {read: true, '*': false}", { tools: ["Read"], deny: [] }],
  ["readonly: true", { mode: "plan", deny: [] }],
  ["read_only: yes\npermissionMode: acceptEdits", { mode: "plan", deny: [] }],
  ["sandbox: read-only", { mode: "plan", deny: [] }],
  ["capabilityMode: read-only", { mode: "plan", deny: [] }],
  ["readonly: false", { deny: [] }],
  ["permissionMode: read-only", { mode: "plan", deny: [] }],
  ["permissionMode: delegate", { mode: "default", deny: ["Edit", "Write", "NotebookEdit", "Bash"] }],
  ["blocked_tools: [Bash]", { deny: ["Bash"] }],
  [
    "permission:\n  edit: deny\n  bash:\n    'git push': deny\n    '*': ask",
    { deny: ["Edit", "Write", "NotebookEdit", "Bash(git push)"] },
  ],
])("a sub-agent is restricted in every known form: %s", (fields, restricted) => {
  expect(agentWith(fields)).toEqual({ ...restricted, said: [] });
});

test("a list of tools that is a sentence gives none of the tools in it, and says so", () => {
  expect(agentWith("tools: Read, whatever Bash needs")).toEqual({
    tools: ["Read"],
    deny: [],
    said: ["a.md: `tools` cannot be read, so it gives no tool: whatever Bash needs"],
  });
});

test("an unknown field that is meant to restrict is a warning, not only a note", () => {
  expect(agentWith("forbidden_paths:\n  - secrets/**").said).toEqual([
    "a.md: `forbidden_paths` is not a known field and restricts nothing; use disallowedTools",
  ]);
});

test.each(["disabled: true", "disable: true", "enabled: false"])(
  "a sub-agent that its file turns off is not used: %s",
  (fields) => {
    expect(agentWith(fields)).toEqual({ said: [] });
    expect(agentWith("disabled: false\nenabled: true")).toEqual({ deny: [], said: [] });
  },
);
