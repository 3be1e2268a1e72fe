import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PromptWorld, calls, requestsOf, says, systemOf } from "../../test/support/prompt-world.ts";
import { trustIn } from "../trust/trust.ts";
import { acceptedByTrust } from "../trust/accepted.ts";
import { loadSettings } from "../settings/load.ts";
import { limitedHttpHooks } from "./hooks/http-hooks.ts";
import { withUsableSandbox } from "./permissions/sandbox.ts";
import { plansDirectory } from "../settings/plans-directory.ts";
import { startMessages } from "../settings/start-messages.ts";

let world: PromptWorld;
beforeEach(() => {
  world = new PromptWorld();
  world.write("a.txt", "a\n");
  world.commitAll();
});
afterEach(() => world.remove());

const settings = (value: object): string => world.write(".claude/settings.json", JSON.stringify(value));
const lastResult = (server: { requests: readonly { text: string }[] }): string =>
  JSON.stringify(
    (JSON.parse(server.requests.at(-1)?.text ?? "{}") as { messages: unknown[] }).messages.at(-1),
  );

/** Trusts the folder with everything that it asks for. */
async function acceptAll(): Promise<void> {
  const where = world.surroundings;
  await trustIn(where).trust(where.cwd, acceptedByTrust(await loadSettings({ ...where, managedPaths: [] })));
}

test("class 1: an excluded command runs outside of the sandbox and needs approval, the others run inside without", async () => {
  settings({ sandbox: { enabled: true, excludedCommands: ["touch"] } });
  await acceptAll();
  const outside = join(world.root, "made");
  const asked: string[] = [];
  const answers = [
    calls("Bash", { command: `touch ${outside}` }),
    calls("Bash", { command: "cp a.txt b.txt" }),
    calls("Bash", { command: `touch ${outside}2 && cp a.txt ${outside}3` }),
    says("done"),
  ];
  const { agent } = await world.start(answers, {
    trust: false,
    askPerson: (question) => {
      asked.push((question.input as { command: string }).command);
      return Promise.resolve({ type: "once" });
    },
  });
  await agent.send("go");
  expect(asked).toEqual([`touch ${outside}`]);
  expect(existsSync(outside)).toBe(true);
  expect(existsSync(join(world.project, "b.txt"))).toBe(true);
  expect(existsSync(`${outside}3`)).toBe(false);
});

test("class 1: a sandbox that cannot start is left out, with a notice, only if failIfUnavailable is false", async () => {
  const managed = world.write("managed.json", JSON.stringify({ sandbox: { bwrapPath: "/missing/bwrap" } }));
  const usable = async (sandbox: object) => {
    settings({ sandbox });
    await acceptAll();
    const notices: string[] = [];
    const loaded = await loadSettings({ ...world.surroundings, managedPaths: [managed] });
    const around = { world: world.surroundings, flags: {}, onNotice: (text: string) => notices.push(text) };
    const { isOn } = (await withUsableSandbox(loaded, around)).sandbox;
    return [isOn, notices.join().includes("/missing/bwrap is not installed")];
  };
  expect(await usable({ enabled: true })).toEqual([true, false]);
  expect(await usable({ enabled: true, failIfUnavailable: true })).toEqual([true, false]);
  expect(await usable({ enabled: true, failIfUnavailable: false })).toEqual([false, true]);
});

test("class 1: an output style replaces the instructions for work on code, or is added to them", async () => {
  world.write(".claude/output-styles/terse.md", "---\nname: Terse\ndescription: d\n---\nAnswer in one word.");
  world.write(
    ".claude/output-styles/kind.md",
    "---\nname: Kind\nkeep-coding-instructions: true\n---\nBe kind to people.",
  );
  const systemWith = async (outputStyle: string): Promise<string> => {
    settings({ outputStyle });
    const { agent, server } = await world.start([says("1")]);
    await agent.send("x");
    return systemOf(requestsOf(server)[0]!);
  };
  const terse = await systemWith("Terse");
  expect(terse).toContain("Answer in one word.");
  expect(terse).not.toContain("# Working");
  const kind = await systemWith("kind");
  expect(kind).toContain("Be kind to people.");
  expect(kind).toContain("# Working");
});

