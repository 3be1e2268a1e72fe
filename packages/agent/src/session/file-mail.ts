/** The inbox of a session on disk, and the mark that says that a worker should look at the session. */

import { open, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, isShape, shapeOf } from "@runahead/base";
import { privateDirectory } from "./folder.ts";
import type { ReleaseOptions, SessionMail, SessionStatus } from "./store.ts";

/** Starts with a dot, so that it is not taken for a session. */
const MARKS = ".due";
const JSON_END = ".json";
const SAFE = /^[\w-]{1,200}$/;

interface Mark {
  readonly status: SessionStatus;
  readonly wakeAt?: number;
}

/** Returns the sessions of a folder that have mail, were being run, or should be woken now. Some can be leased. */
export async function dueIn(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, MARKS)).catch(() => []);
  const due: string[] = [];
  for (const name of names.filter((one) => one.endsWith(JSON_END))) {
    const id = name.slice(0, -JSON_END.length);
    const mail = new FileMail(folder, id);
    const { status, wakeAt } = await mail.read();
    const isWoken = wakeAt !== undefined && wakeAt <= Date.now();
    if (status === "running" || isWoken || (await mail.waiting()).length > 0) due.push(id);
  }
  return due;
}

export class FileMail {
  readonly #folder: string;
  readonly #mark: string;

  constructor(folder: string, id: string) {
    this.#folder = join(folder, id, "mail");
    this.#mark = join(folder, MARKS, `${id}${JSON_END}`);
  }

  async post({ id, body }: SessionMail): Promise<boolean> {
    if (!SAFE.test(id)) throw new TypeError(`Invalid mail id ${JSON.stringify(id).slice(0, 100)}.`);
    await makeFolder(this.#folder);
    if ((await this.#names()).some((name) => idOf(name) === id)) return false;
    const path = join(
      this.#folder,
      `${String(Date.now()).padStart(14, "0")}-${process.hrtime.bigint()}.${id}${JSON_END}`,
    );
    await writeDurably(path, JSON.stringify({ id, body }));
    await makeFolder(dirname(this.#mark));
    // The mark of a running or waiting session stays.
    await writeFile(this.#mark, JSON.stringify({ status: "idle" }), { flag: "wx", mode: 0o600 }).catch(
      (error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
      },
    );
    return true;
  }

  async waiting(): Promise<SessionMail[]> {
    const mail: SessionMail[] = [];
    for (const name of await this.#names()) {
      const text = await readFile(join(this.#folder, name), "utf8").catch(() => "");
      // Mail that cannot be read has no body, so that the worker drops it. It must not keep others from being read.
      if (text !== "") mail.push({ id: idOf(name), body: shapeOf(parsed(text))["body"] });
    }
    return mail;
  }

  async take(id: string): Promise<void> {
    for (const name of await this.#names())
      if (idOf(name) === id) await rm(join(this.#folder, name), { force: true });
  }

  /** Removes the mark before it looks for mail: whatever is posted later makes a new one. */
  async mark(mark: ReleaseOptions): Promise<void> {
    if (mark.status === "idle") {
      await rm(this.#mark, { force: true });
      if ((await this.#names()).length === 0) return;
    }
    await makeFolder(dirname(this.#mark));
    await writeDurably(this.#mark, JSON.stringify(mark));
  }

  async read(): Promise<Mark> {
    try {
      const mark: unknown = JSON.parse(await readFile(this.#mark, "utf8"));
      return isShape(mark) ? (mark as unknown as Mark) : { status: "idle" };
    } catch {
      return { status: "idle" };
    }
  }

  async forget(): Promise<void> {
    await rm(this.#mark, { force: true });
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.filter((name) => name.endsWith(JSON_END) && !name.startsWith(".")).toSorted();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function idOf(name: string): string {
  return name.slice(name.indexOf(".") + 1, -JSON_END.length);
}

async function makeFolder(path: string): Promise<void> {
  const above = dirname(path);
  for (const folder of [above, path])
    if ((await privateDirectory(folder, () => {})) !== folder) throw new Error(`${folder} is not private`);
}

/** The file appears when it is complete. */
async function writeDurably(path: string, text: string): Promise<void> {
  const unfinished = join(dirname(path), `.${process.hrtime.bigint()}.unfinished`);
  const handle = await open(unfinished, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, path);
}
