import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PromptWorld, calls, remindersIn, requestsOf, says } from "../../test/support/prompt-world.ts";
import { pluginStore } from "../plugins/store.ts";
import { trustIn } from "../trust/trust.ts";
import { NO_SKILLS, SKILLS } from "./skill-list.ts";

let world: PromptWorld;
beforeEach(() => {
  world = new PromptWorld();
  world.write("a.txt", "a\n");
  world.commitAll();
});
afterEach(() => world.remove());

const skill = (name: string, head: string, body: string, folder = ".claude"): string =>
  world.write(`${folder}/skills/${name}/SKILL.md`, `---\nname: ${name}\n${head}\n---\n${body}`);
const { signal } = new AbortController();
const FRESH_MS = 1600;

test("class 4: skills are listed to the model, and the Skill tool loads one", async () => {
  skill(
    "deploy",
    "description: Deploys.\nwhen_to_use: When asked to ship.",
    "Run $ARGUMENTS[0] in ${CLAUDE_SKILL_DIR}.",
  );
  skill("secret", "description: Hidden.\ndisable-model-invocation: true", "x");
  skill("other", "description: Of agents.", "y", ".agents");
  const answers = [calls("Skill", { skill: "deploy", args: "fast 'two words'" }), says("done")];
  const { agent, server } = await world.start(answers);
  await agent.send("ship it");
  const [first, second] = requestsOf(server);
  const list = remindersIn(first!).find((text) => text.startsWith(SKILLS));
  expect(list).toBe(`${SKILLS}\n- deploy: Deploys. When asked to ship.\n- other: Of agents.`);
  expect(first?.tools.map(({ name }) => name)).toContain("Skill");
  const folder = join(world.project, ".claude/skills/deploy");
  expect(JSON.stringify(second?.messages.at(-1))).toContain(`Run fast in ${folder}.`);
});

test("class 4: a skill that only the user can use is refused to the model, and works as /name", async () => {
  skill("secret", "description: Hidden.\ndisable-model-invocation: true", "Say $ARGUMENTS.");
  skill("inner", "description: For the model.\nuser-invocable: false", "z");
  const { agent, server, prompts } = await world.start([calls("Skill", { skill: "secret" }), says("no")]);
  await agent.send("go");
  expect(JSON.stringify(requestsOf(server).at(-1)?.messages.at(-1))).toContain(
    '"content":"Only the user can use the skill secret. Ask them to type /secret."',
  );
  expect((await prompts.expand("/secret a b", signal))?.text).toBe("Say a b.");
  expect(await prompts.expand("/inner", signal)).toBeUndefined();
  expect(await prompts.expand("/nothing", signal)).toBeUndefined();
});

test("class 4: a skill is called like its folder, the name in its file finds it too, and a deny counts for both", async () => {
  world.write(".claude/skills/design/SKILL.md", "---\nname: Design-It\ndescription: Designs.\n---\nDesign.");
  const { agent, server, prompts } = await world.start([
    calls("Skill", { skill: "Design-It" }),
    says("done"),
  ]);
  await agent.send("go");
  const [first, second] = requestsOf(server);
  expect(remindersIn(first!).find((text) => text.startsWith(SKILLS))).toBe(`${SKILLS}\n- design: Designs.`);
  expect(JSON.stringify(second?.messages.at(-1))).toContain("Design.");
  expect((await prompts.expand("/design", signal))?.text).toBe("Design.");
  expect((await prompts.expand("/Design-It", signal))?.text).toBe("Design.");
  const pairs = [
    ["design", "Design-It"],
    ["Design-It", "design"],
  ];
  for (const [denied, called] of pairs) {
    const answers = [calls("Skill", { skill: called }), says("no")];
    const other = await world.start(answers, { disallowedTools: [`Skill(${denied})`] });
    await other.agent.send("go");
    const result = JSON.stringify(requestsOf(other.server).at(-1)?.messages.at(-1));
    expect([denied, result]).toEqual([denied, expect.stringContaining("The skill design is denied")]);
  }
});

