/**
 * `runahead web` attacked and in windows of three widths. `npx vitest run -u` with this file records the pages again, in
 * `screens/`.
 */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { browsing, homeOf, shoot } from "./browsing.ts";
import { programs } from "./programs.ts";
import { pause } from "./terminal.ts";

const tested = programs();
const { opened } = browsing();
const MOST_MS = 200_000;
/** A letter in the terminal counts after about 200 ms, so that each side is first in some rounds. */
const AROUND_MS = 60;
const CLICK_MS = 2_000;
const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
/** As a file name, without a slash. */
const HOSTILE_NAME = `<img src=x onerror="window.hacked=1">.txt`;

/** Nothing of the session became an element. */
async function isHarmless(page: Page): Promise<void> {
  expect(await page.evaluate("window.hacked")).toBe(undefined);
  expect(await page.locator("#items img, #items script, #items a, #questions img, nav img").count()).toBe(0);
}

test("text of the session never becomes HTML: prompts, answers, file names, output, questions, the timeline", {
  timeout: MOST_MS,
}, async () => {
  const program = tested.start({ args: ["--allowedTools", "Bash(printf:*)"] });
  await program.sees("/help for commands");
  writeFileSync(join(program.folder, "project", HOSTILE_NAME), `${HOSTILE}\n`);
  const page = await opened([], homeOf(program));
  await program.types(`look at ${HOSTILE}`);
  (await tested.model.asked()).calls(
    ["Read", { file_path: HOSTILE_NAME }],
    ["Bash", { command: `printf '%s' '${HOSTILE}'`, description: `Print ${HOSTILE}` }],
    [
      "AskUser",
      {
        questions: [
          {
            question: HOSTILE,
            header: "<img src=x onerror=window.hacked=1>",
            options: [{ label: HOSTILE, description: HOSTILE }, { label: "B" }],
          },
        ],
      },
    ],
  );
  await page.getByRole("button", { name: "Send the answers" }).waitFor();
  await isHarmless(page);
  await page.getByRole("radio", { name: "B", exact: true }).check();
  await page.getByRole("button", { name: "Send the answers" }).click();
  (await tested.model.asked()).calls(["Write", { file_path: `new ${HOSTILE_NAME}`, content: HOSTILE }]);
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await isHarmless(page);
  await page.getByRole("button", { name: "Allow once" }).click();
  const link = "[x](javascript:window.hacked=1) <javascript:window.hacked=1>";
  (await tested.model.asked()).says(
    `# ${HOSTILE}\n\n**${HOSTILE}** \`${HOSTILE}\` ${link}\n\n\`\`\`html\n${HOSTILE}\n\`\`\`\n\nThe end.`,
  );
  await page.getByText("The end.").waitFor();
  for (const summary of await page.locator("#items summary").all()) await summary.click();
  await page.getByText("Live timeline").click();
  await page.getByText("Whole timeline").click();
  const frame = page.frameLocator("iframe");
  await frame.getByText("onerror").first().waitFor();
  expect(await frame.locator("img").count()).toBe(0);
  await isHarmless(page);
  await shoot(page, "hostile");
});

test("several sessions are in one list, and of two answers at the same moment exactly one counts", {
  timeout: MOST_MS,
}, async () => {
  const first = tested.start();
  await first.sees("/help for commands");
  const second = tested.start({ folder: first.folder });
  await second.sees("/help for commands");
  const page = await opened([], homeOf(first));
  const buttons = page.locator("nav button");
  await expect.poll(() => buttons.count()).toBe(2);
  await first.types("this is the first");
  (await tested.model.asked()).says("First answer.");
  await second.types("this is the second");
  (await tested.model.asked()).says("Second answer.");
  const seen = new Set<string>();
  for (const at of [0, 1]) {
    await buttons.nth(at).click();
    await expect.poll(() => page.locator("#items").innerText()).toMatch(/(?:First|Second) answer\./);
    seen.add(await page.locator("#items").innerText());
  }
  expect(seen.size).toBe(2);
  for (let round = 0; round < 6; round++) {
    const name = `made-${round}`;
    await second.idle();
    await second.types(`make ${name}`);
    (await tested.model.asked()).calls(["Bash", { command: `touch ${name}` }]);
    await page.locator("nav .badge").waitFor();
    await buttons.filter({ has: page.locator(".badge") }).click();
    const allow = page.getByRole("button", { name: "Allow once" });
    await allow.waitFor();
    await second.sees(`touch ${name} is not allowed`);
    // The terminal takes answers when the question could have been read.
    const here = second.answers("n");
    const there = here.then(() => pause(round * AROUND_MS)).then(() => allow.click({ timeout: CLICK_MS }));
    // The button is gone if the terminal was first.
    await there.catch(() => {});
    const text = await second.sees((shown) => new RegExp(`[✓⊘] \\$ touch ${name}`).test(shown));
    const isMade = text.includes(`✓ $ touch ${name}`);
    if (isMade) {
      (await tested.model.asked()).says(`${name} is made.`);
      await second.sees(`${name} is made.`);
    }
    expect(existsSync(join(first.folder, "project", name))).toBe(isMade);
    await expect.poll(() => page.locator(".question").count()).toBe(0);
    // The letter of an answer that came too late is text.
    second.press("\u0015");
  }
});

