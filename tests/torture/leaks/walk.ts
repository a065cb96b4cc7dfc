import { PERMISSIONS } from "~/features/permissions/permissions";
import type { SiteProcess } from "../../site-process";
import { FORM, malformedRequests, requestsTo, type Task } from "./failing-requests";
import { type Visitor, visit, visitRaw } from "./visitor";

/** All routes in the permissions table. A test checks that the table and the build contain the same routes. */
export const ROUTES = Object.keys(PERMISSIONS).filter((line) => !line.includes(" "));

const CONCURRENCY = 8;
/** More requests than an IP address may send in a minute. Sending them takes less than a minute. */
const MAX_FORMS = 400;

/** Existing values for the routes' parameters. */
export interface Known {
  id: string;
  file: string;
  category: string;
  tag: string;
  slug: string;
}

/** Returns a route's URLs, with a marker for each parameter and with existing values. */
export function urlsOf(route: string, mark: string, known: Known): string[] {
  const named = route.replace(/:\w+\??|\*/g, mark);
  const values: Record<string, string> = {
    ":id": known.id,
    ":category?": known.category,
    ":tag": known.tag,
    ":slug": known.slug,
    ":part": "1.xml",
    "*": known.file,
  };
  const real = route.replace(/:\w+\??|\*/g, (part) => values[part] ?? mark);
  return [...new Set([named, real])];
}

/**
 * Sends every kind of failing and successful request to every URL.
 * @param share the fraction of these requests to send. They are chosen at random, but each URL receives at least one.
 */
export async function walk(visitor: Visitor, known: Known, share: number): Promise<void> {
  const { random } = visitor;
  const tasks = ROUTES.flatMap((route) =>
    urlsOf(route, visitor.mark("path"), known).flatMap((path) => {
      const each = requestsTo(visitor, path);
      const always = random.below(each.length);
      return each.filter((_, index) => index === always || random.chance(share));
    }),
  );
  await runAll(shuffled(visitor, tasks));
  await runAll(malformedRequests(visitor).map((text) => () => visitRaw(visitor, text)));
  await typeSearch(visitor);
}

/** Runs tasks, a few at a time. */
async function runAll(tasks: readonly Task[]): Promise<void> {
  const left = [...tasks];
  const next = async () => {
    for (let one = left.pop(); one; one = left.pop()) await one();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, next));
}

function shuffled<T>({ random }: Visitor, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/**
 * Sends the requests for a search that is typed one character at a time. The whole word is sent twice, so that the
 * second response comes from the cache.
 */
async function typeSearch(visitor: Visitor): Promise<void> {
  const word = visitor.mark("search");
  for (const length of [1, 2, 3, 6, word.length, word.length]) {
    const typed = word.slice(0, length);
    await visit(visitor, `/search/suggestions?q=${typed}`);
    await visit(visitor, `/?search=${typed}`);
    await visit(visitor, `/?search=${typed}`, { headers: { Cookie: "" } });
    await visit(visitor, `/_root.data?search=${typed}&page=900`);
    await visit(visitor, `/tags/${typed}`);
    await visit(visitor, `/tags/${typed}/feed.xml`);
  }
}

/** Requests the same URLs twice: while the database can't be read, and while it is locked for writing. */
export async function walkWithFaults(visitor: Visitor, known: Known, share: number): Promise<void> {
  const database = visitor.site.database();
  const pages = () => ROUTES.flatMap((route) => urlsOf(route, visitor.mark("path"), known));
  const get = (path: string) => () => visit(visitor, `${path}?search=${visitor.mark("search")}`);
  const post = (path: string) => () =>
    visit(visitor, path, {
      method: "POST",
      headers: { "Content-Type": FORM },
      body: `email=${visitor.mark("form")}%40example.com&password=${visitor.mark("form")}`,
    });
  database.exec("ALTER TABLE videos RENAME TO elsewhere");
  try {
    const failing = pages().flatMap((path) => [get(path), post(path)]);
    await runAll(failing.filter(() => visitor.random.chance(share)));
  } finally {
    database.exec("ALTER TABLE elsewhere RENAME TO videos");
  }
  database.exec("BEGIN IMMEDIATE");
  try {
    await runAll([...["/auth", "/contact", "/age"].map(post), ...pages().slice(0, 12).map(get)]);
  } finally {
    database.exec("ROLLBACK");
  }
}

/** Sends forms until the rate limit is reached. Only their headers contain markers. */
export async function sendUntilLimited(visitor: Visitor): Promise<void> {
  const form = { method: "POST", headers: { "Content-Type": FORM }, body: "name=" };
  let left = MAX_FORMS;
  const send = async () => {
    while (left-- > 0) if ((await visit(visitor, "/contact", form)) === 429) left = 0;
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, send));
}

/** Sends a valid report, which the site stores encrypted. Returns the response's status. */
export function sendReport(visitor: Visitor, known: Known): Promise<number> {
  const { site, mark } = visitor;
  const body = new URLSearchParams({
    form: "one-opening-of-the-form",
    where: `${site.url}/video/${known.id}`,
    what: `What I have to say is ${mark("report")}, and I did not agree.`,
    name: mark("report"),
    email: `${mark("report")}@example.com`,
    "statement-0": "1",
    "statement-1": "1",
  });
  return visit(visitor, `/report?video=${known.id}&kind=copyright`, {
    method: "POST",
    headers: { "Content-Type": FORM },
    body: body.toString(),
  });
}

/** Adds a public video for requests that name an existing one. */
export function addKnown(site: SiteProcess, bytes: Buffer): Known {
  const file = site.addFile("videos", "u/1795000000001.mp4", bytes);
  const id = site.addVideo({
    ...{ title: "A walk in the evening", tags: '["evening"]', video_url: file, duration: "0:01" },
  });
  return { id, file: file.replace("/media/", ""), category: "desi", tag: "evening", slug: "none" };
}
