/** Options of `go` that name a program to run, or that can write an executable where another program runs it. */

import { isUnknown } from "./options.ts";
import type { ShellWord } from "./script.ts";

const SHARP = /^--?(?:exec|toolexec|vettool|overlay|gcflags|asmflags|gccgoflags|modfile|pkgdir|C)(?:=|$)/;
const OUTPUT = /^--?o(?:=(.*))?$/s;
const LINKER = /^--?ldflags(?:=(.*))?$/s;
/** Linker flags that strip symbols or set variables. */
const PLAIN_LINKER = /^(?:\s*(?:-[sw]|-X[ =]'?[\w./-]+=[^\s'"]*'?))*\s*$/;

export function isSharpGo(words: readonly ShellWord[]): boolean {
  // A setting of go can name a compiler or other programs for later commands.
  const isSetting = words[0]?.value === "env" && words.some(({ value }) => /^--?[wu]$/.test(value));
  return (
    isSetting ||
    words.some((word, at) => {
      if (isUnknown(word) || SHARP.test(word.value)) return true;
      const valueOf = (option: RegExp): string | undefined => {
        const found = option.exec(word.value);
        return found === null ? undefined : (found[1] ?? words[at + 1]?.value ?? "");
      };
      const output = valueOf(OUTPUT);
      if (output !== undefined && !isOrdinary(output)) return true;
      const linker = valueOf(LINKER);
      return linker !== undefined && !PLAIN_LINKER.test(linker);
    })
  );
}

/** Below the working directory, and not in a hidden folder such as `.git/hooks`. */
function isOrdinary(path: string): boolean {
  return /^(?:\.\/)?[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\/?$/.test(path);
}
