import { afterAll, beforeAll } from "vitest";
import { type Jail, makeJail } from "./jail.ts";

/** One jail for all tests of a file. */
export function useJail(): () => Jail {
  let jail: Jail;
  beforeAll(() => {
    jail = makeJail();
  }, 120_000);
  afterAll(() => jail.remove());
  return () => jail;
}