test("class 1: language, attribution and git state reach the prompt as the settings say", async () => {
  settings({
    language: "French",
    attribution: { commit: "Signed-off-by: me", pr: "" },
    includeGitInstructions: false,
  });
  const { agent, server } = await world.start([says("1")]);
  await agent.send("x");
  const [request] = requestsOf(server);
  const system = systemOf(request!);
  expect(system).toContain("Answer in French.");
  expect(system).toContain("End every commit message with this text:\nSigned-off-by: me");
  expect(system).toContain("Add no attribution to a pull request description.");
  expect(JSON.stringify(request?.messages)).not.toContain("Last commits");
});

test("class 1: apiKeyHelper of a trusted folder prints the key, and one of an untrusted folder does not run", async () => {
  const marker = join(world.root, "ran");
  settings({ apiKeyHelper: `touch ${marker}; echo helper-key` });
  const untrusted = await world.start([says("1")], { trust: false });
  await untrusted.agent.send("x");
  expect(untrusted.server.requests[0]?.headers["x-api-key"]).toBe("key");
  expect(existsSync(marker)).toBe(false);
  const trusted = await world.start([says("1")]);
  await trusted.agent.send("x");
  expect(trusted.server.requests[0]?.headers["x-api-key"]).toBe("helper-key");
  settings({ apiKeyHelper: "echo two words" });
  await expect(world.start([])).rejects.toThrow("apiKeyHelper (echo two words) returned no API key");
});

test("class 1: availableModels restricts what a flag, a command and a sub-agent can choose", async () => {
  settings({ availableModels: ["sonnet", "claude-haiku-4-5"] });
  await expect(world.start([], { model: "claude-opus-4-6" })).rejects.toThrow(
    "model claude-opus-4-6 is not one of availableModels: sonnet, claude-haiku-4-5",
  );
  world.write(".claude/agents/a.md", "---\nname: a\ndescription: d\nmodel: opus\n---\nx");
  const notices: string[] = [];
  const { model } = await world.start([], {
    model: "claude-sonnet-4-6",
    onNotice: (message) => notices.push(message),
  });
  expect(model.name).toBe("claude-sonnet-4-6");
  expect(notices.join()).toContain("`model` opus is not one of availableModels");
});

test("class 6: CLAUDE_ENV_FILE of a SessionStart hook sets variables for later commands", async () => {
  const command = 'printf "export FROM_HOOK=%s\\nALSO=\\$FROM_HOOK-too\\n" yes >> "$CLAUDE_ENV_FILE"';
  settings({ hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } });
  const answers = [calls("Bash", { command: 'echo "got-$FROM_HOOK-$ALSO"' }), says("done")];
  const { agent, server } = await world.start(answers);
  await agent.send("go");
  expect(lastResult(server)).toContain("got-yes-yes-too");
});

test("class 6: allowedHttpHookUrls leaves out hooks with other addresses, with a notice", async () => {
  const hook = (url: string): object => ({ hooks: [{ type: "http", url }] });
  settings({
    allowedHttpHookUrls: ["https://hooks.example.com/*"],
    hooks: { Stop: [hook("https://hooks.example.com/a"), hook("https://evil.example.com/a")] },
  });
  const notices: string[] = [];
  const { hooks } = await world.start([], { onNotice: (message) => notices.push(message) });
  expect(hooks.list().map(({ what }) => what)).toEqual(["https://hooks.example.com/a"]);
  expect(notices.join()).toContain("https://evil.example.com/a does not run: allowedHttpHookUrls");
});

