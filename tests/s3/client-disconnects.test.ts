import { once } from "node:events";
import http from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../process-figures";
import { SiteProcess } from "../site-process";
import { startFaultyStore } from "./faulty-store";
import { hasS3Server } from "./object-stores";
import { addStoredVideo } from "./stored-video";

/** A video that is larger than the combined buffers of all sockets between the store and a visitor. */
const VIDEO = Buffer.alloc(9_000_000, 7);
const VISITORS = 40;
/**
 * Matches reads for visitors. For its own purposes, the site reads either a whole object, without a range, or only its
 * first byte.
 */
const READS = /^GET .*\.mp4.* bytes=\d+-\d{4,}$/;

describe.runIf(hasS3Server)(
  "a site that proxies a video from the store to a visitor who disconnects",
  () => {
    let store: Awaited<ReturnType<typeof startFaultyStore>>;
    let site: SiteProcess;
    let url: string;
    let part: string;

    beforeAll(async () => {
      store = await startFaultyStore();
      site = new SiteProcess(store.environment);
      await site.start();
      ({ url, part } = await addStoredVideo(site, VIDEO));
    }, 120_000);
    afterAll(async () => {
      await site?.remove();
      await store?.stop();
    });

    const request = (path: string, headers = {}) =>
      http.get(site.url + path, { agent: false, headers }).on("error", () => {});

    it("aborts its request if the store hasn't responded yet", async () => {
      store.fail({ when: READS, response: "hold" });
      const requests = Array.from({ length: VISITORS }, (_, index) =>
        request(index % 2 ? url : part, index % 3 ? {} : { Range: "bytes=1000-" }),
      );
      await until(() => store.sent(READS) === VISITORS);
      expect(store.open(READS)).toBe(VISITORS);
      for (const each of requests) each.destroy();
      await until(() => store.open(READS) === 0);
      // No request has timed out, and a visitor who disconnects isn't treated as a store failure.
      expect(site.log).not.toContain("can't be read");
      store.release();
    });

    it("aborts the store's response even if nothing has been read from it yet", async () => {
      store.fail();
      const requests = Array.from({ length: VISITORS }, () => request(url));
      await Promise.all(requests.map((each) => once(each, "response")));
      for (const each of requests) each.destroy();
      await until(() => store.open(READS) === 0);
    });
  },
);
