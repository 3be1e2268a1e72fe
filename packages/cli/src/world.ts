/** What is around the program: given, so that a test can give another. */

export interface World {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A text of whole lines; ends one that has no end. */
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
}

export function terminal(stream: NodeJS.WriteStream): (text: string) => void {
  return (text) => void stream.write(text.endsWith("\n") ? text : `${text}\n`);
}