test("class 4: skills of an untrusted folder are not used, and a deny rule hides the tool", async () => {
  skill("deploy", "description: Deploys.", "x");
  const untrusted = await world.start([says("1")], { trust: false });
  expect(await untrusted.prompts.files()).toEqual([]);
  expect(untrusted.toolNames()).not.toContain("Skill");
  const denied = await world.start([says("1")], { disallowedTools: ["Skill"] });
  await denied.agent.send("x");
  const [request] = requestsOf(denied.server);
  expect(request?.tools.map(({ name }) => name)).not.toContain("Skill");
  expect(remindersIn(request!).some((text) => text.startsWith(SKILLS))).toBe(false);
});

test("class 4: skillOverrides restricts a skill, and a value that is not known turns it off", async () => {
  const values: Record<string, unknown> = {
    open: "on",
    quiet: "name-only",
    mine: "user-invocable-only",
    gone: "off",
    odd: "disabled",
    no: false,
  };
  for (const name of [...Object.keys(values), "constructor"]) skill(name, `description: About ${name}.`, "x");
  world.write(".claude/settings.json", JSON.stringify({ skillOverrides: values }));
  const { agent, server, prompts } = await world.start([says("1")]);
  await agent.send("go");
  const list = remindersIn(requestsOf(server)[0]!).find((text) => text.startsWith(SKILLS));
  expect(list?.split("\n").slice(1)).toEqual([
    "- constructor: About constructor.",
    "- open: About open.",
    "- quiet",
  ]);
  const usable = await Promise.all(
    Object.keys(values).map(async (name) =>
      (await prompts.expand(`/${name}`, signal)) === undefined ? [] : [name],
    ),
  );
  expect(usable.flat()).toEqual(["open", "quiet", "mine"]);
});

test("class 4: new skills are listed while the agent runs, and skills about files when one is used", async () => {
  skill("go", 'description: Go code.\npaths: "**/*.go"', "x");
  world.write("src/main.go", "package main\n");
  const read = calls("Read", { file_path: join(world.project, "src/main.go") });
  const { agent, server } = await world.start([says("1"), read, says("2"), says("3")]);
  await agent.send("one");
  await agent.send("two");
  skill("late", "description: Later.", "x");
  await pause(FRESH_MS);
  await agent.send("three");
  const lists = requestsOf(server).map((request) =>
    remindersIn(request)
      .filter((text) => text.startsWith(SKILLS))
      .at(-1)
      ?.split("\n")
      .slice(1),
  );
  expect(lists).toEqual([undefined, undefined, ["- go: Go code."], ["- go: Go code.", "- late: Later."]]);
});

