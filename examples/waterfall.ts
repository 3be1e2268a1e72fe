/** What ran when, as lines of text: one bar for the response, one for each call. */

export interface Span {
  readonly title: string;
  arrivedAt: number;
  startedAt: number;
  endedAt: number;
  outcome: string;
}

const WIDTH = 48;
const NAME_WIDTH = 34;

/** `·` is waiting, `█` is running. */
export function waterfall(spans: readonly Span[], responseMs: number): string {
  const total = Math.max(responseMs, ...spans.map(({ endedAt }) => endedAt));
  const column = (at: number): number => Math.min(WIDTH, Math.max(0, Math.round((at / total) * WIDTH)));
  const bar = (from: number, start: number, end: number): string => {
    const [first, second, third] = [column(from), column(start), Math.max(column(start) + 1, column(end))];
    return (
      " ".repeat(first) +
      "·".repeat(Math.max(0, second - first)) +
      "█".repeat(third - Math.max(first, second))
    );
  };
  const line = (title: string, drawn: string, note: string): string =>
    `${title.slice(0, NAME_WIDTH).padEnd(NAME_WIDTH)} │${drawn.padEnd(WIDTH + 1)}│ ${note}`;
  const ms = (value: number): string => `${Math.round(value)} ms`;
  return [
    line("the response streams in", bar(0, 0, responseMs), ms(responseMs)),
    ...spans.map((span) =>
      line(
        span.title,
        bar(span.arrivedAt, span.startedAt, span.endedAt),
        `${ms(span.endedAt - span.startedAt)} ${span.outcome}`,
      ),
    ),
  ].join("\n");
}
