// Preloaded into a site. Shifts its clock by the number of milliseconds in a file.
import fs from "node:fs";

const POLL_INTERVAL_MS = 100;
const file = process.env.CLOCK_OFFSET_FILE;
const RealDate = Date;
let offset = 0;

function readOffset() {
  try {
    offset = Number(fs.readFileSync(file, "utf8")) || 0;
  } catch {
    offset = 0;
  }
}

if (file) {
  readOffset();
  setInterval(readOffset, POLL_INTERVAL_MS).unref();
  const now = () => RealDate.now() + offset;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, self) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, self),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
}
