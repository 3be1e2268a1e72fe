/** Variables that programs or the shell look at. */

/** Assigning to these evaluates the value as arithmetic. */
const INTEGERS =
  /^(?:S?RANDOM|SECONDS|LINENO|HISTCMD|OPTIND|BASHPID|EPOCHSECONDS|EPOCHREALTIME|BASH_SUBSHELL|PPID|E?UID)$/;
/** Names that a loop may set: none that a program or the shell looks at. */
const LOOP_NAME = /^[a-z_][a-z0-9_]*$/;
const LOUD_NAMES = /^(?:https?|ftp|all|no|rsync)_proxy$/;
/** Programs, and the shell itself, run what these say. */
const RUN_BY_PROGRAMS =
  /(?:COMMAND|PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|GIT_EXTERNAL_DIFF|GIT_SSH|GIT_PROXY_COMMAND|LESSOPEN|LESSCLOSE|PS[0-4])$/;

export function isInteger(name: string): boolean {
  return INTEGERS.test(name);
}

export function isLoopName(name: string): boolean {
  return LOOP_NAME.test(name) && !LOUD_NAMES.test(name);
}

export function isRunByPrograms(name: string): boolean {
  return RUN_BY_PROGRAMS.test(name);
}
