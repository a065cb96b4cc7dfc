import net from "node:net";

/** The test's own limit, 30 s, would not tell what was sent. */
const ANSWERED_WITHIN_MS = 20_000;

/**
 * Sends bytes as they are, which a URL or fetch would mend, and returns all of the answer. Throws where the
 * connection stays open without a byte.
 */
export async function rawRequest(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  socket.setTimeout(ANSWERED_WITHIN_MS, () =>
    socket.destroy(new Error(`Not answered to its end: ${JSON.stringify(text.slice(0, 200))}`)),
  );
  socket.write(text);
  const answer = await socket.toArray();
  return Buffer.concat(answer as Buffer[]).toString("latin1");
}

/** A request with its target and headers to the letter, over a connection of its own. */
export function rawGet(url: string, target: string, headers: string[] = ["Host: site.example"]) {
  const lines = [`GET ${target} HTTP/1.1`, ...headers, "Connection: close"];
  return rawRequest(url, `${lines.join("\r\n")}\r\n\r\n`);
}
