import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Browser, type Page, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrived, everything, many, played, settled, started } from "../../test/support/timeline.ts";
import { htmlTimeline } from "./html.ts";
import type { Timeline } from "./model.ts";
import { createTimelineRecorder } from "./recorder.ts";
import { writeTimeline } from "./write.ts";

const CHROMIUM = "/usr/bin/chromium";
const ARTEFACTS = fileURLToPath(new URL("../../../cli/test-artifacts/", import.meta.url));

let browser: Browser | undefined;
let folder = "";

/** Without Chromium these tests fail, and say what to run. */
beforeAll(async () => {
  const script = fileURLToPath(new URL("../../../../scripts/install-program.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, "chromium"], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr.trim());
  folder = mkdtempSync(join(tmpdir(), "runahead-page-"));
  mkdirSync(ARTEFACTS, { recursive: true });
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    // People have scrollbars.
    ignoreDefaultArgs: ["--hide-scrollbars"],
  });
}, 300_000);
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  readonly page: Page;
  /** The requests of the page for other files, and its errors. */
  readonly requests: string[];
  readonly complaints: string[];
}

async function open(timeline: Timeline, colorScheme: "light" | "dark" = "light"): Promise<Opened> {
  const path = join(folder, "page.html");
  expect(await writeTimeline(path, timeline)).toMatchObject({ type: "written" });
  const page = await (browser as Browser).newPage({ viewport: { width: 1280, height: 760 }, colorScheme });
  const [requests, complaints]: [string[], string[]] = [[], []];
  const address = pathToFileURL(path).href;
  await page.route("**/*", (route) => {
    if (route.request().url() === address) return route.continue();
    requests.push(route.request().url());
    return route.abort();
  });
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(address);
  await drawn(page);
  return { page, requests, complaints };
}

/** Two frames later, the change is drawn. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
  );
}

async function closeQuietly({ page, requests, complaints }: Opened): Promise<void> {
  await drawn(page);
  expect({ requests, complaints }).toEqual({ requests: [], complaints: [] });
  await page.close();
}

const labels = (page: Page): Promise<string[]> =>
  page.locator(".row").evaluateAll((rows) => rows.map((row) => row.ariaLabel ?? ""));
const row = (page: Page, label: string) => page.locator(`.row[aria-label^="${label}"]`);
/** Where a row's bar is, in pixels of the page. */
async function bar(page: Page, label: string): Promise<{ x: number; width: number }> {
  const box = await row(page, label).locator(".segment.running").boundingBox();
  return { x: Math.round(box?.x ?? -1), width: Math.round(box?.width ?? -1) };
}

test.each(["light", "dark"] as const)(
  "a session is drawn in %s, and nothing is asked for or complained about",
  async (scheme) => {
    const opened = await open(everything(), scheme);
    const { page } = opened;
    expect(await labels(page)).toEqual([
      "Prompt",
      "Retry 1, overloaded, 700 ms",
      "Turn 1, claude-opus-4, 6.10 s",
      "Read, src/parse.ts, succeeded, 85 ms",
      'Grep, parseHeader in "src", succeeded, 755 ms',
      "Bash, npm test -- parse, failed, 2.30 s",
      "Agent, explore: find callers of parseHeader, succeeded, 3.89 s",
      "explore, turn 1, claude-haiku-4, 1.70 s",
      "Grep, parseHeader(, succeeded, 298 ms",
      "Read, src/request.ts, succeeded, 59 ms",
      "Read, src/response.ts, succeeded, 89 ms",
      "explore, turn 2, claude-haiku-4, 2.05 s",
      "WebFetch, https://example.com/spec, stopped, 1.00 s",
      "Compacted, summarised, 180,000 → 21,000 tokens",
      "Turn 2, claude-opus-4, 5.20 s",
      "Edit, src/parse.ts, succeeded, 60 ms",
      "Bash, rm -rf build, denied",
      "Bash, npm test, succeeded, 2.33 s",
      "Turn 3, claude-opus-4, 2.20 s",
      "Write, CHANGELOG.md, not-run",
    ]);
    await page.screenshot({ path: join(ARTEFACTS, `timeline-${scheme}.png`) });
    const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(background).toBe(scheme === "dark" ? "rgb(15, 19, 24)" : "rgb(255, 255, 255)");
    await closeQuietly(opened);
  },
);

