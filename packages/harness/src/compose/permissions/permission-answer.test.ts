import { expect, test } from "vitest";
import { ignoredUpdates, personAnswer } from "./permission-answer.ts";

function applied(updatedPermissions: readonly Readonly<Record<string, unknown>>[]) {
  const done: unknown[] = [];
  const gate = {
    setMode: (mode: string) => void done.push(mode),
    addRules: (rules: object) => void done.push(rules),
    modeObjection: (mode: string) => (mode === "auto" ? "disableAutoMode forbids it" : undefined),
  };
  const decision = { behavior: "allow", updatedPermissions } as const;
  const answer = personAnswer(decision, { input: {} }, gate);
  return { done, answer, said: ignoredUpdates(decision, gate) };
}

const rules = [{ toolName: "Bash", ruleContent: "ls" }];

test("changes of rules and modes are applied, and nothing is reported", () => {
  const allow = { type: "addRules", behavior: "allow", rules, destination: "localSettings" };
  const deny = { type: "addRules", behavior: "deny", rules: [{ toolName: "Write" }] };
  expect(applied([allow, deny, { type: "setMode", mode: "acceptEdits" }])).toEqual({
    done: [{ deny: ["Write"] }, "acceptEdits"],
    answer: { type: "always", rules: ["Bash(ls)"] },
    said: [],
  });
});

test("a change that is not applied is reported, and grants nothing", () => {
  const changes = [
    { type: "setMode", mode: "bypassPermissions" },
    { type: "setMode", mode: "allow" },
    { type: "setMode", mode: "auto" },
    { type: "setMode", mode: "yolo" },
    { type: "addRules", behavior: "permit", rules },
    { type: "addDirectories", directories: ["/tmp"] },
    { type: "replaceRules", behavior: "allow", rules },
    { type: "removeRules", behavior: "deny", rules },
    { type: "addRule" },
  ];
  expect(applied(changes)).toEqual({
    done: [],
    answer: { type: "once" },
    said: [
      "updatedPermissions: setMode bypassPermissions has no effect: start Runahead in this mode.",
      "updatedPermissions: setMode allow has no effect: start Runahead in this mode.",
      "updatedPermissions: setMode auto has no effect: disableAutoMode forbids it.",
      "updatedPermissions: setMode yolo has no effect: there is no such mode.",
      "updatedPermissions: addRules permit has no effect: use allow, ask or deny.",
      "updatedPermissions: addDirectories has no effect: name the folder in permissions.additionalDirectories.",
      "updatedPermissions: replaceRules has no effect: use addRules, or change the settings file.",
      "updatedPermissions: removeRules has no effect: change the settings file.",
      "updatedPermissions: addRule has no effect: it is not known.",
    ],
  });
});
