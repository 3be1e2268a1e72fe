import { expect, test } from "vitest";
import { type Self, endsAgent, thisProcess } from "./bash-refuse.ts";

const self: Self = { pid: 4242, names: ["node"], commandLine: "/usr/bin/node /opt/runahead/cli.js -p" };

const FATAL = [
  "pkill node",
  "pkill -9 node",
  "pkill -f node",
  "pkill -f runahead",
  "pkill -f 'cli.js'",
  "pkill --signal KILL node",
  "pkill no",
  "killall node",
  "killall -9 node",
  "/usr/bin/killall node",
  "sudo pkill node",
  "bash -c 'pkill node'",
  "sleep 1 && pkill node; echo done",
  "kill 4242",
  "kill -9 4242",
  "kill -- -4242",
  "kill -9 -1",
  "kill $PPID",
  'kill -TERM "$PPID"',
  "kill $(pgrep node)",
  "pgrep -f cli.js | xargs kill",
  "kill `pidof node`",
];

const HARMLESS = [
  "pkill python",
  "pkill -x nod",
  "pkill -P 99 node",
  "pkill -f 'vite --port'",
  "killall nginx",
  "kill 99",
  "kill -1 99",
  "kill %1",
  "pgrep node",
  "echo pkill node",
  "kill 0",
  "grep kill 4242",
];

test("F15: a command that would kill the agent does not run", () => {
  expect(FATAL.filter((command) => endsAgent(command, "/", self) === undefined)).toEqual([]);
  expect(endsAgent("echo a; pkill -f node", "/", self)).toBe(
    "Not run: `pkill -f node` would also kill this agent (process 4242, node). " +
      "Kill the process you mean by its id (kill <pid>), or end a background job with KillShell.",
  );
});

test("F15: commands that kill other processes run", () => {
  expect(HARMLESS.filter((command) => endsAgent(command, "/", self) !== undefined)).toEqual([]);
});

test("F15: the agent knows its own process name and id", () => {
  const { pid, names, commandLine } = thisProcess();
  expect([pid, names[0], commandLine.startsWith(process.execPath)]).toEqual([process.pid, "node", true]);
});
