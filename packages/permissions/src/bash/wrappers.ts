/** Commands that run another command from their own arguments, by name and option. */

import type { ShellWord } from "./script.ts";
import { unknownWord } from "./word.ts";

interface Wrapper {
  /** Options that take the next word. */
  readonly takes: readonly string[];
  /** Options without a value. */
  readonly alone: readonly string[];
  /** The number of words between the options and the command: a duration, a lock file. */
  readonly operands: number;
  /** `NAME=value` can precede the command. */
  readonly assignments: boolean;
}

function wrapper(takes = "", alone = "", more: { operands?: number; assignments?: boolean } = {}): Wrapper {
  const list = (text: string): string[] => text.split(" ").filter((name) => name !== "");
  return {
    takes: list(takes),
    alone: list(alone),
    operands: more.operands ?? 0,
    assignments: more.assignments ?? false,
  };
}

const WRAPPERS = new Map<string, Wrapper>([
  [
    "timeout",
    wrapper("-k -s --kill-after --signal", "-v -f -p --verbose --foreground --preserve-status", {
      operands: 1,
    }),
  ],
  ["time", wrapper("-f -o", "-p -v -a -q")],
  ["nice", wrapper("-n --adjustment")],
  ["nohup", wrapper()],
  ["stdbuf", wrapper("-i -o -e --input --output --error")],
  ["command", wrapper("", "-p")],
  ["builtin", wrapper()],
  ["noglob", wrapper()],
  ["exec", wrapper("-a", "-c -l -cl -lc")],
  [
    "env",
    wrapper("-u -C -S --unset --chdir --split-string", "-i - -0 -v --ignore-environment --debug", {
      assignments: true,
    }),
  ],
  [
    "sudo",
    wrapper(
      "-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir --chroot",
      "-A -b -E -e -H -i -K -k -l -n -P -S -s -V -v --preserve-env --non-interactive --stdin --login --shell",
      { assignments: true },
    ),
  ],
  ["doas", wrapper("-u -C -a", "-n -s -L")],
  ["ionice", wrapper("-c -n -p -P -u --class --classdata", "-t --ignore")],
  ["setsid", wrapper("", "-c -f -w --ctty --fork --wait")],
  ["chrt", wrapper("", "-a -b -f -i -o -r -R --idle --batch --fifo --rr --other", { operands: 1 })],
  ["taskset", wrapper("", "-a -c --cpu-list", { operands: 1 })],
  ...["linux32", "linux64", "i386", "i486", "i586", "i686", "x86_64", "uname26"].map(
    (name): [string, Wrapper] => [name, wrapper("", "-R -v -B -3 -L -S -X -Z -F -I -T")],
  ),
  ["choom", wrapper("-n -p --adjust --pid")],
  ["pkexec", wrapper("--user", "--disable-internal-agent")],
  ["chroot", wrapper("--userspec --groups", "", { operands: 1 })],
  ["strace", wrapper("-o -e -s -p -u -E -a -O -S -P", "-f -ff -c -C -q -t -tt -T -v -y -yy")],
  ["ltrace", wrapper("-o -e -s -p -u -n -a", "-f -c -S -t -T")],
  ["unshare", wrapper("", "-m -u -i -n -p -f -r -U -C --fork --mount --net --pid --user --map-root-user")],
  ["nsenter", wrapper("-t --target", "-a -m -u -i -n -p -U -C")],
  ["catchsegv", wrapper()],
  ["fakeroot", wrapper()],
  ["valgrind", wrapper()],
  ["eatmydata", wrapper()],
  ["chronic", wrapper()],
  ["dbus-run-session", wrapper()],
  ["gdb", wrapper()],
  ["faketime", wrapper("", "-f", { operands: 1 })],
  ["perf", wrapper("", "", { operands: 1 })],
  ["busybox", wrapper()],
  ["toybox", wrapper()],
  ["unbuffer", wrapper("", "-p")],
  ["xvfb-run", wrapper("-s -n -e -f -p", "-a")],
  ["proxychains", wrapper("-f", "-q")],
  ["proxychains4", wrapper("-f", "-q")],
  ["torsocks", wrapper()],
  ["caffeinate", wrapper("-t -w", "-d -i -m -s -u")],
  ["systemd-run", wrapper("-p --unit --property", "--user --scope -t -P --pty --wait -q")],
  ["prlimit", wrapper()],
  ["setpriv", wrapper()],
  ["numactl", wrapper()],
  ["firejail", wrapper()],
  ["bwrap", wrapper()],
  ["rlwrap", wrapper()],
  ["entr", wrapper("", "-a -c -d -n -p -r -s -z")],
  [
    "flock",
    wrapper(
      "-w -E --timeout --conflict-exit-code",
      "-s -x -e -n -u -o -F -v --shared --exclusive --nonblock --no-fork",
      { operands: 1 },
    ),
  ],
]);

export type Unwrapped =
  | { readonly type: "none" }
  | { readonly type: "command"; readonly words: readonly ShellWord[] }
  /** It wraps a command, but has an unknown option: the command could begin at any of its words. */
  | { readonly type: "unclear" };

/** Returns the command that a wrapper runs. */
export function unwrap(words: readonly ShellWord[], name: string): Unwrapped {
  const known = WRAPPERS.get(name);
  if (known === undefined) return { type: "none" };
  let at = afterOptions(words, known);
  if (at === undefined) return { type: "unclear" };
  at += known.operands;
  while (known.assignments && (words[at]?.value ?? "").includes("=")) at++;
  const inner = words.slice(at);
  return inner.length === 0 ? { type: "none" } : { type: "command", words: inner };
}

function afterOptions(words: readonly ShellWord[], { takes, alone }: Wrapper): number | undefined {
  let at = 1;
  for (; at < words.length; at++) {
    const { value, type } = words[at] as ShellWord;
    if (type !== "static") return value.startsWith("-") || type === "dynamic" ? undefined : at;
    if (value === "--") return at + 1;
    if (!value.startsWith("-")) return at;
    if (takes.includes(value)) at++;
    else if (!alone.includes(value) && !isAttached(value, takes)) return undefined;
  }
  return at;
}

/** `-n10`, `-oL`, `--signal=KILL`, and the old `nice -10`. */
function isAttached(value: string, takes: readonly string[]): boolean {
  const long = /^(--[a-z-]+)=/.exec(value)?.[1];
  if (long !== undefined) return takes.includes(long);
  return takes.includes(value.slice(0, 2)) || (takes.includes("-n") && /^-\d+$/.test(value));
}

export const STRIPPED: ReadonlySet<string> = new Set([
  "timeout",
  "time",
  "nice",
  "nohup",
  "stdbuf",
  "command",
  "builtin",
  "noglob",
]);

/** Returns the command as an allow rule sees it: without wrappers that do not change what it does. */
export function strip(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const [first, second] = words;
  if (first?.type !== "static") return undefined;
  if (first.value === "xargs")
    return second?.type === "static" && !second.value.startsWith("-")
      ? [...words.slice(1), unknownWord("…", true)]
      : undefined;
  if (!STRIPPED.has(first.value)) return undefined;
  // GNU time writes a file with -o; the bash keyword only accepts -p.
  if (first.value === "time" && second?.value.startsWith("-") === true && second.value !== "-p")
    return undefined;
  const inner = unwrap(words, first.value);
  const head = inner.type === "command" ? inner.words[0] : undefined;
  return inner.type === "command" && head?.type === "static" && !head.value.startsWith("-")
    ? inner.words
    : undefined;
}
