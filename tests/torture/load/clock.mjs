// Loaded into a site before everything else: its clock goes wrong by the milliseconds that a file says.
import fs from "node:fs";

const LOOK_EVERY_MS = 100;
const file = process.env.CLOCK_OFFSET_FILE;
const RealDate = Date;
let offset = 0;

function look() {
  try {
    offset = Number(fs.readFileSync(file, "utf8")) || 0;
  } catch {
    offset = 0;
  }
}

if (file) {
  look();
  setInterval(look, LOOK_EVERY_MS).unref();
  const now = () => RealDate.now() + offset;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, self) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, self),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
}
