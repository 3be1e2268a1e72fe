/** Reusable buffers for command output: allocating a new buffer for each read would dominate the time of a chatty command. */

const SLAB_BYTES = 524_288;
const MOST_SLABS = 4;
/** The capacity of a pipe. */
const READ_BYTES = 65_536;
/** One slab is being filled, and one is kept for the next read. */
export const MOST_WAITING_BYTES = SLAB_BYTES * (MOST_SLABS - 2);

interface Slab {
  readonly bytes: Buffer;
  usedBytes: number;
  /** Number of parts that are not written yet. */
  waiting: number;
}

/** Bytes that stay unchanged until they are given back. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly slab: Slab;
}

export class Slabs {
  readonly #slabs: Slab[] = [newSlab()];
  #filling = this.#slabs[0] as Slab;

  /** Returns the buffer for the next read. */
  room(): Uint8Array {
    if (this.#filling.waiting === 0) this.#filling.usedBytes = 0;
    if (SLAB_BYTES - this.#filling.usedBytes < READ_BYTES) this.#filling = this.#another();
    const { bytes, usedBytes } = this.#filling;
    return bytes.subarray(usedBytes, usedBytes + READ_BYTES);
  }

  /** Returns the bytes that were read. They are overwritten later unless `keep` is called. */
  filled(length: number): Part {
    const slab = this.#filling;
    const bytes = slab.bytes.subarray(slab.usedBytes, slab.usedBytes + length);
    slab.usedBytes += length;
    return { bytes, slab };
  }

  keep({ slab }: Part): void {
    slab.waiting++;
  }

  giveBack({ slab }: Part): void {
    slab.waiting--;
  }

  #another(): Slab {
    const free = this.#slabs.find(({ waiting }) => waiting === 0);
    if (free !== undefined) {
      free.usedBytes = 0;
      return free;
    }
    if (this.#slabs.length >= MOST_SLABS) throw new Error("too much output is waiting to be written");
    const slab = newSlab();
    this.#slabs.push(slab);
    return slab;
  }
}

function newSlab(): Slab {
  return { bytes: Buffer.allocUnsafeSlow(SLAB_BYTES), usedBytes: 0, waiting: 0 };
}