test("class 6: an untrusted file adds nothing to allowedHttpHookUrls and httpHookAllowedEnvVars", () => {
  const value = (entries: readonly string[], trusted: boolean) => ({ value: entries, trusted });
  const other = new Map([
    ["allowedHttpHookUrls", [value(["https://a.example/*"], true), value(["*"], false)]],
    ["httpHookAllowedEnvVars", [value(["A"], true), value(["A", "KEY"], false)]],
  ]);
  const hook = (url: string): object => ({ type: "http", url, allowedEnvVars: ["A", "KEY"] });
  const hooks = { Stop: [{ hooks: [hook("https://a.example/x"), hook("https://evil.example/x")] }] };
  const [limited] = limitedHttpHooks([{ source: "s", hooks } as never], { other } as never, () => {});
  expect(limited?.hooks).toEqual({
    Stop: [{ hooks: [{ type: "http", url: "https://a.example/x", allowedEnvVars: ["A"] }] }],
  });
});

test("class 2: rules without effect are reported once, at the start and when they are added", async () => {
  settings({ permissions: { allow: ["Write(src/**)"], deny: ["Nothing(x)"] } });
  const notices: string[] = [];
  await world.start([], { onNotice: (message) => notices.push(message) });
  expect(notices.filter((text) => text.includes("Write(src/**)"))).toHaveLength(1);
  expect(notices.some((text) => text.includes("Nothing(x)"))).toBe(true);
  expect(new Set(notices).size).toBe(notices.length);
});

test("class 1: plansDirectory is in the project, or anywhere for the user's own settings", async () => {
  const folderWith = async (value: string): Promise<string | undefined> => {
    settings({ plansDirectory: value });
    const loaded = await loadSettings({ ...world.surroundings, managedPaths: [], isTrusted: true });
    return plansDirectory(loaded, world.surroundings.home);
  };
  expect(await folderWith("./docs/plans")).toBe(join(world.project, "docs/plans"));
  expect(await folderWith("../elsewhere")).toBeUndefined();
  expect(await folderWith("/tmp/x")).toBeUndefined();
  // A link of the repository must not lead out of it, also below the link and if its target is missing.
  mkdirSync(join(world.root, "outside"));
  symlinkSync(join(world.root, "outside"), join(world.project, "linked"));
  symlinkSync(join(world.root, "missing"), join(world.project, "dangling"));
  for (const value of ["linked", "linked/deep/plans", "dangling", "dangling/plans"])
    expect(await folderWith(value)).toBeUndefined();
  mkdirSync(join(world.project, "docs"));
  symlinkSync(join(world.project, "docs"), join(world.project, "notes"));
  expect(await folderWith("notes/plans")).toBe(join(world.project, "docs/plans"));
});

test("class 1: announcements and tips of the settings are shown at the start, and tips can be turned off", async () => {
  const load = async (value: object): Promise<readonly string[]> => {
    settings(value);
    return startMessages(
      await loadSettings({ ...world.surroundings, managedPaths: [], isTrusted: true }),
      0.99,
    );
  };
  const tips = { spinnerTipsOverride: { tips: ["Drink water"] } };
  expect(await load({ companyAnnouncements: ["one", "two"], ...tips })).toEqual(["two", "Tip: Drink water"]);
  expect(await load({ ...tips, spinnerTipsEnabled: false })).toEqual([]);
});

type Line = Readonly<Record<string, unknown>>;

test("class 6: the file at transcript_path has one documented line per message", async () => {
  const kept = join(world.root, "transcript-path");
  const hook = { type: "command", command: `cat > ${kept}` };
  settings({ hooks: { Stop: [{ hooks: [hook] }] } });
  const answers = [calls("Bash", { command: "echo hi" }), says("All done.")];
  const { agent, session } = await world.start(answers);
  await agent.send("go");
  const { transcript_path: path } = JSON.parse(readFileSync(kept, "utf8")) as { transcript_path: string };
  expect(path.split("/").at(-1)).toBe(`${session?.id}.jsonl`);
  const lines = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  for (const line of lines) {
    expect(line).toMatchObject({ sessionId: session?.id, cwd: world.project, isSidechain: false });
    expect(String(line["timestamp"])).toMatch(/^\d{4}-\d\d-\d\dT/);
  }
  expect(lines.slice(1).map(({ parentUuid }) => parentUuid)).toEqual(
    lines.slice(0, -1).map(({ uuid }) => uuid),
  );
  const types = lines.map(({ type }) => type);
  expect(types.at(-1)).toBe("assistant");
  const last = lines.at(-1)?.["message"] as { role: string; content: readonly Line[] };
  expect([last.role, last.content[0]?.["text"]]).toEqual(["assistant", "All done."]);
  expect(JSON.stringify(lines)).toContain("tool_use");
  expect(JSON.stringify(lines)).toContain("tool_result");
});

