/** The shell that runs commands. */

import { existsSync } from "node:fs";

export const SHELL = existsSync("/bin/bash") || existsSync("/usr/bin/bash") ? "bash" : "sh";

/** Descriptors that this program was started with, and knows nothing of, are not for commands. */
export const CLOSE_OTHERS =
  'for RUNAHEAD_FD in /proc/self/fd/*; do case ${RUNAHEAD_FD##*/} in [0-3]) ;; *[0-9]) eval "exec ${RUNAHEAD_FD##*/}>&-" ;; esac; done; unset RUNAHEAD_FD';
