import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Browser, type Page, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const LIMIT_MS = 180_000;
const home = mkdtempSync(join(tmpdir(), "runahead-ui-chat-test-"));
let browser: Browser;
let server: ChildProcess;
let page: Page;
let port = "0";
const problems: string[] = [];

/** Resolves with the address when the server listens. A server that was restarted has the same address. */
async function start(): Promise<string> {
  const started = spawn(process.execPath, ["--import", "tsx", "examples/ui-chat.ts"], {
    cwd: ROOT,
    env: { ...process.env, PORT: port, CHAT_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  server = started;
  return new Promise((resolve, reject) => {
    createInterface({ input: started.stdout }).on("line", resolve);
    started.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

beforeAll(async () => {
  const script = join(ROOT, "scripts/install-program.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script, "chromium"], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr.trim());
  const url = await start();
  port = new URL(url).port;
  browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  page = await browser.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  // Progress is shown for a moment, so everything that was shown is kept.
  await page.addInitScript(`globalThis.seen = ""; new MutationObserver(() => {
    globalThis.seen += document.body?.textContent ?? "";
  }).observe(document, { childList: true, characterData: true, subtree: true });`);
  await page.goto(url);
}, LIMIT_MS);

afterAll(async () => {
  await browser?.close();
  server?.kill();
  rmSync(home, { recursive: true, force: true });
});

async function send(prompt: string): Promise<void> {
  await page.getByLabel("Prompt").fill(prompt);
  await page.getByRole("button", { name: "Send" }).click();
}

const sees = (text: string): Promise<void> => page.getByText(text).last().waitFor();

test("useChat shows calls with their progress, sub-agents with their calls, and approvals after a restart", {
  timeout: LIMIT_MS,
}, async () => {
  await send("Count the parcels");
  await sees("Count parcels: output-available = 12 parcels");
  expect(await page.evaluate("globalThis.seen")).toContain("output-available (50 % counted)");
  await sees("assistant: 12 parcels");

  await send("Delegate the counting");
  await sees("general-purpose: count parcels: Count parcels (succeeded)");

  const asking = page.waitForResponse((response) => response.request().method() === "POST");
  await send("Refund order 17");
  await page.getByRole("button", { name: "Allow" }).waitFor();
  // The question is shown before the response has ended, and a response that is cut off is an error of the page.
  await (await asking).finished();
  const ended = new Promise((resolve) => server.on("exit", resolve));
  server.kill();
  await ended;
  await start();
  await page.getByRole("button", { name: "Allow" }).click();
  await sees("Refund order 17: output-available = Order 17 is refunded.");
  await sees("assistant: Order 17 is refunded.");

  await send("Refund order 18");
  await page.getByRole("button", { name: "Deny" }).click();
  await sees("Refund order 18: output-denied");
  expect(problems).toEqual([]);
});
