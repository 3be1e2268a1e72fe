/** Variables that only change a program's output, so allow rules ignore them. */

const SAFE = new Set(
  (
    "NODE_ENV LANG LANGUAGE TZ NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM TERM COLUMNS LINES CI DEBUG_COLORS " +
    "RUST_BACKTRACE RUST_LOG GOOS GOARCH CGO_ENABLED GO111MODULE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE " +
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD GIT_TERMINAL_PROMPT TIME_STYLE BLOCK_SIZE LS_COLORS GREP_COLORS"
  ).split(" "),
);

/** Variables with values that cannot name a file or a program. */
const PLAIN_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ["PORT", /^\d+$/],
  ["DEBUG", /^[\w:*,-]*$/],
  ["VERBOSE", /^\w*$/],
  ["LOG_LEVEL", /^\w+$/],
  ["UV_THREADPOOL_SIZE", /^\d+$/],
  [
    "NODE_OPTIONS",
    /^(?:--(?:max-old-space-size=\d+|no-warnings|enable-source-maps|trace-warnings|trace-deprecation|stack-trace-limit=\d+))$/,
  ],
]);

/** With a path in their value, these variables load a file. */
const NAMES_FILES = /^(?:LANG|LANGUAGE|TERM|LC_[A-Z]+)$/;

/** `assignment` is the text as written: `NAME=value`. */
export function isSafeVariable(name: string, assignment: string): boolean {
  const value = assignment.slice(assignment.indexOf("=") + 1);
  const plain = PLAIN_VALUES.get(name);
  if (plain !== undefined) return plain.test(value);
  if (!SAFE.has(name) && !/^LC_[A-Z]+$/.test(name)) return false;
  if (name === "TZ") return !/^["']?:?\/|\.\./.test(value);
  return !NAMES_FILES.test(name) || !/[/\\]/.test(value);
}
