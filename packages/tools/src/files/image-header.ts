/** Reads the type (by magic number, not by name) and the size of an image from its first bytes. */

export type MediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export type ImageHeader =
  | { readonly type: "image"; readonly mediaType: MediaType; readonly width: number; readonly height: number }
  /** Starts like an image of this type, but the rest of the header is invalid. */
  | { readonly type: "broken"; readonly mediaType: MediaType }
  | { readonly type: "no-image" };

interface Size {
  readonly width: number;
  readonly height: number;
}

export function readImageHeader(bytes: Buffer): ImageHeader {
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined) return { type: "no-image" };
  const size = sizeOf(mediaType, bytes);
  if (size === undefined || size.width < 1 || size.height < 1) return { type: "broken", mediaType };
  return { type: "image", mediaType, ...size };
}

function mediaTypeOf(bytes: Buffer): MediaType | undefined {
  const latin1 = bytes.toString("latin1", 0, 12);
  if (latin1.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (latin1.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(latin1)) return "image/gif";
  return latin1.startsWith("RIFF") && latin1.slice(8) === "WEBP" ? "image/webp" : undefined;
}

function sizeOf(mediaType: MediaType, bytes: Buffer): Size | undefined {
  try {
    switch (mediaType) {
      case "image/png":
        return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
      case "image/gif":
        return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
      case "image/jpeg":
        return jpegSize(bytes);
      case "image/webp":
        return webpSize(bytes);
    }
  } catch {
    // The file ends before the size.
    return undefined;
  }
}

/** The size is in the first frame segment; earlier segments are skipped. */
function jpegSize(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): Size | undefined {
  const form = bytes.toString("latin1", 12, 16);
  if (form === "VP8X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form === "VP8 ")
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (form !== "VP8L") return undefined;
  const packed = bytes.readUInt32LE(21);
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
}
