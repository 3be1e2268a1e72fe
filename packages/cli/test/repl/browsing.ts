/** For one test file: `runahead web` and a browser that opens it. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Browser, type Page, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import type { Program } from "./terminal.ts";

/** Screenshots are written here, for a person to look at. */
const SHOTS = process.env["WEB_SHOTS"];

interface Browsing {
  /** Starts a command of the program, and resolves with what of its output matches. */
  readonly starts: (
    args: readonly string[],
    env: Record<string, string>,
    wanted: RegExp,
    cwd?: string,
  ) => Promise<RegExpExecArray>;
  /** The page of `runahead web`. */
  readonly opened: (args: readonly string[], env: Record<string, string>) => Promise<Page>;
}

/** Called once, at the top of a test file. A page that reports an error fails its test. */
export function browsing(): Browsing {
  let browser: Browser;
  const started: ChildProcess[] = [];
  const problems: string[] = [];

  /** Without Chromium the test fails, and says what to run. */
  beforeAll(async () => {
    const script = fileURLToPath(new URL("../../../../scripts/install-program.mjs", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, "chromium"], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr.trim());
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
  }, 300_000);
  afterAll(() => browser.close());
  afterEach(async () => {
    // Before the servers end, which the pages would report.
    await Promise.all(browser.contexts().map((context) => context.close()));
    for (const one of started.splice(0)) one.kill();
    expect(problems.splice(0)).toEqual([]);
  });

  const starts: Browsing["starts"] = (args, env, wanted, cwd) => {
    const child = spawn(process.execPath, [inject("program"), ...args], {
      env: { PATH: process.env["PATH"], ...env },
      ...(cwd === undefined ? {} : { cwd }),
    });
    started.push(child);
    let text = "";
    return new Promise((resolve) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        text += `${line}\n`;
        const found = wanted.exec(text);
        if (found !== null) resolve(found);
      });
    });
  };
  const opened: Browsing["opened"] = async (args, env) => {
    const [url] = await starts(["web", ...args], env, /http:\S+/);
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    page.on("console", (message) => {
      // An answer that comes second is refused with 409, which Chromium logs as an error.
      if (message.type() === "error" && !message.text().includes("status of 409"))
        problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    // Sooner than the test, so that it says what was missing.
    page.setDefaultTimeout(30_000);
    await page.goto(url);
    return page;
  };
  return { starts, opened };
}

export async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [1200, 420]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: join(SHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  await page.setViewportSize({ width: 1200, height: 800 });
}

/** The home of a program, which `runahead web` needs to find it. */
export const homeOf = ({ folder }: Program): Record<string, string> => ({ HOME: join(folder, "home") });
