import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { callEvents } from "./answers.ts";
import { browsing, homeOf, shoot } from "./browsing.ts";
import { programs } from "./programs.ts";
import { newFolder } from "./terminal.ts";

const tested = programs();
const { starts, opened } = browsing();

const QUESTIONS = [
  { question: "Which database?", header: "Database", options: [{ label: "Postgres" }, { label: "SQLite" }] },
  {
    question: "Which parts?",
    multiSelect: true,
    options: [{ label: "Auth" }, { label: "Billing", description: "Invoices" }],
  },
  { question: "Which name?", options: [] },
];

test("runahead web: a browser shows the session live, and answers its questions with rules", async () => {
  const program = tested.start();
  await program.sees("/help for commands");
  const page = await opened([], homeOf(program));
  await page.getByText(join(program.folder, "project")).first().waitFor();
  await program.types("make it");
  (await tested.model.asked()).calls(["Bash", { command: "touch made" }]);
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await shoot(page, "question");
  await page.getByRole("button", { name: /for this session.*Bash\(touch made\)/ }).click();
  // The rule of the answer covers the same command.
  (await tested.model.asked()).calls(["Bash", { command: "touch made" }], ["Read", { file_path: "a.txt" }]);
  const text = "Made <b>it</b>.\n\n```js\nlet a;\n```\n\nSee **this** `code`.";
  (await tested.model.asked()).says(text);
  await page.getByText("Made <b>it</b>.").waitFor();
  await page.getByText("› make it").waitFor();
  await page.locator("#items pre", { hasText: "let a;" }).waitFor();
  await page.locator("strong", { hasText: "this" }).waitFor();
  expect(existsSync(join(program.folder, "project", "made"))).toBe(true);
  await expect.poll(() => page.locator(".question").count()).toBe(0);
  await page.getByText("Live timeline").click();
  await expect.poll(() => page.locator(".bar .ran").count()).toBe(3);
  await page.locator("#items summary", { hasText: "touch made" }).first().click();
  await page
    .getByText(/^Waited .* for your answer.*\. Ran /)
    .first()
    .waitFor();
  await page.getByText("Whole timeline").click();
  await page.frameLocator("iframe").getByText("touch made").first().waitFor();
  await shoot(page, "transcript");
  await program.sees("Made");
  await program.types("ask me");
  (await tested.model.asked()).calls(["AskUser", { questions: QUESTIONS }]);
  await page.getByRole("radio", { name: "Postgres" }).check();
  await page.getByRole("checkbox", { name: "Billing" }).check();
  await page.getByRole("textbox", { name: "Your answer: Which name?" }).fill("Acme");
  await shoot(page, "asked");
  await program.sees("─ Database ─ 1 of 3 ─");
  await page.getByRole("button", { name: "Send the answers" }).click();
  const answered = await tested.model.asked();
  expect(tested.model.requests.at(-1)).toMatch(/→ Postgres.*→ Billing.*→ Acme/);
  answered.says("Thanks.");
  await program.sees((shown) => shown.includes("Thanks.") && !shown.includes("─ Database ─ 1 of 3 ─"));
});

