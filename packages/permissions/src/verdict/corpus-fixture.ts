/** The files of a permission case, created in a temporary folder that stands for `/`. */

import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { shapeOf } from "@runahead/base";
import { type Files, FILES_ON_DISK } from "../paths/disk.ts";
import { isInside, type RealPath, realPathOnDisk } from "../paths/paths.ts";

type Texts = Readonly<Record<string, string>>;

/** All paths are absolute, as the case names them. */
export interface Fixture {
  readonly files: Texts;
  /** From the path of a link to its target. */
  readonly symlinks: Texts;
  /** From a new name to the existing file. */
  readonly hardlinks: Texts;
}

export function readFixture(value: unknown): Fixture {
  const fields = shapeOf(value);
  const texts = (key: string): Texts =>
    Object.fromEntries(
      Object.entries(shapeOf(fields[key])).flatMap(([path, text]) =>
        typeof text === "string" ? [[path, text]] : [],
      ),
    );
  return { files: texts("files"), symlinks: texts("symlinks"), hardlinks: texts("hardlinks") };
}

/** The file system of a case, as the judge sees it. */
export interface FixtureDisk {
  readonly realpath: RealPath;
  readonly files: Files;
}

/** Creates the files, calls `use`, and removes them. */
export function withFixture<T>(
  fixture: Fixture,
  folders: readonly string[],
  use: (disk: FixtureDisk) => T,
): T {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-case-")));
  try {
    const disk = diskBelow(root);
    make(fixture, folders, root);
    return use(disk);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Links of a fixture lead out of the temporary folder. */
export class FixtureError extends Error {
  override readonly name = "FixtureError";

  constructor(path: string) {
    super(`Fixture not created: ${path} leads out of it through symbolic links.`);
  }
}

function make({ files, symlinks, hardlinks }: Fixture, folders: readonly string[], root: string): void {
  const placeOf = (path: string): string => {
    const place = realPathOnDisk(root + posix.resolve("/", path));
    if (!isInside(place, root)) throw new FixtureError(path);
    mkdirSync(posix.dirname(place), { recursive: true });
    return place;
  };
  for (const [link, target] of Object.entries(symlinks)) {
    const name = posix.resolve("/", link);
    const folder = placeOf(posix.dirname(name));
    mkdirSync(folder, { recursive: true });
    symlinkSync(targetBelow(root, folder, target), posix.join(folder, posix.basename(name)));
  }
  for (const folder of folders) mkdirSync(placeOf(folder), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(placeOf(path), text);
  for (const [path, existing] of Object.entries(hardlinks)) linkSync(placeOf(existing), placeOf(path));
}

/** Keeps the target of a link below the root, as it would be below `/`. */
function targetBelow(root: string, folder: string, target: string): string {
  if (target.startsWith("/")) return root + posix.resolve(target);
  const led = posix.resolve(folder, target);
  return isInside(led, root) ? target : root + posix.resolve(folder.slice(root.length), target);
}

/** The file system below a folder that stands for `/`. */
export function diskBelow(root: string): FixtureDisk {
  const realpath = (path: string): string => {
    const real = realPathOnDisk(root + path);
    return isInside(real, root) ? posix.join("/", real.slice(root.length)) : real;
  };
  // `..` of `/` is `/`.
  const placeOf = (path: string): string => root + realpath(path);
  return {
    realpath,
    files: {
      list: (path, limit) => FILES_ON_DISK.list(placeOf(path), limit),
      stat: (path) => FILES_ON_DISK.stat(posix.join(placeOf(posix.dirname(path)), posix.basename(path))),
    },
  };
}