test("bars are aligned with the axis, even next to a scrollbar", async () => {
  const opened = await open(many(30));
  const { page } = opened;
  const plot = await page.locator(".plot").first().boundingBox();
  const [axis, overview] = [
    await page.locator("#ticks").boundingBox(),
    await page.locator("#overview").boundingBox(),
  ];
  const across = (box: typeof plot): number[] => [Math.round(box?.x ?? -1), Math.round(box?.width ?? -1)];
  // The border beside the labels is the label's.
  expect([across(axis), across(overview)]).toEqual([across(plot), across(plot)]);
  expect(await page.locator("#rows").evaluate((list) => list.offsetWidth - list.clientWidth)).toBeGreaterThan(
    0,
  );
  await closeQuietly(opened);
});

test("a click opens details, Escape closes them, and the pointer shows a tip", async () => {
  const opened = await open(everything());
  const { page } = opened;
  await row(page, "Bash, npm test -- parse").click();
  expect(await page.locator("#details").isVisible()).toBe(true);
  expect(await page.locator("#details").innerText()).toMatch(
    /failed \(exception\)[^]*501 ms for Grep parseHeader in "src"/,
  );
  await row(page, "WebFetch").locator(".plot").hover();
  expect(await page.locator("#tip").innerText()).toContain("stopped (timeout)");
  await page.screenshot({ path: join(ARTEFACTS, "timeline-details.png") });
  await page.keyboard.press("Escape");
  expect([await page.locator("#details").isVisible(), await page.locator("#tip").isVisible()]).toEqual([
    false,
    false,
  ]);
  await closeQuietly(opened);
});

test("wheel, buttons, keys and drag zoom and move, and Fit shows everything again", async () => {
  const opened = await open(everything());
  const { page } = opened;
  const whole = await bar(page, "Bash, npm test -- parse");
  const act = async (action: () => Promise<unknown>): Promise<{ x: number; width: number }> => {
    await action();
    await drawn(page);
    return bar(page, "Bash, npm test -- parse");
  };
  await page.mouse.move(whole.x, 400);
  await page.keyboard.down("Control");
  const zoomed = await act(() => page.mouse.wheel(0, -200));
  await page.keyboard.up("Control");
  // What is below the pointer stays there.
  expect([Math.abs(zoomed.x - whole.x) <= 1, zoomed.width > whole.width * 1.5]).toEqual([true, true]);
  const dragged = await act(async () => {
    await page.mouse.down();
    await page.mouse.move(whole.x + 60, 402, { steps: 4 });
    await page.mouse.up();
  });
  expect(Math.abs(dragged.x - zoomed.x - 60)).toBeLessThanOrEqual(1);
  expect(await page.locator("#details").isVisible()).toBe(false);
  await page.locator("#rows").focus();
  const panned = await act(() => page.keyboard.press("ArrowRight"));
  expect(panned.x).toBeLessThan(dragged.x);
  expect(await act(() => page.locator("#zoom-fit").click())).toEqual(whole);
  const byKey = await act(() => page.keyboard.press("+"));
  expect(byKey.width).toBeGreaterThan(whole.width * 1.3);
  expect(await act(() => page.keyboard.press("0"))).toEqual(whole);
  // Zooming stops at the finest resolution and at the whole time.
  for (let time = 0; time < 40; time++) await page.keyboard.press("+");
  for (let time = 0; time < 60; time++) await page.keyboard.press("-");
  expect(await act(() => page.keyboard.press("-"))).toEqual(whole);
  await closeQuietly(opened);
});

