/** Errors of tools that a model can act on: a message without a stack. */

export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "the operation is not permitted",
  ENOENT: "it does not exist",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of its path is not a directory",
  ELOOP: "it is an unexpected symbolic link, or its path has too many of them",
  ENAMETOOLONG: "its name is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
  EROFS: "the file system is read-only",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EAGAIN: "it has no data to read now, and reading it might never end",
  EIO: "input/output error",
};

/** Turns a file system error into a readable one. Other errors are bugs and are returned unchanged. */
export function fileFailure(error: unknown, doing: string): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  return new Refusal(`Cannot ${doing}: ${WORDS[code] ?? "the system call failed"} (${code}).`);
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** Resolves with undefined if the file does not exist. */
export async function ifThere<Value>(looked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await looked;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
