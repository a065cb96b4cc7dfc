import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import zlib from "node:zlib";

export interface OtherPlayers {
  /** Of a page with nothing but hls.js, configured as it is by default, and a video. */
  url: string;
  close(): Promise<void>;
}

/** Serves that page and the script, and hands the site's media on, so that all have one origin. */
export async function serveOtherPlayers(site: string, master: string): Promise<OtherPlayers> {
  const script = fs.readFileSync(createRequire(import.meta.url).resolve("hls.js/dist/hls.min.js"));
  const packed = zlib.gzipSync(script);
  const page = `<!doctype html><title>hls.js</title><video width="640" height="360"></video>
<script src="/hls.js"></script><script>
const video = document.querySelector("video");
const hls = new Hls();
hls.loadSource(${JSON.stringify(master)});
hls.attachMedia(video);
video.dataset.otherPlayer = "";
</script>`;
  const server = http.createServer((request, response) => {
    if (request.url === "/") {
      response.setHeader("Content-Type", "text/html").end(page);
    } else if (request.url === "/hls.js") {
      response.setHeader("Content-Type", "text/javascript");
      response.setHeader("Content-Encoding", "gzip").end(packed);
    } else {
      const { range } = request.headers;
      const headers = range ? { range } : {};
      const asked = http.get(`${site}${request.url}`, { headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      response.on("close", () => asked.destroy());
      asked.on("error", () => response.destroy());
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
