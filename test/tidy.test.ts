import { existsSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import * as aiSdk from "../packages/adapters/src/ai-sdk/ai-sdk.ts";
import * as sdk from "../packages/adapters/src/sdk/sdk.ts";
import * as agent from "../packages/agent/src/index.ts";
import * as otel from "../packages/agent/src/telemetry/otel.ts";
import * as timeline from "../packages/agent/src/timeline/index.ts";
import * as history from "../packages/engine/src/history/history.ts";
import * as code from "../packages/code/src/index.ts";
import * as engine from "../packages/engine/src/index.ts";
import * as wire from "../packages/engine/src/wire/index.ts";
import * as harness from "../packages/harness/src/index.ts";
import * as mcp from "../packages/mcp/src/index.ts";
import * as permissions from "../packages/permissions/src/index.ts";
import * as storeSuite from "../packages/agent/src/session/store-suite.ts";
import * as fleet from "../packages/fleet/src/index.ts";
import * as fleetOtel from "../packages/fleet/src/telemetry/otel.ts";
import * as postgres from "../packages/postgres/src/index.ts";
import * as testing from "../packages/testing/src/index.ts";
import * as tools from "../packages/tools/src/index.ts";
import * as workers from "../packages/workers/src/index.ts";
import { ROOT, filesOf, importsOf, textOf } from "./source.ts";

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
  "claim-queue",
  "claims",
  "epochs",
  "event",
  "locks",
  "move",
  "outcome",
  "queue",
  "step",
  "stopping",
  "turn",
  "verdict",
];

