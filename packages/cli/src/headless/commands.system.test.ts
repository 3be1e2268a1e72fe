import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ModelServer, modelServer, sse } from "../../../agent/test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import { pngBytes } from "../../../tools/test/support/image-bytes.ts";
import { runMain } from "../../test/support/run-main.ts";

let root = "";
let server: ModelServer;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-commands-")));
  for (const folder of ["home", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
  const answer = { pieces: [sse([messageStart, ...textBlock(0, "ok"), ...messageEnd("end_turn")])] };
  server = await modelServer(answer, answer);
});
afterEach(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

function put(name: string, text: string): void {
  const path = join(root, "project", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The request that a prompt leads to. */
async function sent(prompt: string, stdin = "", flags: readonly string[] = []): Promise<string> {
  const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
  const input = {
    isTerminal: stdin === "",
    signal: new AbortController().signal,
    async *read() {
      yield await Promise.resolve(Buffer.from(stdin));
    },
  };
  const { code, error } = await runMain(
    root,
    ["-p", "--trust", ...flags, ...(prompt === "" ? [] : [prompt])],
    { env, input },
  );
  expect([code, error]).toEqual([0, ""]);
  return server.requests.at(-1)?.text ?? "";
}

test("class 5: -p expands /name with arguments and runs its commands", async () => {
  put(
    ".claude/commands/say.md",
    "---\nallowed-tools: Bash(printf:*)\n---\nSay $0 twice: !`printf '%s' made`. $7",
  );
  expect(await sent("/say 'two words' x")).toContain("Say two words twice: made. $7");
});

test("-p says that a command does not exist, with the nearest name, and sends the prompt as it is", async () => {
  put(".claude/commands/deploy.md", "Deploy.");
  const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
  const input = { isTerminal: true, signal: new AbortController().signal, async *read() {} };
  const run = (prompt: string) => runMain(root, ["-p", "--trust", prompt], { env, input });
  expect((await run("/depoly now")).error).toBe(
    "No command or skill is named /depoly, so the prompt is sent as it is. Did you mean /deploy?",
  );
  expect(server.requests.at(-1)?.text).toContain("/depoly now");
  expect((await run("/usr is full")).error).toBe("");
});

test("the first line of stream-json lists the commands, the skills and the output style in use", async () => {
  put(".claude/commands/say.md", "Say $0.");
  put(".claude/skills/ship/SKILL.md", "---\nname: ship\ndescription: Ships.\n---\nShip.");
  put(".claude/skills/quiet/SKILL.md", "---\nname: quiet\ndescription: d\nuser-invocable: false\n---\nHush.");
  put(".claude/settings.json", JSON.stringify({ outputStyle: "learning" }));
  const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
  const flags = ["-p", "--trust", "--output-format", "stream-json", "--verbose", "hello"];
  const input = { isTerminal: true, signal: new AbortController().signal, async *read() {} };
  const { out } = await runMain(root, flags, { env, input });
  const [init = {}] = out.split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  const { slash_commands: commands, skills, plugins, output_style: style } = init;
  expect([(commands as string[]).toSorted(), (skills as string[]).toSorted(), plugins, style]).toEqual([
    ["say", "ship"],
    ["quiet", "ship"],
    [],
    "Learning",
  ]);
});

test("the initialPrompt of --agent comes before the prompt, and is enough without one", async () => {
  put(".claude/commands/begin.md", "Begin with $ARGUMENTS.");
  put(".claude/agents/lead.md", "---\nname: lead\ndescription: d\ninitialPrompt: /begin\n---\nYou lead.");
  expect(await sent("the plan", "", ["--agent", "lead"])).toContain("Begin with the plan.");
  expect(await sent("", "", ["--agent", "lead"])).toContain("Begin with ");
});

test("class 5: arguments are appended to a text without placeholders", async () => {
  put(".claude/skills/note/SKILL.md", "---\nname: note\ndescription: Notes.\n---\nTake a note.");
  expect(await sent("/note buy milk")).toContain(String.raw`Take a note.\n\nARGUMENTS: buy milk`);
});

test("class 5: -p attaches files that the prompt or the command names, and nothing that is piped in", async () => {
  put("a.txt", "content of a\n");
  put("b.txt", "content of b\n");
  put(".claude/commands/look.md", "Look at @b.txt.");
  const text = await sent("/look", "also @a.txt");
  expect([text.includes("content of b"), text.includes("content of a")]).toEqual([true, false]);
});

test.each(["/look", "see @a.txt", "/compact"])(
  "class 5: a prompt that is only piped in runs no command, attaches no file and compacts nothing: %s",
  async (piped) => {
    put("a.txt", "content of a\n");
    put(".claude/commands/look.md", "Look around: !`touch ran`");
    const text = await sent("", piped);
    expect(text).toContain(`"text":"${piped}"`);
    expect(text).not.toContain("content of a");
    expect(existsSync(join(root, "project/ran"))).toBe(false);
  },
);

test("-p attaches an image that the prompt names as an image", async () => {
  writeFileSync(join(root, "project/shot.png"), pngBytes(8, 6));
  const text = await sent("what is in @shot.png?");
  const { messages } = JSON.parse(text) as { messages: { content: { type: string; source?: object }[] }[] };
  const images = messages.flatMap(({ content }) => content).filter(({ type }) => type === "image");
  expect(images).toMatchObject([{ source: { type: "base64", media_type: "image/png" } }]);
});

test("class 5: a prompt that begins with a slash and names no command is sent as it is", async () => {
  expect(await sent("/usr/bin is what?")).toContain("/usr/bin is what?");
});
