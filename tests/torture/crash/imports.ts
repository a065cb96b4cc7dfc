import fs from "node:fs";
import path from "node:path";
import { newFilm } from "./films";
import { type Film, type FilmState, NOWHERE, texts } from "./model";
import { FORM, form, type Session, send } from "./session";

const MOST_FILMS_AT_ONCE = 3;
const LOOK_EVERY_MS = 100;

/**
 * Puts films into the folder that the site imports from.
 *
 * @returns the films that the next import takes, also those that one has left when it was killed.
 */
export function prepareImport(session: Session): Film[] {
  const { random, films, folder } = session;
  for (const film of films) if (film.imported && film.id) takeOut(folder, film);
  for (let count = 1 + random.below(MOST_FILMS_AT_ONCE); count > 0; count--) putIn(session);
  const wanted = films.filter(({ allowed: [state], imported, id }) => {
    return imported && !id && state?.at === "nowhere";
  });
  for (const film of wanted) film.allowed = [NOWHERE, film.imported!];
  return wanted;
}

/** Has the site import the folder to its end. */
export async function importFolder(session: Session): Promise<void> {
  const { random } = session;
  const wanted = prepareImport(session);
  const mode = random.chance(0.5) ? "move" : "copy";
  const answer = await send(
    session,
    "POST",
    "/admin/import",
    FORM,
    form({ intent: "folder", mode }),
  );
  session.operations++;
  if (!answer || answer.body.includes("The folder is being imported already.")) return;
  if (answer.status !== 302) {
    session.faults.push(`An import: answered ${answer.status} ${answer.body.slice(0, 200)}`);
    return;
  }
  const report = await reportOf(session);
  if (report?.endsWith(" 0 failed.")) for (const film of wanted) film.allowed = [film.imported!];
}

/** A film with its texts in a file beside it, which is there as a whole or not at all. */
function putIn({ random, films, folder }: Session): void {
  const word = `film${films.length}x${random.below(1e6)}`;
  const { bytes, sha256, frames } = newFilm(random, word);
  const isPublic = random.chance(0.6);
  const imported: FilmState = { ...texts(word, 0), at: "catalogue", isPublic, publishAt: null };
  films.push({ word, sha256, frames, allowed: [NOWHERE], imported });
  const status = isPublic ? "published" : "hidden";
  const row = { ...texts(word, 0), category: "desi", tags: "torture", status };
  fs.writeFileSync(path.join(folder, `${word}.json`), JSON.stringify(row));
  fs.writeFileSync(path.join(folder, `.${word}`), bytes);
  fs.renameSync(path.join(folder, `.${word}`), path.join(folder, `${word}.mp4`));
}

/** It is in the catalogue: were it deleted, the next import would bring it in again. */
export function takeOut(folder: string, { word }: Film): void {
  for (const name of [`${word}.mp4`, `${word}.json`])
    fs.rmSync(path.join(folder, name), { force: true });
}

/** What the page says of the import once it has ended; undefined when the site was killed before. */
async function reportOf(session: Session): Promise<string | undefined> {
  for (;;) {
    const page = await send(session, "GET", "/admin/import", {});
    if (!page || page.status >= 500) return undefined;
    const [report] =
      /\d+ imported \([^<]*|The import ended before its time\./.exec(page.body) ?? [];
    if (report) return report.trim();
    await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
  }
}
