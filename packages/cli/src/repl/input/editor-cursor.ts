/** Sets the text and the cursor of the editor, whose public interface can only put the cursor at the end. */

import type { Editor } from "@earendil-works/pi-tui";

interface Inner {
  readonly state: { cursorLine: number; cursorCol: number };
}

export function cursorIndex(editor: Editor): number {
  const { line, col } = editor.getCursor();
  const before = editor.getLines().slice(0, line);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + col;
}

export function setEditor(editor: Editor, text: string, at: number): void {
  if (editor.getText() !== text) editor.setText(text);
  const before = editor.getText().slice(0, at).split("\n");
  const { state } = editor as unknown as Inner;
  state.cursorLine = before.length - 1;
  state.cursorCol = (before.at(-1) ?? "").length;
}
