import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import * as aiSdk from "../packages/adapters/src/ai-sdk/ai-sdk.ts";
import * as otel from "../packages/agent/src/telemetry/otel.ts";
import * as sdk from "../packages/adapters/src/sdk/sdk.ts";
import * as agent from "../packages/agent/src/index.ts";
import * as tools from "../packages/tools/src/index.ts";
import * as history from "../packages/engine/src/history.ts";
import * as engine from "../packages/engine/src/index.ts";
import * as workers from "../packages/workers/src/index.ts";
import { ROOT, filesOf, functionsOf, importsOf, textOf } from "./source.ts";

const SOURCES = filesOf(".ts", "packages").filter(
  (file) => file.includes("/src/") && !file.endsWith(".test.ts"),
);
const ALL = filesOf(".ts", "packages", "test", "examples", "scripts");
const DOCS = filesOf(".md", ".").filter((file) => !file.startsWith("bench/peers/"));

/** The part of the engine that does no IO, reads no clock and makes no promise. */
const CORE = [
  "abandoned",
  "access",
  "call",
  "claims",
  "epochs",
  "event",
  "move",
  "outcome",
  "queue",
  "step",
  "stopping",
  "turn",
  "verdict",
];

test("the engine imports nothing but itself and Node", () => {
  const foreign = SOURCES.filter((file) => file.startsWith("packages/engine/")).flatMap((file) =>
    importsOf(file)
      .filter((name) => !/^(\.\.?\/|node:)/.test(name))
      .map((name) => `${file} imports ${name}`),
  );
  expect(foreign).toEqual([]);
  const { dependencies } = JSON.parse(textOf("packages/engine/package.json")) as { dependencies?: object };
  expect(dependencies ?? {}).toEqual({});
});

