import net from "node:net";

/** This is shorter than the test timeout of 30 s. If a test timed out, the error message wouldn't show the request. */
const RESPONSE_TIMEOUT_MS = 20_000;

/**
 * Sends a request exactly as given, without the normalization of `URL` and `fetch`. Returns the raw response. Throws an error if the
 * connection is idle for too long.
 */
export async function rawRequest(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  socket.setTimeout(RESPONSE_TIMEOUT_MS, () =>
    socket.destroy(new Error(`Incomplete response to: ${JSON.stringify(text.slice(0, 200))}`)),
  );
  socket.write(text);
  const chunks = await socket.toArray();
  return Buffer.concat(chunks as Buffer[]).toString("latin1");
}

/** Sends a GET request with exactly the given target and headers over a new connection. Returns the raw response. */
export function rawGet(url: string, target: string, headers: string[] = ["Host: site.example"]) {
  const lines = [`GET ${target} HTTP/1.1`, ...headers, "Connection: close"];
  return rawRequest(url, `${lines.join("\r\n")}\r\n\r\n`);
}
