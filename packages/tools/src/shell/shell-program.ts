/** The shell that runs commands. */

import { existsSync } from "node:fs";

const BASH = ["/bin/bash", "/usr/bin/bash"].find((path) => existsSync(path));

/** By its path: a `bash` that a workspace brings along in `PATH` is not ours. */
export const SHELL = BASH ?? "/bin/sh";
/** What it calls itself in messages. */
export const SHELL_NAME = BASH === undefined ? "sh" : "bash";

/** Descriptors that this program was started with, and knows nothing of, are not for commands. */
export const CLOSE_OTHERS =
  'for RUNAHEAD_FD in /proc/self/fd/*; do case ${RUNAHEAD_FD##*/} in [0-3]) ;; *[0-9]) eval "exec ${RUNAHEAD_FD##*/}>&-" ;; esac; done; unset RUNAHEAD_FD';
