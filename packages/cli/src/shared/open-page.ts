/** Opens a page in the browser of this computer. */

import { spawn } from "node:child_process";
import type { Pages } from "./elicit.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export function pagesOf(env: Environment): Pages {
  return { canOpen: canOpenPage(env), open: (url) => openPage(env, url) };
}

/** Whether there is a screen to open a page on. */
function canOpenPage(env: Environment): boolean {
  const isLocal = process.platform !== "linux" || (env["DISPLAY"] ?? env["WAYLAND_DISPLAY"] ?? "") !== "";
  return isLocal && env["RUNAHEAD_NO_BROWSER"] !== "1";
}

/** A failure does not matter, because the address is always shown too. */
export function openPage(env: Environment, url: string): void {
  if (!canOpenPage(env) || !/^https?:\/\//i.test(url)) return;
  const [program = "", ...args] =
    process.platform === "darwin"
      ? ["open", url]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler", url]
        : ["xdg-open", url];
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