test("in the agent, only the loop knows of the others", () => {
  const parts = SOURCES.filter((file) => /^packages\/agent\/src\/(?!loop\/)\w+\//.test(file));
  expect(parts.length).toBeGreaterThan(20);
  const outside = parts.flatMap((file) =>
    importsOf(file)
      .filter((name) => name.startsWith("../") && !isShared(file, name))
      .map((name) => `${file} imports ${name}`),
  );
  expect(outside).toEqual([]);
});

/** What adapters to other libraries build on. */
const ADAPTED = [
  "../tools/from-",
  "../model/blocks.ts",
  "../model/calls.ts",
  "../model/event.ts",
  "../model/message.ts",
  "../loop/definitions.ts",
  "../loop/event.ts",
];

/** Permissions and tools both read shell commands; everybody meets the system. */
function isShared(file: string, name: string): boolean {
  if (name.startsWith("../system/")) return true;
  if (file.includes("/adapt/")) return ADAPTED.some((shared) => name.startsWith(shared));
  return /\/(permission|tools)\//.test(file) && name.startsWith("../shell/");
}

test("the core imports only the core, and types", () => {
  for (const name of CORE) {
    const file = `packages/engine/src/${name}.ts`;
    const values = textOf(file).replaceAll(/import type [^;]*;/g, "");
    const others = [...values.matchAll(/from "([^"]+)"/g)].map((match) => match[1] as string);
    const outside = others.filter((path) => !CORE.some((core) => path === `./${core}.ts`));
    expect([file, outside]).toEqual([file, []]);
    expect(values).not.toMatch(
      /\b(setTimeout|Date|Math\.random|performance|Promise|process|async|await)\b\s*[.(<]/,
    );
  }
});

test("files are small: at most 400 lines, half of them under 100, the core's step at most 250", () => {
  const lines = (file: string): number => textOf(file).split("\n").length - 1;
  const long = ALL.filter(
    (file) => lines(file) > (file.endsWith("/step.ts") ? 250 : file.includes("test") ? 600 : 400),
  );
  expect(long).toEqual([]);
  const sizes = SOURCES.map(lines).toSorted((one, other) => one - other);
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThan(110);
});

test("functions are small: at most 70 lines, nine in ten under 25, at most three parameters", () => {
  const functions = SOURCES.flatMap(functionsOf);
  expect(functions.length).toBeGreaterThan(200);
  expect(functions.filter(({ lines }) => lines > 70)).toEqual([]);
  expect(functions.filter(({ lines }) => lines < 25).length / functions.length).toBeGreaterThan(0.9);
  expect(functions.filter(({ parameters }) => parameters > 3)).toEqual([]);
});

test("the engine exports what is meant to be exported", () => {
  expect(Object.keys(engine).toSorted()).toEqual([
    "StreamingToolExecutor",
    "anthropicCalls",
    "defineTool",
    "describeCall",
    "fullJournal",
    "memoryJournal",
    "memoryResults",
    "openaiCalls",
    "recoverTurn",
    "resolveFilePlace",
    "runTools",
    "toOpenAi",
  ]);
});

test("the workers' package exports what is meant to be exported", () => {
  expect(Object.keys(workers).toSorted()).toEqual([
    "NotRunError",
    "OutcomeUnknownError",
    "RemoteError",
    "drainWorker",
    "fleet",
    "remote",
    "startWorker",
  ]);
});

test("checking and repairing histories is an entry of its own", () => {
  expect(Object.keys(history).toSorted()).toEqual(["checkHistory", "repairHistory"]);
});

test("the agent exports what is meant to be exported", () => {
  expect(Object.keys(agent).toSorted()).toEqual([
    "CorpusError",
    "FixtureError",
    "ModelError",
    "NoSuchSession",
    "NotSaved",
    "PermissionGate",
    "SessionExists",
    "SessionLocked",
    "SessionTooNew",
    "addUsage",
    "aiSdk",
    "anthropic",
    "autoJudge",
    "concerns",
    "createAgent",
    "createHooks",
    "createPermissions",
    "definedAgents",
    "explainSettings",
    "instructions",
    "isHookEvent",
    "loadSettings",
    "mcpApprovals",
    "mcpServers",
    "mcpServersIn",
    "openai",
    "ownGit",
    "parseCorpus",
    "protectedPaths",
    "query",
    "readOnlyCommand",
    "record",
    "recordedCalls",
    "replay",
    "runCorpus",
    "saveRule",
    "scripted",
    "sessions",
    "trustIn",
    "watchSettings",
    "withoutOwnKeys",
    "workspaceSnapshots",
  ]);
});

test("the tools that come with it are exported", () => {
  expect(Object.keys(tools).toSorted()).toEqual([
    "FileMemory",
    "Tasks",
    "agentTool",
    "askUserTool",
    "braveSearch",
    "connectMcp",
    "exaSearch",
    "fileTools",
    "fromAiSdk",
    "fromAnthropicTool",
    "memoryApprovals",
    "reapOrphans",
    "searchProvider",
    "searxngSearch",
    "shellTools",
    "taskTools",
    "tavilySearch",
    "validateJsonSchema",
    "webTools",
  ]);
});

test("the adapters export what is meant to be exported", () => {
  expect([aiSdk, sdk, otel].map((entry) => Object.keys(entry).toSorted())).toEqual([
    ["EarlyError", "early", "stopEarly"],
    ["runWith"],
    ["telemetry"],
  ]);
});

test("what an adapter is for is loaded by nothing else, and an SDK by nothing at all", () => {
  const optional = SOURCES.flatMap((file) =>
    importsOf(file)
      .filter((name) => /^(ai|openai|@ai-sdk\/.*|@anthropic-ai\/.*|@opentelemetry\/.*)$/.test(name))
      .map((name) => `${file.replace(/[\w-]+\.ts$/, "")} ${name}`),
  );
  expect([...new Set(optional)]).toEqual(["packages/agent/src/adapt/ @opentelemetry/api"]);
  const fromOtel = SOURCES.filter((file) => !file.includes("/adapt/otel")).filter((file) =>
    importsOf(file).some((name) => /\/otel(-\w+)?\.ts$/.test(name)),
  );
  expect(fromOtel).toEqual([]);
});

test("class 11: only one file of the program writes to the terminal", () => {
  const writes =
    /\bprocess\s*\.\s*std(?:out|err)\b|\bstd(?:out|err)\b[^;]*\}\s*=\s*process\b|\bconsole\s*\.|\bwriteSync\(\s*[12]\b|"\/dev\/(?:tty|std\w+)"/;
  const files = SOURCES.filter((file) => file.startsWith("packages/cli/src/"));
  expect(files.length).toBeGreaterThan(80);
  expect(files.filter((file) => writes.test(textOf(file)))).toEqual(["packages/cli/src/terminal-output.ts"]);
  // The library that reads keys writes by itself: it is given a terminal in one place, and a screen of ours.
  const terminals = files.filter((file) => /\bProcessTerminal\b/.test(textOf(file)));
  expect(terminals).toEqual(["packages/cli/src/repl/repl.ts"]);
});

test("every path that the docs name exists", () => {
  const named = DOCS.flatMap((file) =>
    [...textOf(file).matchAll(/`((?:packages|docs|examples|bench|scripts|test|\.ci)\/[\w./-]*)`/g)].map(
      (match) => [file, match[1] as string] as const,
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(([, path]) => !existsSync(`${ROOT}/${path}`))).toEqual([]);
});

test("every link between the docs leads somewhere", () => {
  const links = DOCS.flatMap((file) =>
    [...textOf(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
      (match) => new URL(match[1] as string, `file://${ROOT}/${file}`),
    ),
  );
  expect(links.filter((link) => !existsSync(link)).map(String)).toEqual([]);
});

test("no test is left out or run alone, and nothing is left to do", () => {
  const left = ALL.filter((file) => !file.endsWith("tidy.test.ts")).flatMap((file) =>
    [...textOf(file).matchAll(/\b(?:test|it|describe)\.(?:skip|only|todo)\b|\bTODO\b|\bFIXME\b/g)].map(
      ([word]) => `${file}: ${word}`,
    ),
  );
  expect(left).toEqual([]);
});