test("runahead web: a plan is changed and approved there, agents are a tree, and a resumed session has its results", async () => {
  const program = tested.start({ args: ["--permission-mode", "plan"] });
  await program.sees("/help for commands");
  const page = await opened([], homeOf(program));
  await program.types("design it");
  (await tested.model.asked()).calls(["ExitPlanMode", { plan: "# Plan\n\n1. Rename the greeting." }]);
  const plan = page.getByRole("textbox", { name: /The plan/ });
  await plan.fill("# Plan\n\n1. Rename the greeting.\n2. Test it.");
  await shoot(page, "plan");
  await page.getByRole("button", { name: "Approve, and change files without asking" }).click();
  const next = await tested.model.asked();
  expect(tested.model.requests.at(-1)).toContain("2. Test it.");
  await program.sees("acceptEdits ·");
  next.calls(
    ["Write", { file_path: "b.txt", content: "one\ntwo\n" }],
    ["Agent", { description: "look around", prompt: "look", subagent_type: "general-purpose" }],
  );
  (await tested.model.asked()).calls(["Read", { file_path: "a.txt" }]);
  await page.locator("#agents li", { hasText: "general-purpose: look around working" }).waitFor();
  (await tested.model.asked()).says("Seen.");
  (await tested.model.asked()).says("Planned and done.");
  await page.getByText("Planned and done.").waitFor();
  await page.locator("#agents li", { hasText: "look around done" }).waitFor();
  await page.locator("#items li.nested", { hasText: "look around" }).waitFor();
  await page.locator("#items summary", { hasText: "b.txt" }).click();
  await page.locator(".added", { hasText: "two" }).waitFor();
  await page.getByText("Live timeline").click();
  await shoot(page, "agents");
  program.press("\u0004");
  await program.ended;
  await page.getByText("No running session.").waitFor();
  const resumed = tested.start({ folder: program.folder, args: ["--continue"] });
  await resumed.sees("Resumed after");
  await page.getByText("Planned and done.").waitFor();
  await page.locator("#items summary", { hasText: "b.txt" }).click();
  await page.locator(".added", { hasText: "two" }).waitFor();
  await page.locator("#items summary", { hasText: "look around" }).click();
  await page.locator("#items pre", { hasText: "Seen." }).waitFor();
});

/** Whether the last one of these is on the visible part of the page. */
async function isVisible(page: Page, selector: string): Promise<boolean> {
  const box = await page.locator(selector).last().boundingBox();
  return box !== null && box.y >= 0 && box.y < (page.viewportSize()?.height ?? 0);
}

test("runahead web: a long answer is followed until the user scrolls up, and a question is visible wherever the page is", async () => {
  const program = tested.start();
  await program.sees("/help for commands");
  const page = await opened([], homeOf(program));
  await program.types("tell me more");
  const answer = Array.from({ length: 80 }, (_, at) => `Paragraph ${at + 1}.`);
  const first = await tested.model.asked();
  first.send({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  const says = (text: string): void =>
    first.send({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  says(answer.join("\n\n"));
  await page.getByText("Paragraph 80.").waitFor();
  await expect.poll(() => isVisible(page, "#items p")).toBe(true);
  await page.mouse.move(600, 400);
  await page.mouse.wheel(0, -400);
  await expect.poll(() => isVisible(page, "#items p")).toBe(false);
  says("\n\nThe last one.");
  await page.getByText("The last one.").waitFor({ state: "attached" });
  expect(await isVisible(page, "#items p")).toBe(false);
  first.send({ type: "content_block_stop", index: 0 });
  first.send(...callEvents(1, "Bash", { command: "touch made" }));
  first.ends("tool_use");
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await shoot(page, "long");
  expect([await isVisible(page, ".question .main"), await isVisible(page, "nav button")]).toEqual([
    true,
    true,
  ]);
  await page.getByRole("button", { name: "Allow once" }).click();
  (await tested.model.asked()).says("Made.");
  await page.getByText("Made.").waitFor();
});

test("runahead web --server: a browser shows the sessions of a server, and answers their questions", async () => {
  const folder = newFolder();
  const env = {
    HOME: join(folder, "home"),
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: tested.model.url,
  };
  const wanted = /agents at (\S+) [^]*Token: (\S+)/;
  const [, url = "", token = ""] = await starts(
    ["serve", "--port", "0"],
    env,
    wanted,
    join(folder, "project"),
  );
  const page = await opened(["--server", url], { ...env, RUNAHEAD_SERVE_TOKEN: token });
  await fetch(`${url}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ id: "served", prompt: "write it" }),
  });
  (await tested.model.asked()).calls(["Write", { file_path: "b.txt", content: "hello\n" }]);
  await page.locator(".question .added", { hasText: "hello" }).waitFor();
  await page.getByRole("button", { name: "Allow once" }).click();
  (await tested.model.asked()).says("Written.");
  await page.getByText("Written.").waitFor();
  await page.getByText("› write it").waitFor();
  await page.locator(".question").waitFor({ state: "detached" });
  expect(existsSync(join(folder, "project", "b.txt"))).toBe(true);
  await page.getByText("Whole timeline").click();
  await page.frameLocator("iframe").getByText("b.txt").first().waitFor();
  await shoot(page, "served");
});
