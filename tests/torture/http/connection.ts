import net from "node:net";
import type { Exchange } from "./exchanges";

/** What a connection came to. */
export interface Outcome {
  /** All that was answered, as Latin-1. */
  bytes: string;
  /** Whether the site ended the connection by itself, and not this client. */
  endedBySite: boolean;
}

/** Where nothing has come for so long, nothing more is waited for. */
const QUIET_MS = 150;
const BETWEEN_PIECES_MS = 1;

/**
 * Sends the pieces of an exchange over a connection of its own, and returns what came back.
 *
 * @param waitsMs for how long nothing has to come before this client leaves, where it waits for the site to
 *   end the connection.
 */
export function converse(
  url: string,
  { pieces, ending }: Exchange,
  localAddress: string,
  waitsMs: number,
): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port: Number(port), localAddress });
    const chunks: Buffer[] = [];
    let endedBySite = false;
    // The site may end a connection while this client goes on writing.
    socket.on("error", () => {});
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("end", () => {
      endedBySite = true;
    });
    socket.on("close", () =>
      resolve({ bytes: Buffer.concat(chunks).toString("latin1"), endedBySite }),
    );
    socket.on("timeout", () => socket.destroy());
    socket.on("connect", async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(Buffer.from(piece, "latin1"));
        if (pieces.length > 1) await new Promise((next) => setTimeout(next, BETWEEN_PIECES_MS));
      }
      if (ending === "reset") socket.resetAndDestroy();
      if (ending === "half-close") socket.end();
      socket.setTimeout(ending === "wait" ? waitsMs : QUIET_MS);
    });
  });
}
