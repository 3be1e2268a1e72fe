/** What the terminal can do, as far as its environment says. */

type Env = Readonly<Record<string, string | undefined>>;

export interface TerminalKind {
  /** It cannot move its cursor, so the program prints plain lines. */
  readonly isDumb: boolean;
  /** It moves the cursor when it wraps lines below it, as xterm.js does. */
  readonly movesCursor: boolean;
  /** It draws OSC 8 hyperlinks. */
  readonly hasLinks: boolean;
  /** How it draws images. */
  readonly images: "kitty" | "iterm" | "sixel" | undefined;
}

/** Terminals that are built on xterm.js. */
const XTERM_JS = new Set(["vscode", "hyper", "tabby"]);
const LINKS = new Set(["kitty", "ghostty", "wezterm", "iterm.app", "vscode", "alacritty", "rio", "contour"]);
/** VTE draws hyperlinks since 0.50. */
const VTE_WITH_LINKS = 5000;

/** Inside tmux and screen, the environment describes another terminal. */
export function terminalKind(env: Env): TerminalKind {
  const term = (env["TERM"] ?? "").toLowerCase();
  const isDumb = term === "dumb";
  const isMultiplexed = (env["TMUX"] ?? "") !== "" || /^(?:tmux|screen)/.test(term);
  if (isDumb || isMultiplexed) return { isDumb, movesCursor: false, hasLinks: false, images: undefined };
  const program = programOf(env, term);
  const hasLinks = LINKS.has(program) || Number(env["VTE_VERSION"] ?? 0) >= VTE_WITH_LINKS;
  return { isDumb, movesCursor: XTERM_JS.has(program), hasLinks, images: imagesOf(program, term) };
}

function programOf(env: Env, term: string): string {
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  if (isSet("KITTY_WINDOW_ID") || term === "xterm-kitty") return "kitty";
  if (isSet("GHOSTTY_RESOURCES_DIR") || term === "xterm-ghostty") return "ghostty";
  if (isSet("WEZTERM_PANE")) return "wezterm";
  if (isSet("ITERM_SESSION_ID")) return "iterm.app";
  return (env["TERM_PROGRAM"] ?? "").toLowerCase();
}

function imagesOf(program: string, term: string): TerminalKind["images"] {
  if (["kitty", "ghostty", "wezterm"].includes(program)) return "kitty";
  if (program === "iterm.app") return "iterm";
  return /sixel|^(?:foot|mlterm|contour)/.test(term) ? "sixel" : undefined;
}

/** Asks the terminal which graphics it has. Every terminal answers, and after what it was asked before. */
export const ASK_ATTRIBUTES = "\u001b[c";
/** Asks the terminal what it is, which graphics it has, and how large its cells are. */
export const ASK_KIND = `\u001b[>c${ASK_ATTRIBUTES}\u001b[16t`;
// oxlint-disable-next-line no-control-regex -- an answer of the terminal
const ANSWER = /^\u001b\[>(\d+);(\d+);\d+c$/;

// oxlint-disable-next-line no-control-regex -- an answer of the terminal
const ATTRIBUTES = /^\u001b\[\?([\d;]*)c$/;
/** The attribute of terminals that draw sixel images. */
const SIXEL = "4";

/** Whether the terminal answers that it draws sixel images; undefined if it is not an answer. */
export function hasSixel(data: string): boolean | undefined {
  const [, attributes] = ATTRIBUTES.exec(data) ?? [];
  return attributes?.split(";").slice(1).includes(SIXEL);
}

/** Whether the answer is that of xterm.js, wherever it runs; undefined if it is not an answer. */
export function isXtermJs(data: string): boolean | undefined {
  const [, kind, version] = ANSWER.exec(data) ?? [];
  return kind === undefined ? undefined : kind === "0" && version === "276";
}

// oxlint-disable-next-line no-control-regex -- an answer of the terminal
const CURSOR = /^\u001b\[(\d+);1R$/;

/** The row of the cursor, counted from 0, which the program keeps in the first column; undefined if it is not an answer. */
export function cursorRow(data: string): number | undefined {
  const [, row] = CURSOR.exec(data) ?? [];
  return row === undefined ? undefined : Number(row) - 1;
}
