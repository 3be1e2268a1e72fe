import { expect, test } from "vitest";
import { check } from "../../test/corpus/table.ts";
import { createPermissions } from "./permissions.ts";

type Call = readonly [string, unknown];
const bash = (command: string, more: object): Call => ["Bash", { command, ...more }];

test("class 14: a working directory that the model gives does not widen the workspace", () => {
  const outside = { cwd: "/etc" };
  check(
    { mode: "acceptEdits" },
    {
      allow: [
        bash("touch x", {}),
        bash("touch x", { cwd: "sub" }),
        bash("cat x", { workdir: "/home/u/proj/sub" }),
      ],
      ask: [
        bash("touch x", outside),
        bash("cat passwd", outside),
        bash("ls", { workdir: "/etc" }),
        bash("ls", { working_directory: ".." }),
        bash("ls", { cwd: 5 }),
        bash("cat ../x", { cwd: "sub" }),
        "cd /etc && touch x",
        "cd .. && touch x",
        "cd /etc && cat passwd",
      ],
    },
  );
  check(
    { deny: ["Read(.env)"] },
    { deny: [bash("cat .env", { cwd: "/etc" }), bash("cat ../.env", { cwd: "sub" })] },
  );
  const permissions = createPermissions({
    settings: { mode: "acceptEdits" },
    cwd: "/home/u/proj",
    home: "/home/u",
    realpath: (path) => path,
  });
  const verdicts = ["touch x", "touch /home/u/proj/x"].map(
    (command) => permissions.decide("Bash", { command }, "/etc").behavior,
  );
  expect(verdicts).toEqual(["ask", "allow"]);
});

test("class 14: leaving the sandbox needs an approval of its own", () => {
  const calls = [
    bash("ls", { dangerouslyDisableSandbox: true }),
    bash("ls", { dangerouslyDisableSandbox: "true" }),
    bash("ls", { sandbox: false }),
    bash("ls", { sandbox: 0 }),
  ];
  const inside = [
    bash("ls", { dangerouslyDisableSandbox: false }),
    bash("ls", { sandbox: true }),
    bash("ls", { sandbox: null }),
  ];
  for (const mode of ["default", "acceptEdits", "bypassPermissions"])
    check({ mode, allow: ["Bash", "Bash(ls:*)", "Bash(ls)"] }, { ask: calls, allow: inside });
  check({ mode: "dontAsk", allow: ["Bash"] }, { deny: calls, allow: inside });
  check(
    { allow: ["Bash(dangerouslyDisableSandbox:true)"] },
    { allow: calls, ask: [bash("make", { sandbox: false })] },
  );
  check({ deny: ["Bash(dangerouslyDisableSandbox:true)"] }, { deny: calls.slice(0, 2) });
});

test("class 14: only addresses of the web are fetched, whatever the rules say", () => {
  const fetch = (url: string): Call => ["WebFetch", { url, prompt: "p" }];
  const others = [
    "file:///etc/passwd",
    "FTP://example.com/",
    "data:text/plain,x",
    " javascript:1",
    "gopher://x/",
  ];
  for (const mode of ["default", "bypassPermissions", "plan"])
    check({ mode, allow: ["WebFetch"] }, { deny: others.map(fetch), allow: [fetch("https://example.com/")] });
});

test("class 14: nobody is asked anything in dontAsk", () => {
  const call: Call = ["AskUser", { questions: [] }];
  check({ mode: "dontAsk", allow: ["AskUser"] }, { deny: [call, ["AskUserQuestion", {}]] });
  check({ mode: "default" }, { allow: [call] });
});

test("class 14: a folder that is not trusted does not choose a looser mode", () => {
  const modeOf = (settings: object, trusted?: boolean): string =>
    createPermissions({
      settings,
      cwd: "/p",
      home: "/h",
      realpath: (path) => path,
      ...(trusted === undefined ? {} : { trusted }),
    }).mode;
  const loose = ["bypassPermissions", "acceptEdits", "allow", "auto"];
  for (const mode of loose) {
    expect(modeOf({ permissions: { defaultMode: mode } }, false)).toBe("default");
    expect(modeOf({ defaultMode: mode, trusted: false })).toBe("default");
    expect(modeOf({ mode, trusted: false, rulesFrom: "project" })).toBe("default");
  }
  expect(modeOf({ defaultMode: "dontAsk", trusted: false })).toBe("dontAsk");
  expect(modeOf({ permissions: { defaultMode: "acceptEdits" } }, true)).toBe("acceptEdits");
});
