/** Names of keys and fields that somebody relies on to restrict something. */

const RESTRICTS =
  /^(?:allowed|only|forbid|forbidden|deny|denied|disallow|disallowed|block|blocked|exclude|excluded|restrict|restricted|prohibit|prohibited)(?:$|[-_A-Z])/;

/** Whether the author of a file probably relies on a key of this name, so that it must not be ignored in silence. */
export function soundsRestricting(name: string): boolean {
  return RESTRICTS.test(name);
}
