import { InterruptedError } from "../probe/ffmpeg.server";
import { type Hardware, suspendHardware } from "./encoders.server";
import { EncodeError } from "./task.server";

/** Encodes with the card, and with software when the card can't: a job never fails of hardware. */
export async function withSoftware<T>(
  hardware: Hardware,
  encode: (hardware: Hardware) => Promise<T>,
): Promise<T> {
  try {
    return await encode(hardware);
  } catch (error) {
    // A driver that crashes or hangs ends ffmpeg too.
    const isInterrupted = error instanceof InterruptedError && error.code !== "ENOSPC";
    if (hardware === "off" || !(isInterrupted || error instanceof EncodeError)) throw error;
    const said = error instanceof EncodeError ? error.lines.at(-1) : undefined;
    suspendHardware(hardware, said ?? error.message);
    return encode("off");
  }
}