test("everything works with the keyboard, and the list announces the selection", async () => {
  const opened = await open(everything());
  const { page } = opened;
  await page.locator("#rows").focus();
  for (const key of [
    "End",
    "ArrowUp",
    "Home",
    "ArrowDown",
    "PageDown",
    "ArrowUp",
    "Home",
    "ArrowDown",
    "ArrowDown",
    "ArrowDown",
  ])
    await page.keyboard.press(key);
  await drawn(page);
  const chosen = await page.locator("#rows").getAttribute("aria-activedescendant");
  expect(await page.locator(`#${chosen}`).getAttribute("aria-label")).toBe(
    "Read, src/parse.ts, succeeded, 85 ms",
  );
  expect(await page.locator('.row[aria-selected="true"]').count()).toBe(1);
  const before = await bar(page, "Read, src/parse.ts");
  await page.keyboard.press("f");
  await drawn(page);
  expect((await bar(page, "Read, src/parse.ts")).width).toBeGreaterThan(before.width * 10);
  await page.keyboard.press("Enter");
  expect(await page.locator("#details h2").innerText()).toBe("Read");
  await page.keyboard.press("/");
  expect(await page.evaluate("document.activeElement.id")).toBe("search");
  await closeQuietly(opened);
});

test("search, tool and outcome filters keep the matching calls below their turns", async () => {
  const opened = await open(everything());
  const { page } = opened;
  await page.locator("#search").fill("PARSE.TS");
  await drawn(page);
  expect(await labels(page)).toEqual([
    "Turn 1, claude-opus-4, 6.10 s",
    "Read, src/parse.ts, succeeded, 85 ms",
    "Turn 2, claude-opus-4, 5.20 s",
    "Edit, src/parse.ts, succeeded, 60 ms",
  ]);
  expect(await page.locator("#count").innerText()).toBe("2 of 12 calls");
  await page.locator("#search").fill("");
  await page.locator("#tool").selectOption("WebFetch");
  await drawn(page);
  expect(await labels(page)).toEqual([
    "Turn 1, claude-opus-4, 6.10 s",
    "WebFetch, https://example.com/spec, stopped, 1.00 s",
  ]);
  await page.locator("#tool").selectOption("Bash");
  await page.locator('[data-outcome="succeeded"]').click();
  await drawn(page);
  expect(await labels(page)).toEqual([
    "Turn 1, claude-opus-4, 6.10 s",
    "Bash, npm test -- parse, failed, 2.30 s",
    "Turn 2, claude-opus-4, 5.20 s",
    "Bash, rm -rf build, denied",
  ]);
  await page.locator("#search").fill("nothing like that");
  await drawn(page);
  expect(await page.locator("#sizer").innerText()).toBe("No call matches.");
  await closeQuietly(opened);
});

test("names and descriptions from a model are shown as text, never as HTML", async () => {
  const hostile = `</script><script>document.title = "taken"</script><img src=x onerror="document.title='taken'">&amp;<!--`;
  const timeline = played(
    [
      [0, arrived("a", "<script>x</script>", hostile)],
      [1, started("a", "<script>x</script>")],
      [2, settled("a", "<script>x</script>")],
    ],
    `</title>${hostile}`,
  );
  expect(htmlTimeline(timeline).match(/<script/g)).toHaveLength(2);
  const opened = await open(timeline);
  const { page } = opened;
  expect(await labels(page)).toContainEqual(`<script>x</script>, ${hostile}, succeeded, 1 ms`);
  await page.locator(".row.call").click();
  await page.locator(".row.call .plot").hover();
  expect(await page.title()).toBe(`</title>${hostile}`);
  expect(await page.locator("h1").innerText()).toBe(`</title>${hostile}`);
  expect(await page.locator("img").count()).toBe(0);
  await closeQuietly(opened);
});

