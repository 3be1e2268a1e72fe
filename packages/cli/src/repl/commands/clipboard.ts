/** The system clipboard: through the terminal, and through a program where there is one. */

import { spawn } from "node:child_process";

type Environment = Readonly<Record<string, string | undefined>>;

/** Terminals drop longer sequences. */
const MOST_OSC_BYTES = 74_994;
const LIMIT_MS = 3_000;

/** The sequence with which a terminal sets the clipboard, also over SSH. Undefined if the text is too long for it. */
export function clipboardSequence(text: string, env: Environment): string | undefined {
  const encoded = Buffer.from(text, "utf8").toString("base64");
  if (encoded.length > MOST_OSC_BYTES) return undefined;
  const sequence = `\u001b]52;c;${encoded}\u0007`;
  // tmux passes on only what is wrapped, with escapes doubled.
  return (env["TMUX"] ?? "") === ""
    ? sequence
    : `\u001bPtmux;${sequence.replaceAll("\u001b", "\u001b\u001b")}\u001b\\`;
}

/** The programs that set the clipboard here, the most likely one first. */
export function copyPrograms(env: Environment, platform: NodeJS.Platform): readonly (readonly string[])[] {
  if (platform === "darwin") return [["pbcopy"]];
  if (platform === "win32") return [["clip.exe"]];
  const has = (name: string): boolean => (env[name] ?? "") !== "";
  return [
    ...(has("WAYLAND_DISPLAY") ? [["wl-copy"]] : []),
    ...(has("DISPLAY")
      ? [
          ["xclip", "-selection", "clipboard"],
          ["xsel", "--clipboard", "--input"],
        ]
      : []),
    ...(has("WSL_DISTRO_NAME") ? [["clip.exe"]] : []),
  ];
}

/** The programs that print an image of the clipboard as PNG. */
export function imagePrograms(env: Environment, platform: NodeJS.Platform): readonly (readonly string[])[] {
  if (platform === "darwin") return [["pngpaste", "-"]];
  const has = (name: string): boolean => (env[name] ?? "") !== "";
  return [
    ...(has("WAYLAND_DISPLAY") ? [["wl-paste", "--no-newline", "--type", "image/png"]] : []),
    ...(has("DISPLAY") ? [["xclip", "-selection", "clipboard", "-t", "image/png", "-o"]] : []),
  ];
}

/** Gives the text to the first program that works. Resolves with its name, or undefined. */
export async function copyBy(
  programs: readonly (readonly string[])[],
  text: string,
  env: Environment,
): Promise<string | undefined> {
  for (const [program = "", ...args] of programs)
    if ((await output([program, ...args], { env, input: text })) !== undefined) return program;
  return undefined;
}

/** Runs a program. Resolves with what it printed; undefined if it is missing, failed or took too long. */
export function output(
  [program = "", ...args]: readonly string[],
  { env, input = "", mostBytes = 50_000_000 }: { env: Environment; input?: string; mostBytes?: number },
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "ignore"], timeout: LIMIT_MS });
    const parts: Buffer[] = [];
    let bytes = 0;
    child.stdout.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > mostBytes) child.kill("SIGKILL");
      else parts.push(part);
    });
    child.stdin.on("error", () => {});
    child.once("error", () => resolve(undefined));
    // xclip stays in the background with the pipe open, so its exit counts, not the end of its output.
    child.once("exit", (code) =>
      setImmediate(() => resolve(code === 0 && bytes <= mostBytes ? Buffer.concat(parts) : undefined)),
    );
    child.stdin.end(input);
  });
}
