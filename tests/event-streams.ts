import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { routeOf } from "~/features/permissions/route-of";
import { jobEventsAccess } from "~/features/permissions/session.server";
import { serveEvents } from "~/platform/live/event-stream.server";
import { nameRoutes } from "~/platform/node/request-context.server";

/** Opens an event stream on a socket that isn't connected to anything. `text` returns everything that has been sent. */
export function openEvents({ cookie = "", address = "192.0.2.1" } = {}) {
  nameRoutes(routeOf);
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: address });
  const request = new IncomingMessage(socket);
  Object.assign(request, { method: "GET", url: cookie ? "/events?jobs" : "/events" });
  request.headers = { cookie };
  const response = new ServerResponse(request);
  let text = "";
  const write = response.write.bind(response) as (chunk: string) => boolean;
  response.write = (chunk: string) => {
    text += chunk;
    return write(chunk);
  };
  serveEvents(jobEventsAccess)(request, response);
  return {
    response,
    text: () => text,
    async disconnect() {
      socket.destroy();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
