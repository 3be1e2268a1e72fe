/** What a walk through a script has found: its commands, what cannot be determined, and the secrets that it names. */

import type { ShellCommand, ShellCommandParts, ShellScript } from "./script.ts";

export class Findings {
  readonly commands: ShellCommand[] = [];
  /** Variables in the text whose names say that they hold a secret. */
  readonly secrets: string[] = [];
  readonly #doubts = new Set<string>();
  readonly #hides = new Set<string>();
  #isOpaque = false;
  #isUnreadable = false;
  #runsUnknown = false;
  /** The shell prints each command with its values. */
  #printsCommands = false;
  /** Inside a program that a rule can allow: doubts concern only denies. */
  #isOwn = false;

  result(loops: ShellScript["loops"]): ShellScript {
    const [secret] = this.secrets;
    if (secret !== undefined && this.#printsCommands) this.doubt(`it could show the value of ${secret}`);
    return {
      commands: this.commands,
      doubts: [...this.#doubts],
      isOpaque: this.#isOpaque,
      hides: [...this.#hides],
      loops,
      isUnreadable: this.#isUnreadable,
      runsUnknown: this.#runsUnknown,
    };
  }

  doubt(why: string): void {
    (this.#isOwn ? this.#hides : this.#doubts).add(why);
  }

  opaque(why: string): void {
    this.#isOpaque = true;
    this.doubt(why);
  }

  /** For a check that returns a doubt, or undefined. */
  note(doubt: string | undefined): void {
    if (doubt !== undefined) this.opaque(doubt);
  }

  unreadable(why: string): void {
    if (!this.#isOwn) this.#isUnreadable = true;
    this.opaque(why);
  }

  runsUnknown(why: string): void {
    if (!this.#isOwn) this.#runsUnknown = true;
    this.opaque(why);
  }

  printsCommands(): void {
    this.#printsCommands = true;
  }

  /** What is found in the meantime belongs to a program that a rule can allow, if `isOwn` is true. */
  inside(isOwn: boolean, visit: () => void): void {
    const before = this.#isOwn;
    this.#isOwn ||= isOwn;
    visit();
    this.#isOwn = before;
  }

  /** The first secret that was named since there were `before` of them. */
  secretSince(before: number): Pick<ShellCommandParts, "secret"> {
    const secret = this.secrets[before];
    return secret === undefined ? {} : { secret };
  }
}
