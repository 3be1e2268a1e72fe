/** The files of a permission case, made for real below a temporary folder that stands for `/`. */

import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { shapeOf } from "@runahead/base";
import { type Files, FILES_ON_DISK } from "../paths/disk.ts";
import { isInside, type RealPath, realPathOnDisk } from "../paths/paths.ts";

type Texts = Readonly<Record<string, string>>;

/** All paths are absolute, as the case sees them. */
export interface Fixture {
  readonly files: Texts;
  /** From a link to what it says. */
  readonly symlinks: Texts;
  /** From a new name to an existing file. */
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

/** The file system of a case, for the judge. */
export interface FixtureDisk {
  readonly realpath: RealPath;
  readonly files: Files;
}

/** Makes the files, runs `use` with them, and removes them. */
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

/** Links of a fixture lead out of the folder that it is made in. */
export class FixtureError extends Error {
  override readonly name = "FixtureError";

  constructor(path: string) {
    super(`The fixture is not used: ${path} leads out of it through symbolic links.`);
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

/** A link stays below the root, as it would below `/`. */
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
  // `..` does not lead out of `/`.
  const placeOf = (path: string): string => root + realpath(path);
  return {
    realpath,
    files: {
      list: (path, limit) => FILES_ON_DISK.list(placeOf(path), limit),
      stat: (path) => FILES_ON_DISK.stat(posix.join(placeOf(posix.dirname(path)), posix.basename(path))),
    },
  };
}
