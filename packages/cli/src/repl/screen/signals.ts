/** What the program sends to the terminal besides lines: its title, and a notification. */

import { strip } from "../../shared/safe-text.ts";
import { type TerminalKind, terminalKind } from "./terminal-kind.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** How the terminal notifies: `osc9` and `osc777` show a message of the desktop, if the terminal supports it. */
export type Channel = "bell" | "osc9" | "osc777" | "off";

const MOST_CHARS = 100;
/** Saves and restores the title of the terminal. */
export const SAVE_TITLE = "\u001b[22;0t";
export const RESTORE_TITLE = "\u001b[23;0t";
const BELL = "\u0007";

/** The words of the setting `preferredNotifChannel`. */
const CHANNELS: Readonly<Record<string, readonly Channel[]>> = {
  bell: ["bell"],
  osc9: ["osc9"],
  osc777: ["osc777"],
  off: [],
  terminal_bell: ["bell"],
  iterm2: ["osc9"],
  iterm2_with_bell: ["osc9", "bell"],
  kitty: ["osc9"],
  ghostty: ["osc9"],
  notifications_disabled: [],
};

/** The channels of a setting; for `auto` and unknown words, what the terminal supports. */
export function channelsOf(setting: unknown, env: Env): readonly Channel[] {
  const chosen = typeof setting === "string" ? CHANNELS[setting] : undefined;
  if (chosen !== undefined) return chosen;
  const { images } = terminalKind(env);
  if (images === "kitty" || images === "iterm") return ["osc9"];
  const isOther = (env["VTE_VERSION"] ?? "") !== "" || /^(?:foot|rxvt)/.test(env["TERM"] ?? "");
  return isOther && !isMultiplexed(env) ? ["osc777"] : ["bell"];
}

function isMultiplexed(env: Env): boolean {
  return (env["TMUX"] ?? "") !== "" || /^(?:tmux|screen)/.test(env["TERM"] ?? "");
}

export function notification(channels: readonly Channel[], message: string): string {
  // A semicolon separates the parts of OSC 777.
  const text = shown(message).replaceAll(";", ",");
  const bytes: Readonly<Record<Channel, string>> = {
    bell: BELL,
    osc9: `\u001b]9;Runahead: ${text}${BELL}`,
    osc777: `\u001b]777;notify;Runahead;${text}${BELL}`,
    off: "",
  };
  return channels.map((channel) => bytes[channel]).join("");
}

/** The progress bar that some terminals show in their tab or task bar: OSC 9;4. */
export function progress(state: "off" | "busy" | "paused"): string {
  const [kind, percent] = { off: [0, 0], busy: [3, 0], paused: [4, 100] }[state];
  return `\u001b]9;4;${kind};${percent}${BELL}`;
}

export function title(words: string): string {
  return `\u001b]0;runahead · ${shown(words)}${BELL}`;
}

/** Whether the terminal has a title that programs can set. */
export function hasTitle(env: Env, { isDumb }: Pick<TerminalKind, "isDumb"> = terminalKind(env)): boolean {
  const isOff = ["RUNAHEAD_DISABLE_TERMINAL_TITLE", "CLAUDE_CODE_DISABLE_TERMINAL_TITLE"].some(
    (name) => (env[name] ?? "") !== "",
  );
  return !isOff && !isDumb && env["TERM"] !== "linux";
}

function shown(text: string): string {
  const line = strip(text).replaceAll(/\s+/g, " ").trim();
  return [...line].slice(0, MOST_CHARS).join("");
}
