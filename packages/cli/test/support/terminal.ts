import type { Terminal } from "@earendil-works/pi-tui";

/** A terminal that shows nothing and has no keys, apart from what is given. */
export function terminalOf(members: Partial<Terminal> = {}): Terminal {
  return {
    columns: 80,
    rows: 24,
    kittyProtocolActive: false,
    start() {},
    stop() {},
    drainInput: () => Promise.resolve(),
    write() {},
    moveBy() {},
    hideCursor() {},
    showCursor() {},
    clearLine() {},
    clearFromCursor() {},
    clearScreen() {},
    setTitle() {},
    setProgress() {},
    ...members,
  };
}
