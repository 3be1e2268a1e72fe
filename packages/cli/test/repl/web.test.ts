import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { beforeAll, expect, inject, test } from "vitest";
import { programs } from "./programs.ts";

const tested = programs();

/** Without Chromium the test fails, and says what to run. */
beforeAll(() => {
  const script = fileURLToPath(new URL("../../../../scripts/install-program.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, "chromium"], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr.trim());
}, 300_000);

test("runahead web: a browser shows the session live, and answers its question", async () => {
  const program = tested.start();
  await program.sees("/help for commands");
  const home = join(program.folder, "home");
  const web = spawn(process.execPath, [inject("program"), "web"], {
    env: { PATH: process.env["PATH"], HOME: home },
  });
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  try {
    const url = await new Promise<string>((resolve) => {
      createInterface({ input: web.stdout }).on("line", (line) => {
        const [found] = /http:\S+/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(url);
    await page.getByText(join(program.folder, "project")).first().waitFor();
    await program.types("make it");
    (await tested.model.asked()).calls(["Bash", { command: "touch made" }]);
    await page.getByRole("button", { name: "Allow once" }).click();
    (await tested.model.asked()).says("Made <b>it</b>.");
    await page.getByText("Made <b>it</b>.").waitFor();
    await page.getByText("› make it").waitFor();
    expect(existsSync(join(program.folder, "project", "made"))).toBe(true);
    await page.getByRole("button", { name: "Allow once" }).waitFor({ state: "detached" });
    await page.getByText("Timeline", { exact: true }).click();
    await page.frameLocator("iframe").getByText("touch made").first().waitFor();
    await program.sees("Made");
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
    web.kill();
  }
});
