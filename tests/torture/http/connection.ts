import net from "node:net";
import type { Exchange } from "./exchanges";

/** The outcome of an exchange. */
export interface Outcome {
  /** Everything that was received, as Latin-1. */
  bytes: string;
  /** Whether the site closed the connection before this client did. */
  closedBySite: boolean;
}

/** How long a client stays connected without receiving data if it doesn't wait for the site to close the connection. */
const IDLE_TIMEOUT_MS = 150;
const PIECE_INTERVAL_MS = 1;

/**
 * Sends the pieces of an exchange over a new connection, and returns what was received.
 * @param closeTimeoutMs how long the client stays connected without receiving data if it waits for the site to close
 *   the connection.
 */
export function sendExchange(
  url: string,
  { pieces, ending }: Exchange,
  localAddress: string,
  closeTimeoutMs: number,
): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port: Number(port), localAddress });
    const chunks: Buffer[] = [];
    let closedBySite = false;
    // The site may close a connection while this client is still writing.
    socket.on("error", () => {});
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("end", () => {
      closedBySite = true;
    });
    socket.on("close", () =>
      resolve({ bytes: Buffer.concat(chunks).toString("latin1"), closedBySite }),
    );
    socket.on("timeout", () => socket.destroy());
    socket.on("connect", async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(Buffer.from(piece, "latin1"));
        if (pieces.length > 1) await new Promise((next) => setTimeout(next, PIECE_INTERVAL_MS));
      }
      if (ending === "reset") socket.resetAndDestroy();
      if (ending === "half-close") socket.end();
      socket.setTimeout(ending === "wait" ? closeTimeoutMs : IDLE_TIMEOUT_MS);
    });
  });
}