test("a call's input and output can be opened, by pointer and by keys, and are text", async () => {
  const hostile = "</script><script>document.title = 'taken'</script><img src=x onerror=alert(1)>";
  const recorder = createTimelineRecorder({ title: "With content", hasContent: true });
  const input = { file_path: "a.ts", old_string: hostile };
  recorder.hear({ type: "call-arrived", callId: "a", toolName: "Edit", input, description: "a.ts" }, 0);
  recorder.hear(started("a", "Edit"), 5);
  recorder.hear(
    settled("a", "Edit", { type: "succeeded", content: `${hostile}\n${"line\n".repeat(900)}` }),
    50,
  );
  recorder.hear(started("b", "Read"), 51);
  const opened = await open(recorder.timeline(), "dark");
  const { page } = opened;
  expect(htmlTimeline(recorder.timeline()).match(/<script/g)).toHaveLength(2);
  await row(page, "Edit").click();
  expect(await page.locator("#input pre").isVisible()).toBe(false);
  await page.locator("#input summary").click();
  expect(JSON.parse(await page.locator("#input pre").innerText())).toEqual(input);
  await page.locator("#rows").focus();
  await page.keyboard.press("o");
  expect(await page.locator("#output pre").innerText()).toMatch(
    /^<\/script><script>[^]*characters in total\]$/,
  );
  await page.screenshot({ path: join(ARTEFACTS, "timeline-content.png") });
  // A call without content has nothing to open.
  await page.keyboard.press("ArrowDown");
  await drawn(page);
  expect([await page.locator("#content").isVisible(), await page.title()]).toEqual([false, "With content"]);
  await closeQuietly(opened);
});

test("the content security policy blocks foreign scripts, styles and requests", async () => {
  const { page, requests, complaints } = await open(everything());
  await page.evaluate(`
    document.body.append(Object.assign(document.createElement("script"), { textContent: "document.title = 'taken'" }));
    document.body.append(Object.assign(document.createElement("style"), { textContent: "h1 { color: rgb(1, 2, 3) }" }));
    fetch("https://example.com/").catch(() => {});
    new Image().src = "https://example.com/x.png";
  `);
  await expect
    .poll(() => complaints.filter((text) => text.includes("Content Security Policy")).length)
    .toBeGreaterThanOrEqual(4);
  expect([await page.title(), requests]).toEqual(["Fix the failing test", []]);
  expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).color")).not.toBe(
    "rgb(1, 2, 3)",
  );
  await page.close();
});

test.each([1000, 20_000])(
  "of %i calls only the visible ones are drawn, and the axis shows their time",
  async (calls) => {
    const opened = await open(many(calls));
    const { page } = opened;
    await page.screenshot({ path: join(ARTEFACTS, `timeline-${calls}.png`) });
    expect(await page.locator(".row").count()).toBeLessThan(60);
    expect((await bar(page, "Edit, packages/part-1/src/file-1.ts")).width).toBeGreaterThan(50);
    await page.locator("#rows").focus();
    await page.keyboard.press("End");
    await drawn(page);
    const last = `packages/part-${(calls - 1) % 17}/src/file-${calls - 1}.ts`;
    expect((await labels(page)).at(-1)).toContain(last);
    const box = await page.locator(".row .segment.running").last().boundingBox();
    expect(box?.x).toBeGreaterThan(410);
    // A hundred changes of the view in as many frames: it must not hang.
    await page.keyboard.press("0");
    for (let time = 0; time < 100; time++) await page.keyboard.press(time % 2 === 0 ? "+" : "-");
    await closeQuietly(opened);
  },
);

test("printing includes all rows and leaves out the controls", async () => {
  const opened = await open(many(200));
  const { page } = opened;
  await page.emulateMedia({ media: "print" });
  await drawn(page);
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  expect(await page.locator(".row").count()).toBe(221);
  expect(await page.locator(".row .segment.running").count()).toBe(200);
  expect(await page.locator("#tools").isVisible()).toBe(false);
  await page.screenshot({ path: join(ARTEFACTS, "timeline-print.png"), fullPage: true });
  const height = await page.evaluate("document.documentElement.scrollHeight");
  expect(height).toBeGreaterThan(221 * 24);
  await closeQuietly(opened);
});

test("an empty session is a valid page", async () => {
  const opened = await open(played([]));
  expect(await opened.page.locator("h1").innerText()).toBe("Timeline");
  await closeQuietly(opened);
});
