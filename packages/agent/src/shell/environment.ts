/** Variables that change how a program talks, and not what it does: an allow rule looks past them. */

const SAFE = new Set(
  (
    "NODE_ENV LANG LANGUAGE TZ NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM TERM COLUMNS LINES CI DEBUG_COLORS " +
    "RUST_BACKTRACE RUST_LOG GOOS GOARCH CGO_ENABLED GO111MODULE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE " +
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD GIT_TERMINAL_PROMPT TIME_STYLE BLOCK_SIZE LS_COLORS GREP_COLORS"
  ).split(" "),
);

export function isSafeVariable(name: string): boolean {
  return SAFE.has(name) || /^LC_[A-Z]+$/.test(name);
}