/** Times differ from run to run. */
const comparable = (text: string, folder: string): string =>
  `${text
    .replaceAll(folder, "/tmp/FOLDER")
    .replaceAll(/\b\d+(?:\.\d)? s\b/g, "0.0 s")
    .replaceAll(/\n{2,}/g, "\n")
    .trim()}\n`;

const PLAN = "# Rename the greeting\n\n1. Change `src/greeting.ts`.\n2. Run the **tests**.";

test.each([420, 800, 1600])(
  "with %i pixels every page is as recorded, and nothing is wider than the window",
  {
    timeout: MOST_MS,
  },
  async (width) => {
    const program = tested.start({ args: ["--permission-mode", "plan"] });
    await program.sees("/help for commands");
    const page = await opened([], homeOf(program));
    await page.setViewportSize({ width, height: 900 });
    const pages: string[] = [];
    const countOf = (selector: string): Promise<number> => page.locator(selector).count();
    const shows = async (name: string, mark: string): Promise<void> => {
      await page.getByText(mark).filter({ visible: true }).first().waitFor();
      // The list of sessions is fetched after the prompt and the question.
      await expect.poll(async () => (await countOf(".badge")) - (await countOf(".question"))).toBe(0);
      await expect.poll(async () => (await countOf(".latest")) - (await countOf("div.prompt"))).toBe(0);
      await expect
        .poll(() => page.evaluate("document.documentElement.scrollWidth - innerWidth"))
        .toBeLessThanOrEqual(0);
      pages.push(`=== ${name}\n${comparable(await page.locator("body").innerText(), program.folder)}`);
    };
    await shows("a session without a prompt", "plan");
    await program.types("design it");
    (await tested.model.asked()).calls(["ExitPlanMode", { plan: PLAN }]);
    await shows("a plan to approve", "Start with this plan?");
    await page.getByRole("button", { name: "Approve, and ask before each change" }).click();
    const long = `${"const aVeryLongName = 'and its value'; ".repeat(8)}\n`;
    (await tested.model.asked()).calls([
      "Agent",
      { description: "look around", prompt: "look", subagent_type: "general-purpose" },
    ]);
    (await tested.model.asked()).calls(["Read", { file_path: "a.txt" }]);
    (await tested.model.asked()).says("Seen.");
    await page.locator("#agents li", { hasText: "look around done" }).waitFor();
    (await tested.model.asked()).calls(["Write", { file_path: "b.ts", content: `one\n${long}` }]);
    await shows("a change to approve, below the tree of agents", "Allow once");
    await page.getByRole("button", { name: "Allow once" }).click();
    (await tested.model.asked()).says("# Done\n\nAll is **written**, see `b.ts`.\n\n```ts\nlet a;\n```");
    await page.getByText("All is").waitFor();
    await page.locator(".question").waitFor({ state: "detached" });
    await page.locator("#items summary", { hasText: "b.ts" }).click();
    await page.getByText("Live timeline").click();
    await expect.poll(() => page.locator(".bar .ran").count()).toBe(4);
    await shows("the transcript: a diff, why a call waited, the live timeline", "for your answer");
    await expect(pages.join("\n")).toMatchFileSnapshot(`screens/web-${width}.txt`);
    await shoot(page, `width-${width}`);
  },
);
