/** A file that is read at positions, on a thread that may wait for the disk. */
export interface Bytes {
  size: number;
  /** Reads up to `length` bytes: fewer at the end of the file. */
  read(at: number, length: number): Buffer;
}

/** Bytes to write over those at a position; as many as are there. */
export interface Edit {
  at: number;
  bytes: Buffer;
}

/** How the metadata of a file are removed: bytes that are written over, or a copy without them. */
export type Plan =
  | { kind: "edits"; edits: Edit[]; media: Range[] }
  | { kind: "copy"; reason: string };

/** From a byte to the first one after it. */
export interface Range {
  from: number;
  to: number;
}

/** A layout that is not rewritten in place. Its message says why. */
export class LayoutError extends Error {}

/** Boxes or elements that are read of one file: a camera's has about a hundred. */
const MAX_PARTS = 20_000;
/** What is written over: more than that is copied without it. */
const MAX_EDITED_BYTES = 64 * 1024 ** 2;
const CHUNK_BYTES = 1024 ** 2;

/** Collects what is to be written over, within the limits of one file. */
export class PlanBuilder {
  readonly edits: Edit[] = [];
  readonly media: Range[] = [];
  private parts = 0;
  private edited = 0;

  constructor(readonly file: Bytes) {}

  /** @throws {LayoutError} for a file with more parts than are read. */
  countPart(): void {
    this.parts += 1;
    if (this.parts > MAX_PARTS) throw new LayoutError("It has too many parts.");
  }

  /** Reads bytes that have to be there. */
  read(at: number, length: number): Buffer {
    const bytes = this.file.read(at, length);
    if (bytes.length < length) throw new LayoutError("It ends too soon.");
    return bytes;
  }

  /** Writes over bytes, unless they are there already. */
  write(at: number, bytes: Buffer): void {
    if (this.read(at, bytes.length).equals(bytes)) return;
    this.edited += bytes.length;
    if (this.edited > MAX_EDITED_BYTES) throw new LayoutError("It has too much metadata.");
    this.edits.push({ at, bytes });
  }

  /** Writes zeros over everything in a range; one that has them already is read as a whole, so it is limited too. */
  clear(from: number, to: number): void {
    if (to - from > MAX_EDITED_BYTES) throw new LayoutError("It has too much metadata.");
    for (let at = from; at < to; at += CHUNK_BYTES) {
      this.write(at, Buffer.alloc(Math.min(CHUNK_BYTES, to - at)));
    }
  }

  /**
   * @throws {LayoutError} if an edit lies in the media data.
   */
  plan(): Plan {
    const { edits, media } = this;
    const isInside = ({ at, bytes }: Edit) =>
      media.some(({ from, to }) => at < to && at + bytes.length > from);
    if (edits.some(isInside)) throw new LayoutError("Its metadata lie in its media data.");
    return { kind: "edits", edits, media };
  }
}
