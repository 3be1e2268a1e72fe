/**
 * A terminal that changes its size as tmux does. xterm.js, which reads the output, removes empty rows at the bottom when
 * lines wrap. tmux keeps them, so that a narrower window pushes more rows into the scrollback.
 */

import xterm from "@xterm/headless";

type Emulator = InstanceType<typeof xterm.Terminal>;

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Lines that are as long as they were written, and the place of the cursor among their rows. */
interface Grid {
  readonly rows: readonly Row[];
  readonly cursor: number;
  readonly columns: number;
  readonly height: number;
}

interface Row {
  readonly text: string;
  /** The row continues the one before it. */
  readonly isWrapped: boolean;
}

export class TmuxTerminal {
  #emulator: Emulator;
  /** One thing after the other. */
  #done: Promise<void> = Promise.resolve();
  #answer: (data: string) => void = () => {};

  constructor(size: Size) {
    this.#emulator = this.#newEmulator(size);
  }

  /** What the terminal answers to questions of the program. */
  onAnswer(listener: (data: string) => void): void {
    this.#answer = listener;
  }

  write(bytes: string): Promise<void> {
    return (this.#done = this.#done.then(() => this.#write(bytes)));
  }

  resize(size: Size): Promise<void> {
    return (this.#done = this.#done.then(() => this.#resize(size)));
  }

  #write(bytes: string): Promise<void> {
    return new Promise((resolve) => this.#emulator.write(bytes, resolve));
  }

  async #resize(size: Size): Promise<void> {
    const old = this.#emulator;
    if (size.columns === old.cols && size.rows === old.rows) return;
    const grid = reflowed(withHeight(gridOf(old), size.rows), size.columns);
    // What the alternate screen showed is left out: the program draws it again.
    const isAlternate = old.buffer.active.type === "alternate";
    this.#emulator = this.#newEmulator(size);
    await this.#write(`${bytesOf(grid, size)}${isAlternate ? "\u001b[?1049h" : ""}`);
    old.dispose();
  }

  /** Scrollback and screen, with wrapped lines joined. */
  lines(): string[] {
    const lines = logicalLines(rowsOf(this.#emulator.buffer.active)).map((line) => line.trimEnd());
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  #newEmulator({ columns, rows }: Size): Emulator {
    const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
    // Its other answers say that it is xterm.js.
    emulator.onData((data) => (data.endsWith("R") ? this.#answer(data) : undefined));
    return emulator;
  }
}

function rowsOf(buffer: Emulator["buffer"]["active"]): Row[] {
  return Array.from({ length: buffer.length }, (_, at) => {
    const line = buffer.getLine(at);
    return { text: line?.translateToString(true) ?? "", isWrapped: line?.isWrapped ?? false };
  });
}

function gridOf({ buffer: { normal }, cols, rows: height }: Emulator): Grid {
  return { rows: rowsOf(normal), cursor: normal.baseY + normal.cursorY, columns: cols, height };
}

/** A lower window loses rows below the cursor, then pushes rows into the scrollback. A higher one takes them back. */
function withHeight({ rows, cursor, columns, height }: Grid, newHeight: number): Grid {
  const lost = Math.max(0, Math.min(height - newHeight, rows.length - 1 - cursor));
  const kept = rows.slice(0, rows.length - lost);
  const empty = Array.from({ length: Math.max(0, newHeight - kept.length) }, () => ({
    text: "",
    isWrapped: false,
  }));
  return { rows: [...kept, ...empty], cursor, columns, height: newHeight };
}

/** Wraps all lines again. Empty rows below the cursor stay. */
function reflowed({ rows, cursor, columns, height }: Grid, newColumns: number): Grid {
  if (columns === newColumns) return { rows, cursor, columns, height };
  const before = logicalLines(rows.slice(0, cursor)).flatMap((line) => wrapped(line, newColumns));
  const after = logicalLines(rows.slice(cursor)).flatMap((line) => wrapped(line, newColumns));
  const all = [...before, ...after];
  while (all.length < height) all.push({ text: "", isWrapped: false });
  return { rows: all, cursor: Math.max(before.length, all.length - height), columns: newColumns, height };
}

function logicalLines(rows: readonly Row[]): string[] {
  const lines: string[] = [];
  for (const { text, isWrapped } of rows)
    if (isWrapped && lines.length > 0) lines.push(`${lines.pop()}${text}`);
    else lines.push(text);
  return lines;
}

function wrapped(line: string, columns: number): Row[] {
  const letters = [...line];
  const count = Math.max(1, Math.ceil(letters.length / columns));
  return Array.from({ length: count }, (_, at) => ({
    text: letters.slice(at * columns, (at + 1) * columns).join(""),
    isWrapped: at > 0,
  }));
}

function bytesOf({ rows, cursor }: Grid, size: Size): string {
  const row = cursor - (rows.length - size.rows) + 1;
  return `${logicalLines(rows).join("\r\n")}\u001b[${row};1H`;
}
