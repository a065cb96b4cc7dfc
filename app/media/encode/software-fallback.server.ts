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
    if (hardware === "off" || !(error instanceof EncodeError)) throw error;
    suspendHardware(hardware, error.lines.at(-1) ?? error.message);
    return encode("off");
  }
}
