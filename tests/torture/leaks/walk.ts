import { PERMISSIONS } from "~/features/permissions/permissions";
import type { SiteProcess } from "../../site-process";
import { asked, FORM, unreadable, type Work } from "./failing-requests";
import { type Visitor, visit, visitRaw } from "./visitor";

/** Every address of the site, as the table of permissions writes it; a test compares that with the build. */
export const ROUTES = Object.keys(PERMISSIONS).filter((line) => !line.includes(" "));

const AT_ONCE = 8;
/** More than one address may send in a minute, which these take less than. */
const MAX_FORMS = 400;

/** What the addresses of the walk name that is there. */
export interface Known {
  id: string;
  file: string;
  category: string;
  tag: string;
  slug: string;
}

/** The addresses of a route: with marks where something is to be named, and with what is there. */
export function addressesOf(route: string, mark: string, known: Known): string[] {
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
 * Asks for every address in every way that fails, and in the ways that do not.
 *
 * @param share of these requests that is sent, by chance; of each address one at least.
 */
export async function walk(visitor: Visitor, known: Known, share: number): Promise<void> {
  const { random } = visitor;
  const work = ROUTES.flatMap((route) =>
    addressesOf(route, visitor.mark("path"), known).flatMap((at) => {
      const each = asked(visitor, at);
      const always = random.below(each.length);
      return each.filter((_, index) => index === always || random.chance(share));
    }),
  );
  await all(shuffled(visitor, work));
  await all(unreadable(visitor).map((text) => () => visitRaw(visitor, text)));
  await searches(visitor);
}

/** A few at a time. */
async function all(work: readonly Work[]): Promise<void> {
  const left = [...work];
  const next = async () => {
    for (let one = left.pop(); one; one = left.pop()) await one();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

function shuffled<T>({ random }: Visitor, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** What is typed into the search, a letter at a time, and a second time, when pages come from memory. */
async function searches(visitor: Visitor): Promise<void> {
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

/** The same addresses while the database can't be read, and while nobody else may write it. */
export async function walkWithFaults(visitor: Visitor, known: Known, share: number): Promise<void> {
  const database = visitor.site.database();
  const pages = () => ROUTES.flatMap((route) => addressesOf(route, visitor.mark("path"), known));
  const ask = (path: string) => () => visit(visitor, `${path}?search=${visitor.mark("search")}`);
  const post = (path: string) => () =>
    visit(visitor, path, {
      method: "POST",
      headers: { "Content-Type": FORM },
      body: `email=${visitor.mark("form")}%40example.com&password=${visitor.mark("form")}`,
    });
  database.exec("ALTER TABLE videos RENAME TO elsewhere");
  try {
    const failing = pages().flatMap((path) => [ask(path), post(path)]);
    await all(failing.filter(() => visitor.random.chance(share)));
  } finally {
    database.exec("ALTER TABLE elsewhere RENAME TO videos");
  }
  database.exec("BEGIN IMMEDIATE");
  try {
    await all([...["/auth", "/contact", "/age"].map(post), ...pages().slice(0, 12).map(ask)]);
  } finally {
    database.exec("ROLLBACK");
  }
}

/** One form after the other, until there are too many: of marks each has those of its head alone. */
export async function untilTooMany(visitor: Visitor): Promise<void> {
  const form = { method: "POST", headers: { "Content-Type": FORM }, body: "name=" };
  let left = MAX_FORMS;
  const send = async () => {
    while (left-- > 0) if ((await visit(visitor, "/contact", form)) === 429) left = 0;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
}

/** A report that is taken, which the site keeps, encrypted. Its status. */
export function report(visitor: Visitor, known: Known): Promise<number> {
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

/** What the walk names that is there: a public video with all that it may have. */
export function addKnown(site: SiteProcess, bytes: Buffer): Known {
  const file = site.addFile("videos", "u/1795000000001.mp4", bytes);
  const id = site.addVideo({
    ...{ title: "A walk in the evening", tags: '["evening"]', video_url: file, duration: "0:01" },
  });
  return { id, file: file.replace("/media/", ""), category: "desi", tag: "evening", slug: "none" };
}
