/** Images from the clipboard. The input line has a mark for each, and the prompt the image. */

import type { Block } from "@runahead/harness";
import { imageBlock } from "../../shared/image-block.ts";
import { imagePrograms, output } from "../commands/clipboard.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const MARK = /\[Image #(\d+)\]/g;
const MOST_BYTES = 30_000_000;

export class PastedImages {
  readonly #env: Environment;
  readonly #images = new Map<number, Block>();
  #last = 0;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Reads the clipboard. Resolves with the mark for the input line, or throws an Error that says why there is none. */
  async take(platform: NodeJS.Platform = process.platform): Promise<string> {
    const programs = imagePrograms(this.#env, platform);
    if (programs.length === 0)
      throw new Error(
        "No image pasted: there is no clipboard here (neither DISPLAY nor WAYLAND_DISPLAY is set). Use @file.",
      );
    for (const program of programs) {
      const bytes = await output(program, { env: this.#env, mostBytes: MOST_BYTES });
      if (bytes !== undefined && bytes.length > 0) return this.add(bytes);
    }
    const names = programs.map(([name]) => name).join(" or ");
    throw new Error(`No image pasted: the clipboard has none, or ${names} is not installed.`);
  }

  /** Throws an Error if the bytes are not an image. */
  add(bytes: Buffer): string {
    this.#images.set(++this.#last, imageBlock(bytes));
    return `[Image #${this.#last}]`;
  }

  /** The images whose marks are in the text, in their order. */
  in(text: string): Block[] {
    return [...text.matchAll(MARK)].flatMap(([, number]) => this.#images.get(Number(number)) ?? []);
  }
}
