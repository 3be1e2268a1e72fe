/** A command of the program in this process, with a project and a home below a folder. */

import { join } from "node:path";
import { main } from "../../src/main.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

type World = NonNullable<Parameters<typeof main>[1]>;

export async function runMain(
  root: string,
  args: readonly string[],
  members: Partial<World> = {},
): Promise<Ran> {
  const out: string[] = [];
  const error: string[] = [];
  const code = await main(args, {
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: { PATH: process.env["PATH"] },
    print: (text) => out.push(text),
    complain: (text) => error.push(text),
    ...members,
  });
  return { code, out: out.join("\n"), error: error.join("\n") };
}
