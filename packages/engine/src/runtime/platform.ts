/**
 * What the engine takes from the program that it runs in. Nothing here is imported from Node: everything is looked up
 * when it is needed, so the same files run in Node, Bun, Deno, workerd and browsers, bundled or not.
 */

type FileSystem = Pick<typeof import("node:fs"), "lstatSync" | "readlinkSync">;
type Paths = Pick<typeof import("node:path"), "basename" | "dirname" | "isAbsolute" | "join" | "sep">;

/** The parts of Node's globals that other runtimes do not have. */
interface Host {
  readonly process?: Partial<
    Pick<NodeJS.Process, "cwd" | "emitWarning" | "platform"> & { getBuiltinModule(name: string): unknown }
  >;
  readonly Buffer?: { from(text: string, encoding: "utf16le"): { toString(encoding: "utf16le"): string } };
  readonly setImmediate?: (action: () => void) => unknown;
  readonly console?: { warn(text: string): void };
}

const host: Host = globalThis;

/** What is needed to follow links. */
export type Files = FileSystem & Paths & { readonly ignoresCase: boolean };

/** Undefined where there is no file system. */
export const files: Files | undefined = /* @__PURE__ */ findFiles();

function findFiles(): Files | undefined {
  const { process } = host;
  // Bundlers can replace `process` with an empty object.
  const fs = process?.getBuiltinModule?.("node:fs") as FileSystem | undefined;
  const paths = process?.getBuiltinModule?.("node:path") as Paths | undefined;
  if (fs === undefined || paths === undefined) return undefined;
  const ignoresCase = process?.platform === "darwin" || process?.platform === "win32";
  const { lstatSync, readlinkSync } = fs;
  const { basename, dirname, isAbsolute, join, sep } = paths;
  return { lstatSync, readlinkSync, basename, dirname, isAbsolute, join, sep, ignoresCase };
}

/** The folder that the program runs in; the root where there are no folders. */
export function currentFolder(): string {
  return host.process?.cwd?.() ?? "/";
}

/** Runs something after every promise that is settled by now has been heard. */
export const soon: (action: () => void) => void =
  host.setImmediate === undefined
    ? (action) => void setTimeout(action, 0)
    : (action) => void setImmediate(action);

/** Reports a mistake of the program that uses the engine, without stopping it. */
export function warn(text: string): void {
  if (host.process?.emitWarning !== undefined) host.process.emitWarning(text, "RunaheadWarning");
  else host.console?.warn(`RunaheadWarning: ${text}`);
}

/** Copies a part of a string, because a part keeps the whole string in memory. */
export function copyText(part: string): string {
  if (host.Buffer !== undefined) return host.Buffer.from(part, "utf16le").toString("utf16le");
  return JSON.parse(JSON.stringify(part)) as string;
}
