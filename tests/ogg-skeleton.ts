/** Adds a stream that describes the other streams to an Ogg file, as tools other than ffmpeg do. */

/** Returns the CRC defined in RFC 3533 §6: polynomial 0x04c11db7, not reflected. */
function checksum(page: Buffer): number {
  let crc = 0;
  for (const byte of page) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}

/** Returns a page that contains one packet (RFC 3533 §6). */
function page(flags: number, sequence: number, packet: Buffer): Buffer {
  const header = Buffer.alloc(28);
  header.write("OggS", "latin1");
  header.writeUInt8(flags, 5);
  header.writeUInt32LE(0x5ce1e709, 14);
  header.writeUInt32LE(sequence, 18);
  header.writeUInt8(1, 26);
  header.writeUInt8(packet.length, 27);
  const whole = Buffer.concat([header, packet]);
  whole.writeUInt32LE(checksum(whole), 22);
  return whole;
}

const BEGIN = 2;
const END = 4;

/** Returns the file with a Skeleton 4.0 stream that begins before and ends after the other streams. */
export function withSkeleton(ogg: Buffer): Buffer {
  const head = Buffer.alloc(80);
  head.write("fishead\0", "latin1");
  head.writeUInt16LE(4, 8);
  return Buffer.concat([page(BEGIN, 0, head), ogg, page(END, 1, Buffer.alloc(0))]);
}
