/** For one test file: a model for each test, and programs that are ended after it. */

import { rmSync } from "node:fs";
import { afterEach, beforeEach } from "vitest";
import { type AskedModel, askedModel } from "./answers.ts";
import { type Given, Program } from "./terminal.ts";

interface Programs {
  readonly model: AskedModel;
  readonly start: (given?: Partial<Given>) => Program;
}

/** Called once, at the top of a test file. */
export function programs(): Programs {
  let model: AskedModel | undefined;
  const started: Program[] = [];
  const theModel = (): AskedModel => {
    if (model === undefined) throw new Error("Only in a test.");
    return model;
  };
  beforeEach(async () => {
    model = await askedModel();
  });
  afterEach(async () => {
    const ended = started.splice(0);
    await Promise.all(ended.map((program) => program.end()));
    // Something that the program started can still write for a moment.
    for (const { folder } of ended)
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    await model?.close();
  });
  return {
    get model() {
      return theModel();
    },
    start: (given = {}) => {
      const program = new Program({ url: theModel().url, ...given });
      started.push(program);
      return program;
    },
  };
}
