/**
 * What the engine uses of its runtime. Nothing is imported from Node: everything is looked up, so the same files run in
 * Node, Bun, Deno, workerd and browsers, bundled or not.
 */

type FileSystem = Pick<typeof import("node:fs"), "lstatSync" | "readlinkSync">;
type Paths = Pick<typeof import("node:path"), "basename" | "dirname" | "isAbsolute" | "join" | "sep">;

/** The parts of Node's globals that other runtimes do not have. Bundlers can replace `process` with an empty object. */
interface Host {
  readonly process?: Partial<
    Pick<NodeJS.Process, "cwd" | "emitWarning" | "platform"> & { getBuiltinModule(name: string): unknown }
  >;
  readonly Buffer?: { from(text: string, encoding: "utf16le"): { toString(encoding: "utf16le"): string } };
  readonly setImmediate?: (action: () => void) => unknown;
}

const host: Host = globalThis;

const builtin = (name: string): unknown => host.process?.getBuiltinModule?.(name);

/** Undefined if there is no file system. */
export const fs = /* @__PURE__ */ builtin("node:fs") as FileSystem | undefined;

/** Defined if there is a file system. */
export const paths = /* @__PURE__ */ builtin("node:path") as Paths;

/** Whether `A.ts` and `a.ts` count as the same file. */
export const ignoresCase = /* @__PURE__ */ /^(?:darwin|win32)$/.test(host.process?.platform ?? "");

/** The working directory. The root if there are no folders. */
export const currentFolder = (): string => host.process?.cwd?.() ?? "/";

/** Runs a function after all handlers of promises that are already settled. */
export const soon = (action: () => void): void => void (host.setImmediate ?? setTimeout)(action);

/** Reports a mistake of the program that uses the engine, without stopping it. */
export function warn(text: string): void {
  if (host.process?.emitWarning === undefined) console.warn(`RunaheadWarning: ${text}`);
  else host.process.emitWarning(text, "RunaheadWarning");
}

/** Copies a part of a string, because a part keeps the whole string in memory. */
export function copyText(part: string): string {
  return (
    host.Buffer?.from(part, "utf16le").toString("utf16le") ?? (JSON.parse(JSON.stringify(part)) as string)
  );
}

/** The error for a second loop over the same stream, which would take events away from the first. */
export const secondReader = (what: string): Error =>
  new Error(`${what} is already being read. Read it in one loop.`);