test("class 2: variables in env of the settings set the limits of commands and of responses", async () => {
  settings({
    permissions: { allow: ["Bash(cd:*)", "Bash(seq:*)"] },
    env: {
      BASH_DEFAULT_TIMEOUT_MS: "5000",
      BASH_MAX_TIMEOUT_MS: "7000",
      BASH_MAX_OUTPUT_LENGTH: "1200",
      CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: "777",
    },
  });
  mkdirSync(join(world.project, "sub"));
  const { agent, server } = await world.start([
    calls("Bash", { command: "cd sub && seq 1000 1999" }),
    calls("Bash", { command: "pwd" }),
    says("done"),
  ]);
  await agent.send("go");
  const [first, second] = server.requests.map(({ text }) => JSON.parse(text) as Record<string, unknown>);
  expect(first?.["max_tokens"]).toBe(777);
  const tools = JSON.stringify(first?.["tools"]);
  expect(tools).toContain("Time limit in milliseconds (default 5000, at most 7000)");
  expect(tools).toContain("Every command starts in the same directory");
  const messages = (second?.["messages"] ?? []) as readonly unknown[];
  const output = JSON.stringify(messages.at(-1));
  expect(output).toContain("left out");
  expect(output.length).toBeLessThan(1_500);
  expect(lastResult(server)).toContain(`"${world.project}"`);
});

test("class 2: variables in env of the settings choose the models and shorten the list of skills", async () => {
  settings({
    model: "opus",
    env: {
      ANTHROPIC_MODEL: "sonnet",
      ANTHROPIC_DEFAULT_SONNET_MODEL: "claude-sonnet-4-5",
      ANTHROPIC_SMALL_FAST_MODEL: "haiku",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "claude-3-5-haiku-latest",
      SLASH_COMMAND_TOOL_CHAR_BUDGET: "200",
    },
  });
  for (const name of ["one", "two", "three"]) {
    const description = `Does ${"much ".repeat(50)}`;
    world.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: ${description}\n---\nX`);
  }
  const { agent, server } = await world.start([
    calls("Agent", { description: "look", prompt: "look", subagent_type: "explore" }),
    says("found"),
    says("done"),
  ]);
  await agent.send("go");
  const bodies = server.requests.map(({ text }) => JSON.parse(text) as { readonly model: string });
  expect(bodies.map(({ model }) => model)).toEqual([
    "claude-sonnet-4-5",
    "claude-3-5-haiku-latest",
    "claude-sonnet-4-5",
  ]);
  expect(server.requests[0]?.text).not.toContain("much ".repeat(15));
  settings({ model: "opus", env: { CLAUDE_CODE_SUBAGENT_MODEL: "claude-haiku-4-5" } });
  world.write(".claude/agents/helper.md", "---\nname: helper\ndescription: d\nmodel: opus\n---\nHelp.");
  const helped = await world.start([
    calls("Agent", { description: "help", prompt: "help", subagent_type: "helper" }),
    says("helped"),
    says("done"),
  ]);
  await helped.agent.send("go");
  const models = helped.server.requests.map(({ text }) => (JSON.parse(text) as { model: string }).model);
  expect(models[1]).toBe("claude-haiku-4-5");
  expect(models[0]).toMatch(/opus/);
  settings({ deniedModels: ["sonnet"], env: { ANTHROPIC_MODEL: "sonnet" } });
  await expect(world.start([])).rejects.toThrow("model sonnet is one of deniedModels");
});
