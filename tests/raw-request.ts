import net from "node:net";

/** Sends bytes as they are, which a URL or fetch would mend, and returns all of the answer. */
export async function rawRequest(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  socket.write(text);
  const answer = await socket.toArray();
  return Buffer.concat(answer as Buffer[]).toString("latin1");
}

/** A request with its target and headers to the letter, over a connection of its own. */
export function rawGet(url: string, target: string, headers: string[] = ["Host: site.example"]) {
  const lines = [`GET ${target} HTTP/1.1`, ...headers, "Connection: close"];
  return rawRequest(url, `${lines.join("\r\n")}\r\n\r\n`);
}
