/** The shell that runs commands. */

import { existsSync } from "node:fs";

const BASH = ["/bin/bash", "/usr/bin/bash"].find((path) => existsSync(path));

/** An absolute path, so that a `bash` in the workspace's `PATH` is never used. */
export const SHELL = BASH ?? "/bin/sh";
/** The name in the shell's messages. */
export const SHELL_NAME = BASH === undefined ? "sh" : "bash";

/** Closes descriptors that this program inherited, so that commands do not get them. */
export const CLOSE_OTHERS =
  'for RUNAHEAD_FD in /proc/self/fd/*; do case ${RUNAHEAD_FD##*/} in [0-3]) ;; *[0-9]) eval "exec ${RUNAHEAD_FD##*/}>&-" ;; esac; done; unset RUNAHEAD_FD';
