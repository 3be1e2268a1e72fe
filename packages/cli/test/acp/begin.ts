/** An editor and a model server, both closed at the end of the test. */

import { onTestFinished } from "vitest";
import { type AskedModel, askedModel } from "../repl/answers.ts";
import { Editor, type Given } from "./editor.ts";

export async function begin(given: Given = {}): Promise<{ editor: Editor; model: AskedModel }> {
  const model = await askedModel();
  onTestFinished(() => model.close());
  const editor = await Editor.open({ url: model.url, ...given });
  onTestFinished(() => editor.end());
  return { editor, model };
}
