/**
 * Memory that is read into and written from again and again. With new memory for each read, most of the time of a
 * command that prints much would go into making it.
 */

const SLAB_BYTES = 524_288;
const MOST_SLABS = 4;
/** A pipe holds no more. */
const READ_BYTES = 65_536;
/** One slab is being filled, one is kept for the read after that. */
export const MOST_WAITING_BYTES = SLAB_BYTES * (MOST_SLABS - 2);

interface Slab {
  readonly bytes: Buffer;
  usedBytes: number;
  /** Parts of it that are still to be written. */
  waiting: number;
}

/** Bytes that stay as they are until they are given back. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly slab: Slab;
}

export class Slabs {
  readonly #slabs: Slab[] = [newSlab()];
  #filling = this.#slabs[0] as Slab;

  /** Where to read to. */
  room(): Uint8Array {
    if (this.#filling.waiting === 0) this.#filling.usedBytes = 0;
    if (SLAB_BYTES - this.#filling.usedBytes < READ_BYTES) this.#filling = this.#another();
    const { bytes, usedBytes } = this.#filling;
    return bytes.subarray(usedBytes, usedBytes + READ_BYTES);
  }

  /** What was read there; it is used again unless it is kept. */
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
    if (this.#slabs.length >= MOST_SLABS) throw new Error("more was read than can wait to be written");
    const slab = newSlab();
    this.#slabs.push(slab);
    return slab;
  }
}

function newSlab(): Slab {
  return { bytes: Buffer.allocUnsafeSlow(SLAB_BYTES), usedBytes: 0, waiting: 0 };
}
