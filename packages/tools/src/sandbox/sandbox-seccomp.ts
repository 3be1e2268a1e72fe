/**
 * A seccomp filter for commands that only read. Mounts and namespaces do not cover everything: sockets in read-only
 * folders accept connections, key rings are shared, and new namespaces give a command privileges to attack the kernel.
 */

import { mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kindOf } from "./sandbox-paths.ts";

interface Machine {
  /** The kernel's name for the architecture. */
  readonly audit: number;
  readonly forbidden: readonly number[];
  readonly clone: number;
  readonly socket: number;
  readonly socketpair: number;
  /** System call numbers from here on belong to another calling convention. */
  readonly end: number;
}

/** Numbers that are the same on every architecture: io_uring, mount calls, pidfd_getfd. */
const COMMON = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442];
const CLONE3 = 435;

/**
 * In this order: ptrace, add_key, request_key, keyctl, unshare, setns, mount, umount2, pivot_root, chroot, bpf,
 * perf_event_open, userfaultfd, process_vm_readv, process_vm_writev, kcmp, open_by_handle_at.
 */
const MACHINES: Readonly<Partial<Record<NodeJS.Architecture, Machine>>> = {
  x64: {
    audit: 0xc000003e,
    forbidden: [101, 248, 249, 250, 272, 308, 165, 166, 155, 161, 321, 298, 323, 310, 311, 312, 304],
    clone: 56,
    socket: 41,
    socketpair: 53,
    end: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    forbidden: [117, 217, 218, 219, 97, 268, 40, 39, 41, 51, 280, 241, 282, 270, 271, 272, 265],
    clone: 220,
    socket: 198,
    socketpair: 199,
    end: 0x40000000,
  },
};

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const EAFNOSUPPORT = 0x00050061;

const NUMBER = 0;
const AUDIT = 4;
const FIRST = 16;
const SECOND = 24;

const CLONE_NEWUSER = 0x10000000;
/** Allowed address families, which find an empty network. Others, such as Unix and VM sockets, lead out of the sandbox. */
const FAMILIES = { inet: 2, inet6: 10, netlink: 16 };
/** Socket pairs are connected permanently, so they cannot reach another address. */
const PAIRS = { stream: 1, seqpacket: 5 };

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const give = (value: number): Instruction => [0x06, 0, 0, value];
const and = (value: number): Instruction => [0x54, 0, 0, value];
/** Continues with the next instruction if the condition holds, else skips this many. */
const unlessEqual = (value: number, skip: number): Instruction => [0x15, 0, skip, value];
const unlessAtLeast = (value: number, skip: number): Instruction => [0x35, 0, skip, value];
const unlessSet = (value: number, skip: number): Instruction => [0x45, 0, skip, value];

/** Opens the filter for bubblewrap; undefined if there is none. `folder` is the agent's private folder. */
export function openReadingFilter(folder: string): number | undefined {
  const filter = readingFilter();
  if (filter === undefined) return undefined;
  const path = join(folder, "reading.bpf");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (kindOf(path) === "missing") writeFileSync(path, filter, { mode: 0o600 });
  return openSync(path, "r");
}

/** Returns the filter in bubblewrap's format; undefined on an unsupported architecture. */
export function readingFilter(architecture: NodeJS.Architecture = process.arch): Buffer | undefined {
  const machine = MACHINES[architecture];
  if (machine === undefined) return undefined;
  const program = programFor(machine);
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(value, at * 8 + 4);
  }
  return bytes;
}

function programFor({ audit, forbidden, clone, socket, socketpair, end }: Machine): Instruction[] {
  return [
    load(AUDIT),
    [0x15, 1, 0, audit],
    give(ENOSYS),
    load(NUMBER),
    unlessAtLeast(end, 1),
    give(ENOSYS),
    ...[...forbidden, ...COMMON].flatMap((number) => [unlessEqual(number, 1), give(EPERM)]),
    // Its flags are in memory that a filter cannot read; programs fall back to clone.
    unlessEqual(CLONE3, 1),
    give(ENOSYS),
    ...when(clone, [load(FIRST), unlessSet(CLONE_NEWUSER, 1), give(EPERM), give(ALLOW)]),
    ...when(socket, [load(FIRST), ...anyOf(Object.values(FAMILIES)), give(EAFNOSUPPORT)]),
    ...when(socketpair, [load(SECOND), and(0xf), ...anyOf(Object.values(PAIRS)), give(EPERM)]),
    give(ALLOW),
  ];
}

function when(number: number, then: readonly Instruction[]): Instruction[] {
  return [unlessEqual(number, then.length), ...then];
}

function anyOf(values: readonly number[]): Instruction[] {
  return values.flatMap((value) => [unlessEqual(value, 1), give(ALLOW)]);
}
