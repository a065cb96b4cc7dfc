import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { onConnection } from "./request-context.server";
import { RTA_LABEL } from "./rta-label";

/** Node's own answers to what its parser refuses, by the code of the error; 400 for any other. */
const STATUS: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What Node knows of a connection and does not document: the answer under way on it. */
interface HttpSocket extends Socket {
  _httpMessage?: { _headerSent: boolean } | null;
}

const servers = new WeakSet<Server>();

/**
 * Labels the answers to requests that never become one: Node writes these itself, without any header.
 * A connection tells its server before the first byte is read; no earlier moment is known from outside.
 */
export function labelUnreadable(): void {
  onConnection((server) => {
    if (servers.has(server)) return;
    servers.add(server);
    server.on("clientError", answerUnreadable);
  });
}

/** As Node does when nobody listens: it says nothing once an answer has begun, which it would be a part of. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  if (socket.writable && !socket._httpMessage?._headerSent) {
    const status = STATUS[error.code ?? ""] ?? 400;
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Rating: ${RTA_LABEL}`,
      "Content-Length: 0",
      "Connection: close",
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  }
  socket.destroy(error);
}
