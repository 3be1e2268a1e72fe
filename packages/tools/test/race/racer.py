"""Exchanges pairs of names at full speed until its standard input ends. Arguments: FOLDER NAME OTHER, repeated."""

import ctypes
import os
import platform
import random
import sys
import threading

SYSCALLS = {"x86_64": 316, "aarch64": 276}
RENAME_EXCHANGE = 2
libc = ctypes.CDLL(None, use_errno=True)
syscall = SYSCALLS.get(platform.machine())


def exchange(folder, one, other):
    """The folder is a descriptor, so that a pair stays the same pair when a folder above it is exchanged."""
    return syscall is not None and libc.syscall(syscall, folder, one, folder, other, RENAME_EXCHANGE) == 0


def swap(folder, one, other):
    """Without an exchange in one step there are moments in which a name is missing."""
    for source, target in ((one, b"aside"), (other, one), (b"aside", other)):
        os.rename(source, target, src_dir_fd=folder, dst_dir_fd=folder)


words = sys.argv[1:]
pairs = [
    (os.open(words[at], os.O_RDONLY | os.O_DIRECTORY), words[at + 1].encode(), words[at + 2].encode())
    for at in range(0, len(words), 3)
]
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
can_exchange = exchange(*pairs[0]) and exchange(*pairs[0])
step = exchange if can_exchange else swap
print("racing", flush=True)
while True:
    pair = random.choice(pairs)
    # There and back again, so that most of the time only one pair is exchanged and calls can succeed.
    for _ in range(2 * random.randrange(1, 50)):
        step(*pair)
