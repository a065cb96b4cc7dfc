const TYPES: Record<string, string> = {
  "3g2": "video/3gpp2",
  "3gp": "video/3gpp",
  avi: "video/x-msvideo",
  avif: "image/avif",
  flv: "video/x-flv",
  gif: "image/gif",
  jpg: "image/jpeg",
  m3u8: "application/vnd.apple.mpegurl",
  m4s: "video/iso.segment",
  m4v: "video/mp4",
  mkv: "video/x-matroska",
  mov: "video/quicktime",
  mp4: "video/mp4",
  mpg: "video/mpeg",
  mxf: "application/mxf",
  ogv: "video/ogg",
  png: "image/png",
  ts: "video/mp2t",
  vtt: "text/vtt; charset=utf-8",
  webm: "video/webm",
  webp: "image/webp",
  wmv: "video/x-ms-wmv",
};

/** The type of a stored file. Its extension was given by its content, not by who sent it. */
export function contentType(path: string): string {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(TYPES, extension) ? TYPES[extension]! : "application/octet-stream";
}