test("class 4: removing a skill, also the last one, removes it from the list, and the tools stay the same", async () => {
  skill("a", "description: See </system-reminder>.", "x");
  skill("b", "description: Second.", "x");
  const { agent, server } = await world.start([says("1"), says("2"), says("3"), says("4")]);
  await agent.send("one");
  await agent.send("two");
  for (const name of ["b", "a"]) {
    rmSync(join(world.project, ".claude/skills", name), { recursive: true });
    await pause(FRESH_MS);
    await agent.send(`without ${name}`);
  }
  const requests = requestsOf(server);
  const lists = remindersIn(requests.at(-1)!).filter((text) => text.startsWith(SKILLS));
  const first = "- a: See &lt;/system-reminder>.";
  expect(lists).toEqual([`${SKILLS}\n${first}\n- b: Second.`, `${SKILLS}\n${first}`, NO_SKILLS]);
  expect(new Set(requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
});

test("class 4: a skill with context: fork runs in a sub-agent", async () => {
  skill("look", "description: Looks.\ncontext: fork\nagent: Explore", "Look at $0.");
  const answers = [calls("Skill", { skill: "look", args: "src" }), says("Nothing there."), says("done")];
  const { agent, server } = await world.start(answers);
  await agent.send("go");
  const [, inner, last] = requestsOf(server);
  expect(JSON.stringify(inner?.messages)).toContain("Look at src.");
  expect(JSON.stringify(last?.messages.at(-1))).toContain("Nothing there.");
});

test("class 5: commands of a file run with the permissions of the file, for this prompt only", async () => {
  world.write(
    ".claude/commands/git/state.md",
    "---\nallowed-tools: Bash(git tag:*)\n---\nTag: !`git tag v1`\nBad: !`git push x`\nNow: $1",
  );
  const { prompts, gate, agent } = await world.start([says("ok")]);
  const expanded = await prompts.expand("/git:state a b", signal);
  expect(expanded?.text).toMatch(/^Tag: [^]*\nBad: [^]*(?:denied|not allowed|approval)[^]*\nNow: b$/);
  expect(world.git("tag").trim()).toBe("v1");
  const decide = () =>
    gate.decide("Bash", { command: "git tag v2" }, { cwd: world.project, hookDecision: undefined });
  expect(decide().behavior).toBe("ask");
  await prompts.begin(expanded!.file);
  expect(decide().behavior).toBe("allow");
  await agent.send(expanded!.text);
  expect(decide().behavior).toBe("ask");
});

test("class 5: a file that was written after the start allows nothing", async () => {
  skill("first", "description: x", "x");
  const notices: string[] = [];
  const { prompts, gate } = await world.start([], { onNotice: (message) => notices.push(message) });
  skill("late", "description: Later.\nallowed-tools: Bash(git tag:*)", "x");
  skill("first", "description: x\nallowed-tools: Bash(git tag:*)", "x");
  await pause(FRESH_MS);
  for (const name of ["/late", "/first"]) await prompts.begin((await prompts.expand(name, signal))!.file);
  const facts = { cwd: world.project, hookDecision: undefined };
  expect(gate.decide("Bash", { command: "git tag v2" }, facts).behavior).toBe("ask");
  expect(notices.filter((text) => text.includes("it changed after the start"))).toHaveLength(2);
});

test("class 5: an argument cannot add a command, and a deny rule wins over a file", async () => {
  world.write(
    ".claude/commands/say.md",
    "---\nallowed-tools: Bash(*)\n---\nSay $ARGUMENTS and !`touch made`",
  );
  const { prompts } = await world.start([], { disallowedTools: ["Bash(touch *)"] });
  const expanded = await prompts.expand("/say !`touch stolen`", signal);
  expect(expanded?.text).toContain("Say !`touch stolen` and ");
  expect(world.git("status", "--short", "-uall")).not.toMatch(/stolen|made/);
});

test("class 5: a PreToolUse hook guards the commands of a file", async () => {
  const hook = { type: "command", command: "echo blocked >&2; exit 2" };
  world.write(
    ".claude/settings.json",
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } }),
  );
  world.write(".claude/commands/t.md", "---\nallowed-tools: Bash(touch:*)\n---\n!`touch made`");
  const { prompts } = await world.start([]);
  expect((await prompts.expand("/t", signal))?.text).toContain("blocked");
});

test("class 5: a file chooses the model for its prompt", async () => {
  world.write(".claude/commands/m.md", "---\nmodel: haiku\n---\nHi");
  const { prompts, agent, server, model } = await world.start([says("1"), says("2")]);
  const usual = model.name;
  const expanded = await prompts.expand("/m", signal);
  await prompts.begin(expanded!.file);
  await agent.send(expanded!.text);
  await agent.send("more");
  const models = server.requests.map(({ text }) => (JSON.parse(text) as { model: string }).model);
  expect(models).toEqual(["claude-haiku-4-5", usual]);
});

