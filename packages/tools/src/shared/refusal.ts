/** What a tool says when it cannot, or will not, do what was asked: words that a model can act on, and no stack. */

export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "there is no permission to do that",
  EPERM: "the system does not permit it",
  ENOENT: "it does not exist",
  EISDIR: "it is a directory",
  ENOTDIR: "something on its path is not a directory",
  ELOOP: "it is a link where none was expected, or there are too many links on its path",
  ENAMETOOLONG: "its name is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EAGAIN: "it has nothing to read now: it gives data only as it comes in, and may never end",
  EIO: "the device gave an input/output error",
};

/** A failure of the file system in words; anything else is a bug and stays what it is. */
export function fileFailure(error: unknown, doing: string): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  return new Refusal(`Cannot ${doing}: ${WORDS[code] ?? "the system refused it"} (${code}).`);
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** Undefined where nothing is there. */
export async function ifThere<Value>(looked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await looked;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
