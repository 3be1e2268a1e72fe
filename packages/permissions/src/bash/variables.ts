/** Variables that programs or the shell read, and those that loops set. */

import type { ShellScript, ShellWord } from "./script.ts";

/** Assigning to these evaluates the value as arithmetic. */
const INTEGERS =
  /^(?:S?RANDOM|SECONDS|LINENO|HISTCMD|OPTIND|BASHPID|EPOCHSECONDS|EPOCHREALTIME|BASH_SUBSHELL|PPID|E?UID)$/;
/** Names that a loop can set: none that a program or the shell reads. */
const LOOP_NAME = /^[a-z_][a-z0-9_]*$/;
const LOUD_NAMES = /^(?:(?:https?|ftp|all|no|rsync)_proxy|npm_.*|pnpm_.*|yarn_.*)$/;
/** Programs and the shell itself run the values of these. */
const RUN_BY_PROGRAMS =
  /(?:COMMAND|PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|GIT_EXTERNAL_DIFF|GIT_SSH|GIT_PROXY_COMMAND|LESSOPEN|LESSCLOSE|PS[0-4])$/;

/** With one of these, a program loads or runs code that is not in its arguments. */
const LOADS_CODE =
  /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|PYTHONSTARTUP|PERL5OPT|PERL5DB|RUBYOPT|JAVA_TOOL_OPTIONS|MAKEFLAGS|MAKEFILES|GIT_CONFIG\w*|GIT_EXEC_PATH|VIMINIT|EXINIT|GDBINIT)$/;

/** Why a program that gets this variable could run code that is not visible. */
export function loadsCode(name: string, value: string | undefined): string | undefined {
  const isOption =
    name === "NODE_OPTIONS" &&
    !/^[\w\s=-]*$/.test((value ?? "$").replaceAll(/--(?:require|import|loader|eval)/g, "$"));
  return LOADS_CODE.test(name) || isOption ? `${name} makes programs load code` : undefined;
}

const SECRET =
  /KEYS?(?:$|_|\d)|TOKENS?(?:$|_|\d)|SECRET|PASS(?:$|_|W|PHRASE)|CREDENTIAL|AUTH(?:$|_(?!SOCK$))|COOKIE|PRIVATE|CONNECTION_STRING|WEBHOOK|_DSN$|(?:^|_)PAT$|(?:^|_)(?:DATABASE|DB|REDIS|MONGO(?:DB)?|POSTGRES(?:QL)?|PG|MYSQL|AMQP|RABBITMQ)_UR[IL]$/;

/** Whether a variable of the environment probably holds a secret, by its name. */
export function isSecretName(name: string): boolean {
  return /^[A-Z]/.test(name) && SECRET.test(name);
}

export function isInteger(name: string): boolean {
  return INTEGERS.test(name);
}

export function isLoopName(name: string): boolean {
  return LOOP_NAME.test(name) && !LOUD_NAMES.test(name);
}

export function isRunByPrograms(name: string): boolean {
  return RUN_BY_PROGRAMS.test(name);
}

/** The variables that words depend on, and whether the script itself can set them. */
export class KnownVariables {
  readonly #assigned = new Set<string>();
  readonly #used = new Set<string>();
  #mayAllChange = false;

  /** Returns the value of HOME or PWD, if the script has not set it so far. */
  use(name: string, value: string | undefined): string | undefined {
    if ((name !== "HOME" && name !== "PWD") || value === undefined || this.#assigned.has(name))
      return undefined;
    // IFS splits the value.
    this.#used.add(name).add("IFS");
    return value;
  }

  /** Returns why setting the variable could run something. */
  set(name: string): string | undefined {
    this.#assigned.add(name);
    return isInteger(name) ? `setting ${name} evaluates its value` : undefined;
  }

  isSet(name: string): boolean {
    return this.#assigned.has(name);
  }

  mayAllChange(): void {
    this.#mayAllChange = true;
  }

  /** Called at the end, because a loop or a function can run earlier commands after later ones. */
  doubt(): string | undefined {
    const changed = [...this.#used].find((name) => this.#mayAllChange || this.#assigned.has(name));
    return changed === undefined ? undefined : `it uses ${changed} and may change it`;
  }
}

/** The variables that loops set, with the words that they iterate over. */
export class LoopVariables {
  readonly #words = new Map<string, readonly ShellWord[] | undefined>();

  set(name: string, words: readonly ShellWord[] | undefined): void {
    if (isLoopName(name)) this.#words.set(name, this.#words.has(name) ? undefined : words);
  }

  forget(name: string): void {
    if (this.#words.has(name)) this.#words.set(name, undefined);
  }

  /** `isSure`: nothing else sets variables. */
  known(isSure: boolean): ShellScript["loops"] {
    return new Map([...this.#words].map(([name, words]) => [name, isSure ? words : undefined]));
  }
}