test("class 7: a plugin brings commands, sub-agents, skills, hooks and servers; settings turn it off", async () => {
  const root = join(world.root, "plugin");
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const guard = { type: "command", command: "${CLAUDE_PLUGIN_ROOT}/guard.sh" };
  put(".claude-plugin/plugin.json", JSON.stringify({ name: "ops", version: "1.0.0" }));
  put("commands/ship.md", "Ship from ${CLAUDE_PLUGIN_ROOT}.");
  put("agents/checker.md", "---\nname: checker\ndescription: Checks.\n---\nCheck.");
  put("skills/roll/SKILL.md", "---\nname: roll\ndescription: Rolls back.\n---\nRoll.");
  put("hooks/hooks.json", JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [guard] }] } }));
  put(".mcp.json", JSON.stringify({ db: { command: "${CLAUDE_PLUGIN_ROOT}/missing-server" } }));
  await pluginStore(world.surroundings).add({ id: "ops@house", path: root, source: root, isEnabled: true });
  const { prompts, agent, server, mcp } = await world.start([says("1")]);
  expect((await prompts.files()).map(({ name }) => name)).toEqual(["ops:roll", "ops:ship"]);
  expect((await prompts.expand("/ship", signal))?.text).toBe(`Ship from ${root}.`);
  expect(mcp.servers().map(({ name }) => name)).toEqual(["plugin_ops_db"]);
  await agent.send("x");
  expect(JSON.stringify(requestsOf(server)[0]?.tools)).toContain("ops:checker: Checks.");
  world.write(".claude/settings.json", JSON.stringify({ enabledPlugins: { "ops@house": false } }));
  const off = await world.start([]);
  expect(await off.prompts.files()).toEqual([]);
});

test("class 2: env of the settings reaches commands", async () => {
  world.write(".claude/settings.json", JSON.stringify({ env: { GREETING: "hello-env" } }));
  const { agent, server } = await world.start([calls("Bash", { command: "echo $GREETING" }), says("1")], {
    allowedTools: ["Bash(echo:*)"],
  });
  await agent.send("x");
  expect(JSON.stringify(requestsOf(server).at(-1)?.messages.at(-1))).toContain("hello-env");
});

test("class 4: skills of a subfolder are offered once a file there is used, and allow nothing", async () => {
  skill("deploy", "description: Of all.", "All.");
  skill("deploy", "description: Of the site.\nallowed-tools: Bash(touch *)", "Site.", "apps/web/.claude");
  skill("lint", "description: Lints.", "x", "apps/.agents");
  skill("hidden", "description: Of a package.", "x", "apps/web/node_modules/p/.claude");
  skill("foreign", "description: Of another repository.", "x", "apps/other/.claude");
  world.write("apps/other/.git", "gitdir: elsewhere");
  const files = ["apps/web/src/a.ts", "apps/web/node_modules/p/b.ts", "apps/other/c.ts"];
  for (const file of files) world.write(file, "x\n");
  const reads = files.map((file) => calls("Read", { file_path: join(world.project, file) }));
  const notices: string[] = [];
  const { agent, server, prompts } = await world.start(
    [...reads, calls("Skill", { skill: "apps/web:deploy" }), says("done")],
    { onNotice: (text) => notices.push(text) },
  );
  expect((await prompts.files()).map(({ name }) => name)).toEqual(["deploy"]);
  await agent.send("go");
  const lists = requestsOf(server).map((request) =>
    remindersIn(request).findLast((text) => text.startsWith(SKILLS)),
  );
  expect(lists[0]).toBe(`${SKILLS}\n- deploy: Of all.`);
  expect(lists[1]).toBe(`${SKILLS}\n- deploy: Of all.\n- lint: Lints.\n- apps/web:deploy: Of the site.`);
  expect(JSON.stringify(lists)).not.toMatch(/hidden|foreign/);
  expect(JSON.stringify(requestsOf(server).at(-1)?.messages.at(-1))).toContain("Site.");
  expect(notices.join()).toContain("allowed-tools has no effect: the skill was found after the start");
});

test("class 4: in a subfolder, the skills, commands and sub-agents of it and of the folders above are used", async () => {
  for (const [folder, text] of [
    [".claude", "top"],
    ["apps/web/.claude", "web"],
    ["apps/other/.claude", "other"],
  ] as const) {
    skill("same", `description: ${text}`, text, folder);
    world.write(`${folder}/commands/${text}.md`, text);
    world.write(`${folder}/agents/${text}.md`, `---\nname: ${text}\ndescription: d\n---\nx`);
  }
  const { prompts, agents } = await world.start([says("1")], { cwd: join(world.project, "apps/web") });
  const found = (await prompts.files()).map(({ name, description }) => `${name} ${description}`);
  expect(found).toEqual(["same web", "web web", "top top"]);
  expect(agents.map(({ name }) => name)).toEqual(expect.arrayContaining(["web", "top"]));
  expect(agents.map(({ name }) => name)).not.toContain("other");
});