test("the engine imports only itself, and uses Node features in one file only", () => {
  const sources = SOURCES.filter((file) => file.startsWith("packages/engine/"));
  const foreign = sources.flatMap((file) =>
    importsOf(file)
      .filter((name) => !/^\.\.?\//.test(name))
      .map((name) => `${file} imports ${name}`),
  );
  expect(foreign).toEqual([
    // Types only: Node itself returns the modules if they exist.
    "packages/engine/src/runtime/platform.ts imports node:fs",
    "packages/engine/src/runtime/platform.ts imports node:path",
  ]);
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

/** The values that each entry exports. A name that is added here must be kept. */
const EXPORTS: readonly (readonly [entry: object, names: string])[] = [
  [
    engine,
    "StreamingToolExecutor ToolError anthropicCalls aroundTools createLocks createToolCache defineTool describeCall fullJournal memoryJournal memoryResults openaiCalls " +
      "reconcileTurn recoverTurn resolveFilePlace runTools toAnthropicTools toOpenAi toOpenAiTools",
  ],
  [history, "checkHistory repairHistory"],
  [
    wire,
    "createAnthropicReader createBlockBuilder createOpenAiReader createOutputIndexes createWholeCalls finishOf isTooDeep wellFormed",
  ],
  [
    permissions,
    "PERMISSION_MODES commandAccess createPermissions parseShell permissionMode readOnlyCommand readShell",
  ],
  [
    agent,
    "LeaseLost ModelError NoSuchQuestion NoSuchSession PromptTakenBack SessionExists SessionLocked SessionTooNew " +
      "agentTool agentTools aiSdk anthropic autoJudge checkSessionId cleanUpSessions createAgent createAgentProgress createHooks createLimiter createPermissionGate factsOfLines fileStore initialView isHookEvent isReminder openai query record " +
      "reduce replay scripted searchTools sessions toolSearch",
  ],
  [
    timeline,
    "allSavings count createTimelineKeeper createTimelineRecorder htmlTimeline oneLine readTimeline summarise textTimeline " +
      "timelinePath traceEvents writeTimeline",
  ],
  [otel, "telemetry"],
  [storeSuite, "storeSuite"],
  [code, "codeTool toolTypes"],
  [testing, "createFakeClock memoryJournal memoryResults runCalls scripted simulate"],
  [postgres, "postgres s3Bucket"],
  [
    fleet,
    "NotResponding createAgentQueue createFleetMetrics createRedisLimiter serveAgents startAgentWorker",
  ],
  [fleetOtel, "serverTelemetry telemetry"],
  [
    tools,
    "askUserTool braveSearch createFileMemory createLanguageServers createTasks exaSearch exitPlanModeTool fileTools " +
      "fromAiSdk fromAnthropicTool imagePixels reapOrphans " +
      "searchProvider searxngSearch shellTools taskTools tavilySearch useNetworkSettings webTools",
  ],
  [mcp, "connectMcp loginMcp mcpToolName memoryApprovals validateJsonSchema"],
  [aiSdk, "EarlyError early earlyMiddleware stopEarly toUIMessageStream uiApprovals"],
  [sdk, "runWith"],
  [workers, "NotRunError OutcomeUnknownError RemoteError drainWorker fleet remote startWorker"],
];

test("each entry exports exactly the listed names", () => {
  for (const [entry, names] of EXPORTS) expect(Object.keys(entry).toSorted()).toEqual(names.split(" "));
  expect(Object.keys(harness)).toContain("codingAgent");
});

test("another package imports each name of an internal entry", () => {
  const entries = SOURCES.filter((file) => file.endsWith("/src/internal.ts"));
  expect(entries.length).toBeGreaterThan(2);
  const unused = entries.flatMap((file) => {
    const folder = file.replace("internal.ts", "");
    const entry = `"@runahead/${file.split("/")[1]}/internal"`;
    const users = ALL.filter((user) => !user.startsWith(folder))
      .map(textOf)
      .filter((text) => text.includes(entry));
    const listed = [...textOf(file).matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(
      (match) => match[1] as string,
    );
    const names = listed.flatMap((list) =>
      [...list.matchAll(/(\w+)\s*(?:,|$)/g)].map((match) => match[1] as string),
    );
    expect([file, names.length > 5]).toEqual([file, true]);
    return names
      .filter((name) => !users.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
      .map((name) => `${file}: ${name}`);
  });
  expect(unused).toEqual([]);
});

test("only the telemetry folders load OpenTelemetry, and nothing loads an SDK", () => {
  const optional = SOURCES.flatMap((file) =>
    importsOf(file)
      .filter((name) => /^(ai|openai|@ai-sdk\/.*|@anthropic-ai\/.*|@opentelemetry\/.*)$/.test(name))
      .map((name) => `${file.replace(/[\w-]+\.ts$/, "")} ${name}`),
  );
  expect([...new Set(optional)]).toEqual([
    "packages/agent/src/telemetry/ @opentelemetry/api",
    "packages/fleet/src/telemetry/ @opentelemetry/api",
  ]);
  const fromOtel = SOURCES.filter((file) => !file.includes("/telemetry/otel")).filter((file) =>
    importsOf(file).some((name) => /\/otel(-\w+)?\.ts$/.test(name)),
  );
  expect(fromOtel).toEqual([]);
});

test("events of calls are folded in one place: everything else uses the reducer or translates single events", () => {
  const events = /"(?:call-(?:arriving|arrived|queued|started|progress|settled)|agent-event)"/;
  const front = ["packages/agent/src/", "packages/cli/src/", "packages/fleet/src/", "packages/harness/src/"];
  const files = SOURCES.filter((file) => front.some((folder) => file.startsWith(folder))).filter((file) => {
    const values = textOf(file).replaceAll(/Extract<[^;]*>/g, "");
    return events.test(values);
  });
  expect(files.filter((file) => !file.startsWith("packages/agent/src/view/"))).toEqual([
    // The union, and the only places that create its events.
    "packages/agent/src/loop/engine-listener.ts",
    "packages/agent/src/loop/event.ts",
    "packages/agent/src/loop/nested-events.ts",
    "packages/agent/src/loop/turn.ts",
    // Entries of the journal that have the same names.
    "packages/agent/src/session/calls.ts",
    "packages/agent/src/session/journal.ts",
    "packages/agent/src/session/recover.ts",
    "packages/agent/src/session/store-suite.ts",
    // Translates each event into a span.
    "packages/agent/src/telemetry/otel-scope.ts",
    // Translates each event into those of the Messages API.
    "packages/cli/src/headless/partial.ts",
    // Counts single events.
    "packages/fleet/src/serve/metrics.ts",
  ]);
});

/** Errors of other programs and libraries that have neither a type nor a code, so only the text identifies them. */
const BY_MESSAGE = [
  // Servers use one code for all requests that they refuse. What is wrong decides what is removed from the history.
  "packages/agent/src/loop/strip-rejected.ts",
  // Providers of the AI SDK throw a plain Error if a stream ends early.
  "packages/agent/src/model/ai-sdk-error.ts",
  // undici reports the answer of a proxy only in its message.
  "packages/agent/src/model/connection-error.ts",
  // Servers use one code for a rate limit, which passes, and for a spending limit, which does not.
  "packages/agent/src/model/error.ts",
  // Servers use one code for a conversation that is too long, one with a wrong part, and wrong options.
  "packages/agent/src/model/refusal.ts",
  // Servers use one status for an unknown model and an unknown address. It only decides what the error advises.
  "packages/agent/src/model/status-words.ts",
  // A schema library says only in its message whether a value is missing.
  "packages/engine/src/runtime/toolbox.ts",
  // Redis names the kind of an error only in its text.
  "packages/fleet/src/redis-script.ts",
  // The MCP SDK reports the end of its reconnection attempts, and a connection that has ended, with a plain Error.
  "packages/mcp/src/client-server.ts",
  // pg reports a lost connection and a reply that took too long with a plain Error.
  "packages/postgres/src/database.ts",
  // BullMQ reports a lock that it could not renew, and ioredis a closed connection, with a plain Error.
  "packages/workers/src/worker.ts",
];
/** The values of an end reason are codes, and this reads the output of hooks. */
const NOT_ERRORS = ["packages/agent/src/hooks/ending.ts", "packages/cli/src/repl/transcript/hearing.ts"];

test("errors are recognised by type or code, not by their message", () => {
  const named = String.raw`\b(?:message|reason|why|complaint|said)`;
  const read = String.raw`(?:messageOf\([^()]*\)|(?:stringOf|String)\((?:error|\w*\[?"?message)[^()]*\))`;
  const byText = [
    String.raw`(?:${named}|${read})\??\.(?:startsWith|endsWith|includes|match|search)\(`,
    String.raw`\.(?:test|exec)\((?:\w+\.)*(?:${named}\b|${read})`,
    String.raw`(?:error|thrown|cause)\w*\.message [!=]==|\b(?:message|what) === "[a-zA-Z ]{8}`,
  ].map((pattern) => new RegExp(pattern, "i"));
  // The text of an answer of a server.
  const ofServer = /\b(?:[A-Z_]+|words)\.test\(text\)/;
  const found = SOURCES.filter((file) => {
    const patterns = file.startsWith("packages/agent/src/model/") ? [...byText, ofServer] : byText;
    return textOf(file)
      .split("\n")
      .some((line) => patterns.some((pattern) => pattern.test(line)));
  });
  expect(found.filter((file) => !NOT_ERRORS.includes(file))).toEqual(BY_MESSAGE);
});

test("time limits are not combined with AbortSignal.any, which loses them on Node 20: limitedSignal is", () => {
  const loses = /AbortSignal\.any\([^;]*AbortSignal\.timeout/;
  expect(SOURCES.filter((file) => loses.test(textOf(file)))).toEqual([]);
});

test("class 11: only one file of the program writes to the terminal", () => {
  const writes =
    /\bprocess\s*\.\s*std(?:out|err)\b|\bstd(?:out|err)\b[^;]*\}\s*=\s*process\b|\bconsole\s*\.|\bwriteSync\(\s*[12]\b|"\/dev\/(?:tty|std\w+)"/;
  const files = SOURCES.filter((file) => file.startsWith("packages/cli/src/"));
  expect(files.length).toBeGreaterThan(80);
  expect(files.filter((file) => writes.test(textOf(file)))).toEqual([
    "packages/cli/src/shared/terminal-output.ts",
  ]);
  // The library that reads keys also writes, so it gets a terminal in one place only.
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

const TESTS = ALL.filter((file) => file.endsWith(".test.ts"));
const UNIT_TESTS = TESTS.filter(
  (file) => file.includes("/src/") && !/\.(?:system|long)\.test\.ts$/.test(file),
);
const STARTS_PROCESSES = ["node:child_process", "@lydell/node-pty", "playwright-core", "ioredis", "bullmq"];

/** The imports of a file, with those of its test helpers. */
function importsWithHelpers(file: string): string[] {
  return importsOf(file).flatMap((name) => {
    const helper = posix.join(posix.dirname(file), name);
    return /^\.\.?\/.*\/test\//.test(name) ? importsWithHelpers(helper) : [name];
  });
}

test("no test replaces process.env, because TZ and child processes would not follow it: vi.stubEnv changes it", () => {
  const replaces = /\bprocess\.env = /;
  expect(TESTS.filter((file) => replaces.test(textOf(file)))).toEqual([]);
});

test("unit tests import nothing that starts a process: such tests are named *.system.test.ts", () => {
  expect(UNIT_TESTS.length).toBeGreaterThan(100);
  const wrong = UNIT_TESTS.flatMap((file) =>
    importsWithHelpers(file)
      .filter((name) => STARTS_PROCESSES.includes(name))
      .map((name) => `${file} imports ${name}`),
  );
  expect(wrong).toEqual([]);
});

test("every test file is in a folder and has a suffix that vitest.config.ts knows", () => {
  const lost = TESTS.filter((file) => !/^(?:packages\/[\w-]+\/(?:src|test)|test)\//.test(file));
  expect(lost).toEqual([]);
  const odd = TESTS.filter((file) => /\.(?!system\.|long\.)[\w-]+\.test\.ts$/.test(posix.basename(file)));
  expect(odd).toEqual([]);
});

test("no test is skipped or focused, and there are no TODO comments", () => {
  const left = ALL.filter((file) => !file.endsWith("tidy.test.ts")).flatMap((file) =>
    [...textOf(file).matchAll(/\b(?:test|it|describe)\.(?:skip|only|todo)\b|\bTODO\b|\bFIXME\b/g)].map(
      ([word]) => `${file}: ${word}`,
    ),
  );
  expect(left).toEqual([]);
});
