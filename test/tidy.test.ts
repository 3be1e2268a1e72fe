import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import * as aiSdk from "../packages/adapters/src/ai-sdk/ai-sdk.ts";
import * as sdk from "../packages/adapters/src/sdk/sdk.ts";
import * as agent from "../packages/agent/src/index.ts";
import * as otel from "../packages/agent/src/telemetry/otel.ts";
import * as timeline from "../packages/agent/src/timeline/index.ts";
import * as history from "../packages/engine/src/history/history.ts";
import * as engine from "../packages/engine/src/index.ts";
import * as wire from "../packages/engine/src/wire/index.ts";
import * as harness from "../packages/harness/src/index.ts";
import * as mcp from "../packages/mcp/src/index.ts";
import * as permissions from "../packages/permissions/src/index.ts";
import * as tools from "../packages/tools/src/index.ts";
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

test("the engine imports nothing but itself, and looks for what only Node has in one file", () => {
  const sources = SOURCES.filter((file) => file.startsWith("packages/engine/"));
  const foreign = sources.flatMap((file) =>
    importsOf(file)
      .filter((name) => !/^\.\.?\//.test(name))
      .map((name) => `${file} imports ${name}`),
  );
  expect(foreign).toEqual([]);
  const nodeOnly = /\b(?:process\.|Buffer\.|setImmediate\b|require\(|__dirname\b)/;
  expect(sources.filter((file) => nodeOnly.test(textOf(file)))).toEqual([
    "packages/engine/src/runtime/platform.ts",
  ]);
  const { dependencies } = JSON.parse(textOf("packages/engine/package.json")) as { dependencies?: object };
  expect(dependencies ?? {}).toEqual({});
});

test("the core imports only the core, and types", () => {
  for (const name of CORE) {
    const file = `packages/engine/src/core/${name}.ts`;
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

/** What each entry exports, apart from types. A name that is added here is one to keep. */
const EXPORTS: readonly (readonly [entry: object, names: string])[] = [
  [
    engine,
    "StreamingToolExecutor anthropicCalls defineTool describeCall fullJournal memoryJournal memoryResults openaiCalls " +
      "recoverTurn resolveFilePlace runTools toAnthropicTools toOpenAi toOpenAiTools",
  ],
  [history, "checkHistory repairHistory"],
  [wire, "BlockBuilder WholeCalls isTooDeep rejectUnknown wellFormed"],
  [
    permissions,
    "CorpusError FixtureError clearanceNow clearanceOf concerns createPermissions noteClearance parseCorpus parseShell " +
      "readOnlyCommand readShell runCorpus",
  ],
  [
    agent,
    "ModelError NoSuchSession PermissionGate SessionExists SessionLocked SessionTooNew addUsage agentTool aiSdk " +
      "anthropic autoJudge createAgent createHooks isHookEvent openai query record recordedCalls replay scripted " +
      "sessions",
  ],
  [
    timeline,
    "TimelineKeeper TimelineRecorder allSavings count htmlTimeline oneLine readTimeline summarise textTimeline " +
      "timelinePath traceEvents writeTimeline",
  ],
  [otel, "telemetry"],
  [
    tools,
    "FileMemory Tasks askUserTool braveSearch exaSearch fileTools fromAiSdk fromAnthropicTool reapOrphans " +
      "searchProvider searxngSearch shellTools taskTools tavilySearch webTools",
  ],
  [mcp, "connectMcp memoryApprovals validateJsonSchema"],
  [aiSdk, "EarlyError early stopEarly"],
  [sdk, "runWith"],
  [workers, "NotRunError OutcomeUnknownError RemoteError drainWorker fleet remote startWorker"],
];

test("each entry exports what is meant to be exported", () => {
  for (const [entry, names] of EXPORTS) expect(Object.keys(entry).toSorted()).toEqual(names.split(" "));
  expect(Object.keys(harness)).toContain("codingAgent");
});

test("what an adapter is for is loaded by nothing else, and an SDK by nothing at all", () => {
  const optional = SOURCES.flatMap((file) =>
    importsOf(file)
      .filter((name) => /^(ai|openai|@ai-sdk\/.*|@anthropic-ai\/.*|@opentelemetry\/.*)$/.test(name))
      .map((name) => `${file.replace(/[\w-]+\.ts$/, "")} ${name}`),
  );
  expect([...new Set(optional)]).toEqual(["packages/agent/src/telemetry/ @opentelemetry/api"]);
  const fromOtel = SOURCES.filter((file) => !file.includes("/telemetry/otel")).filter((file) =>
    importsOf(file).some((name) => /\/otel(-\w+)?\.ts$/.test(name)),
  );
  expect(fromOtel).toEqual([]);
});

test("class 11: only one file of the program writes to the terminal", () => {
  const writes =
    /\bprocess\s*\.\s*std(?:out|err)\b|\bstd(?:out|err)\b[^;]*\}\s*=\s*process\b|\bconsole\s*\.|\bwriteSync\(\s*[12]\b|"\/dev\/(?:tty|std\w+)"/;
  const files = SOURCES.filter((file) => file.startsWith("packages/cli/src/"));
  expect(files.length).toBeGreaterThan(80);
  expect(files.filter((file) => writes.test(textOf(file)))).toEqual([
    "packages/cli/src/shared/terminal-output.ts",
  ]);
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