test("class 4: skills of a trusted folder of --add-dir are used, those of another one are named and left out", async () => {
  const shared = join(world.root, "shared");
  const add = (folder: string, name: string): void => {
    const path = join(folder, ".claude/skills", name, "SKILL.md");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `---\ndescription: Of ${folder}.\n---\nBody of ${name}.`);
  };
  skill("same", "description: Of the project.", "x");
  for (const name of ["same", "lint"]) add(shared, name);
  add(join(world.root, "foreign"), "evil");
  await trustIn(world.surroundings).trust(shared);
  const notices: string[] = [];
  const { prompts } = await world.start([], {
    addDir: ["../shared", "../foreign", "../missing"],
    onNotice: (message) => notices.push(message),
  });
  expect((await prompts.files()).map(({ name }) => name)).toEqual(["same", "lint", "shared:same"]);
  expect((await prompts.expand("/lint", signal))?.text).toBe("Body of lint.");
  expect(notices).toEqual([
    `The skills of ${join(world.root, "foreign")} are not used, because the folder is not trusted. Run \`runahead trust\` in it to use them.`,
  ]);
});

test("class 5: a file is found by its name, with project: or user: before it, and without its plugin", async () => {
  world.write(".claude/commands/clear.md", "Clear the desk.");
  world.write(".claude/commands/git/push.md", "Push it.");
  const { prompts } = await world.start([]);
  const named = async (name: string) => (await prompts.find(name))?.body;
  for (const name of ["clear", "/clear", "project:clear", "/project:clear", "/user:clear"])
    expect(await named(name)).toBe("Clear the desk.");
  for (const name of ["git:push", "/project:git:push", "push"]) expect(await named(name)).toBe("Push it.");
  expect(await named("/other:clear")).toBeUndefined();
});

test("class 4: a skill without a folder, a file in capitals and a linked folder are found", async () => {
  world.write(".claude/skills/tidy.md", "---\ndescription: Tidies.\ndisallowed-tools: write\n---\nTidy.");
  world.write(".claude/skills/README.md", "---\ndescription: About.\n---\nRead me.");
  world.write(".claude/skills/notes.md", "Only notes.");
  world.write(".claude/commands/SHOUT.MD", "Shout.");
  world.write("team/deploy.md", "Deploy.");
  symlinkSync(join(world.project, "team"), join(world.project, ".claude/commands/team"));
  const { prompts } = await world.start([]);
  const files = await prompts.files();
  expect(files.map(({ name, kind }) => [kind, name])).toEqual([
    ["skill", "tidy"],
    ["command", "SHOUT"],
    ["command", "team:deploy"],
  ]);
  expect(files[0]?.disallowedTools).toEqual(["Write"]);
});

test("class 7: a plugin names the folder of one skill, or its file, and can itself be one skill", async () => {
  const text = (name: string): string => `---\nname: ${name}\ndescription: ${name}.\n---\nDo ${name}.`;
  world.write(
    "plug/.claude-plugin/plugin.json",
    '{"name": "plug", "skills": ["./more/one", "./more/two/SKILL.md"]}',
  );
  world.write("plug/more/one/SKILL.md", text("one"));
  world.write("plug/more/one/reference.md", text("reference"));
  world.write("plug/more/two/SKILL.md", text("two"));
  world.write("single/.claude-plugin/plugin.json", '{"name": "single"}');
  world.write("single/SKILL.md", text("alone"));
  world.write("single/examples/SKILL.md", text("example"));
  const { prompts } = await world.start([], { pluginDir: ["plug", "single"] });
  expect((await prompts.files()).map(({ name }) => name)).toEqual(["plug:one", "plug:two", "single:alone"]);
});
