import { ask } from "../../site-client";
import type { HiddenSite } from "./hidden-run";

const TOLD_WITHIN_MS = 20_000;
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** A stream of events, with all that it has told. */
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

async function until(isTrue: () => boolean, what: string): Promise<void> {
  const end = Date.now() + TOLD_WITHIN_MS;
  while (!isTrue()) {
    if (Date.now() > end) throw new Error(`No event told that ${what}`);
    await new Promise((next) => setTimeout(next, 20));
  }
}

const count = (text: string, topic: string) => text.split(`event: ${topic}\n`).length - 1;

/** Changes of hidden videos reach the studio's streams, and no visitor's; those of public ones reach both. */
export async function silentEvents(hidden: HiddenSite): Promise<void> {
  const { site, videos, known, cookie, faults } = hidden;
  const visitor = await listen(`${site.url}/events`, { "X-Forwarded-For": "203.0.113.1" });
  const withJobs = await listen(`${site.url}/events?jobs`, { "X-Forwarded-For": "203.0.113.2" });
  const studio = await listen(`${site.url}/events?jobs`, { Cookie: cookie });
  const streams = [visitor, withJobs, studio];
  try {
    for (const stream of streams) await until(() => stream.text.includes("hello"), "it begins");
    const page = async () =>
      (await ask(site, "GET", "/_root.data")).body.replace(/\b17\d{11}\b/g, "");
    const tag = async () => (await ask(site, "GET", "/feed.xml")).headers.etag;
    const before = { page: await page(), tag: await tag() };
    const changes = () => count(studio.text, "jobs") + count(studio.text, "catalogue");
    const begun = streams.map(({ text }) => text);
    for (const { id, word, state } of videos.filter((video) => video.state !== "in the trash")) {
      const told = changes();
      const fields = {
        intent: "update",
        id,
        title: `${word} anew`,
        description: word,
        category: "desi",
      };
      const body = new URLSearchParams({ ...fields, tags: `${word}, evening` }).toString();
      const { status } = await ask(site, "POST", "/admin", { ...FORM, Cookie: cookie }, body);
      if (status >= 400) throw new Error(`${state} could not be edited: ${status}`);
      await until(() => changes() > told, `${state} was edited`);
    }
    if (visitor.text !== begun[0])
      faults.push(`/events told a visitor of hidden videos: ${visitor.text}`);
    if (withJobs.text !== begun[1]) faults.push(`/events?jobs told a visitor: ${withJobs.text}`);
    if ((await page()) !== before.page) faults.push("Home changed when hidden videos were edited");
    if ((await tag()) !== before.tag) faults.push("The tag of the feed changed with hidden videos");
    site.database().prepare("UPDATE videos SET title = 'Known anew' WHERE id = ?").run(known.id);
    for (const stream of streams) {
      await until(() => count(stream.text, "catalogue") > 0, "a public video was edited");
    }
  } finally {
    for (const stream of streams) stream.leave();
  }
}
