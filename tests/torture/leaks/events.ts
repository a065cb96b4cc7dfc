import { sendRequest } from "../../site-client";
import type { HiddenSite } from "./hidden-run";

const EVENT_TIMEOUT_MS = 20_000;
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** Opens an event stream. `text` contains everything received so far. */
async function listen(url: string, headers: Record<string, string>) {
  const leaving = new AbortController();
  const response = await fetch(url, { headers, signal: leaving.signal });
  const stream = { text: "", status: response.status, leave: () => leaving.abort() };
  const read = async () => {
    const reader = response.body!.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      stream.text += Buffer.from(part.value).toString();
    }
  };
  read().catch(() => {});
  return stream;
}

async function waitUntil(isTrue: () => boolean, what: string): Promise<void> {
  const end = Date.now() + EVENT_TIMEOUT_MS;
  while (!isTrue()) {
    if (Date.now() > end) throw new Error(`No event after ${what}`);
    await new Promise((next) => setTimeout(next, 20));
  }
}

const count = (text: string, topic: string) => text.split(`event: ${topic}\n`).length - 1;

/**
 * Checks that changes to hidden videos are sent only to the studio's streams, and that changes to public videos are
 * sent to all streams.
 */
export async function checkEvents(hidden: HiddenSite): Promise<void> {
  const { site, videos, known, cookie, faults } = hidden;
  const visitor = await listen(`${site.url}/events`, { "X-Forwarded-For": "203.0.113.1" });
  const withJobs = await listen(`${site.url}/events?jobs`, { "X-Forwarded-For": "203.0.113.2" });
  const studio = await listen(`${site.url}/events?jobs`, { Cookie: cookie });
  const streams = [visitor, withJobs, studio];
  try {
    for (const stream of streams)
      await waitUntil(() => stream.text.includes("hello"), "the stream was opened");
    const page = async () =>
      (await sendRequest(site, "GET", "/_root.data")).body.replace(/\b17\d{11}\b/g, "");
    const etag = async () => (await sendRequest(site, "GET", "/feed.xml")).headers.etag;
    const before = { page: await page(), etag: await etag() };
    const changes = () => count(studio.text, "jobs") + count(studio.text, "catalogue");
    const textsBefore = streams.map(({ text }) => text);
    for (const { id, word, state } of videos.filter((video) => video.state !== "in the trash")) {
      const changesBefore = changes();
      const fields = {
        intent: "update",
        id,
        title: `${word} again`,
        description: word,
        category: "desi",
      };
      const body = new URLSearchParams({ ...fields, tags: `${word}, evening` }).toString();
      const { status } = await sendRequest(
        site,
        "POST",
        "/admin",
        { ...FORM, Cookie: cookie },
        body,
      );
      if (status >= 400) throw new Error(`Editing the ${state} video returned ${status}`);
      await waitUntil(() => changes() > changesBefore, `the ${state} video was edited`);
    }
    if (visitor.text !== textsBefore[0])
      faults.push(`/events notified a visitor about hidden videos: ${visitor.text}`);
    if (withJobs.text !== textsBefore[1])
      faults.push(`/events?jobs notified a visitor: ${withJobs.text}`);
    if ((await page()) !== before.page)
      faults.push("The home page changed when hidden videos were edited");
    if ((await etag()) !== before.etag)
      faults.push("The feed's ETag changed when hidden videos were edited");
    site.database().prepare("UPDATE videos SET title = 'Known again' WHERE id = ?").run(known.id);
    for (const stream of streams) {
      await waitUntil(() => count(stream.text, "catalogue") > 0, "a public video was edited");
    }
  } finally {
    for (const stream of streams) stream.leave();
  }
}
