// Small PNG images, chunk by chunk, so that tests can also make wrong ones.

import zlib from "node:zlib";

const crcOf = (bytes) => {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
};

const number = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

export const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

export function chunk(type, data = Buffer.alloc(0), { crc } = {}) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), Buffer.from(data)]);
  return Buffer.concat([number(body.length - 4), body, number(crc ?? crcOf(body))]);
}

export const header = (width = 64, height = width, [depth, color, compression, filter, interlace] = [8, 2, 0, 0, 0]) =>
  chunk("IHDR", Buffer.concat([number(width), number(height), Buffer.from([depth, color, compression, filter, interlace])]));

// The pixels of a square of one color.
export const pixels = (side = 64, color = [90, 40, 160]) => {
  const line = Buffer.concat([Buffer.from([0]), Buffer.concat(Array.from({ length: side }, () => Buffer.from(color)))]);
  return chunk("IDAT", zlib.deflateSync(Buffer.concat(Array.from({ length: side }, () => line))));
};

export const png = ({ side = 64, color, before = [], after = [] } = {}) => Buffer.concat([SIGNATURE, header(side), ...before, pixels(side, color), ...after, chunk("IEND")]);
