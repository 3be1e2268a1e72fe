/** What a terminal emulator shows besides letters: styles, links, and where a terminal would draw images. */

import type xterm from "@xterm/headless";

type Terminal = InstanceType<typeof xterm.Terminal>;

/* oxlint-disable no-control-regex -- sequences of terminals */

/** Images of each protocol as a text where the terminal would draw them, because the emulator draws none. */
export function imagesAsText(): (data: string) => string {
  let rest = "";
  return (data) => {
    const text = rest + data;
    // A sequence that has begun, or could begin with the last characters, and has not ended.
    const open =
      /\u001b(?:$|_(?:G[^\u001b]*\u001b?)?$|\](?:1(?:3(?:3(?:7(?:;[^\u0007]*)?)?)?)?)?$|P(?:[^\u001b]*\u001b?)?$)/.exec(
        text,
      );
    rest = open === null ? "" : open[0];
    return text
      .slice(0, text.length - rest.length)
      .replaceAll(/\u001b_G([^;]*)[^\u001b]*\u001b\\/g, (_, keys: string) => {
        const [, columns] = /\bc=(\d+)/.exec(keys) ?? [];
        const [, rows] = /\br=(\d+)/.exec(keys) ?? [];
        return columns === undefined ? "" : `[kitty: ${columns} x ${rows}]`;
      })
      .replaceAll(/\u001b\]1337;File=([^:]*):[^\u0007]*\u0007/g, (_, keys: string) => {
        const [, columns] = /width=(\d+)/.exec(keys) ?? [];
        const [, rows] = /height=(\d+)/.exec(keys) ?? [];
        return `[iterm: ${columns} x ${rows}]`;
      })
      .replaceAll(/\u001bP[\d;]*q"1;1;(\d+);(\d+)[^\u001b]*\u001b\\/g, "[sixel: $1 x $2 pixels]");
  };
}

/** What a cell has besides its letter. Links are not in the public types. */
interface LinkedCell {
  readonly extended?: { readonly urlId?: number };
}

/** Scrollback and screen with styles and links. */
export function styledText(terminal: Terminal): string {
  const { length } = terminal.buffer.active;
  return Array.from({ length }, (_, at) => styledLine(terminal, at))
    .join("\n")
    .trimEnd();
}

function styledLine(terminal: Terminal, at: number): string {
  const line = terminal.buffer.active.getLine(at);
  if (line === undefined) return "";
  const { length } = line.translateToString(true);
  let text = "";
  let before = "";
  for (let column = 0, letters = 0; letters < length; column++) {
    const cell = line.getCell(column);
    if (cell === undefined) break;
    if (cell.getWidth() === 0) continue;
    const style = styleOf(terminal, cell);
    const letter = cell.getChars() || " ";
    text +=
      style === before ? letter : `${before === "" ? "" : "<>"}${style === "" ? "" : `<${style}>`}${letter}`;
    before = style;
    letters += letter.length;
  }
  return before === "" ? text : `${text}<>`;
}

type Cell = NonNullable<
  ReturnType<NonNullable<ReturnType<Terminal["buffer"]["active"]["getLine"]>>["getCell"]>
>;
const BRIGHT = 8;

function styleOf(terminal: Terminal, cell: Cell): string {
  const colour = cell.getFgColor();
  const codes = [
    ...(cell.isBold() === 0 ? [] : [1]),
    ...(cell.isDim() === 0 ? [] : [2]),
    ...(cell.isItalic() === 0 ? [] : [3]),
    ...(cell.isUnderline() === 0 ? [] : [4]),
    ...(cell.isInverse() === 0 ? [] : [7]),
    ...(cell.isFgPalette() ? [colour < BRIGHT ? 30 + colour : 90 + colour - BRIGHT] : []),
  ];
  const { urlId = 0 } = (cell as LinkedCell).extended ?? {};
  const { _core: core } = terminal as unknown as {
    readonly _core: {
      readonly _oscLinkService: { getLinkData(id: number): { readonly uri: string } | undefined };
    };
  };
  const uri = urlId === 0 ? undefined : core._oscLinkService.getLinkData(urlId)?.uri;
  return [
    ...(codes.length === 0 ? [] : [codes.join(";")]),
    ...(uri === undefined ? [] : [`link ${uri}`]),
  ].join(" ");
}
