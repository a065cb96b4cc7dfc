import { BOUNDARY, MULTIPART, multipartParts } from "../../site-client";
import { newFilm, newPicture } from "./films";
import { importFolder } from "./imports";
import { type Film, type FilmState, NOWHERE, texts } from "./model";
import { FORM, form, type Session, send } from "./session";

const TUS = { "Tus-Resumable": "1.0.0" };

/** Begins a change: until it is answered, the film may be as before, or as it will be. */
async function change(
  session: Session,
  film: Film,
  next: FilmState,
  work: () => ReturnType<typeof send>,
): Promise<void> {
  const before = film.allowed;
  film.allowed = [...before, next];
  const answer = await work();
  session.operations++;
  if (!answer || answer.status === 502) return;
  if (answer.status < 400) film.allowed = [next];
  else if (answer.status >= 500 && answer.status !== 503)
    session.faults.push(`${next.title}: answered ${answer.status} ${answer.body.slice(0, 200)}`);
  else if (answer.status !== 409 && answer.status !== 503)
    session.faults.push(
      `${next.title}: refused with ${answer.status} ${answer.body.slice(0, 200)}`,
    );
  else film.allowed = before;
}

/** Uploads a film with one form, or over tus in several requests. */
async function upload(session: Session): Promise<void> {
  const { random, films } = session;
  const word = `film${films.length}x${random.below(1e6)}`;
  const { bytes, sha256, frames } = newFilm(random, word);
  const film: Film = { word, sha256, frames, allowed: [NOWHERE] };
  films.push(film);
  const isPublic = random.chance(0.6);
  const fields = {
    ...texts(word, 0),
    category: "desi",
    tags: "torture",
    duration: "",
    intent: isPublic ? "publish" : "draft",
  };
  const next: FilmState = { ...texts(word, 0), at: "catalogue", isPublic, publishAt: null };
  if (random.chance(0.5)) {
    const { before, after } = multipartParts(fields);
    const body = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
    await change(session, film, next, () =>
      send(session, "POST", "/admin/publish", MULTIPART, body),
    );
    return;
  }
  const id = await sendInPieces(session, bytes);
  if (!id) return;
  const { before } = multipartParts({ ...fields, upload: id });
  const body = `${before.slice(0, before.lastIndexOf(`--${BOUNDARY}`))}--${BOUNDARY}--\r\n`;
  await change(session, film, next, () => send(session, "POST", "/admin/publish", MULTIPART, body));
}

async function sendInPieces(session: Session, bytes: Buffer): Promise<string | undefined> {
  const name = Buffer.from("clip.mp4").toString("base64");
  const created = await send(session, "POST", "/admin/uploads", {
    ...TUS,
    "Upload-Length": String(bytes.length),
    "Upload-Metadata": `filename ${name}`,
  });
  const at = created?.headers.location;
  if (!at) return undefined;
  const size = Math.ceil(bytes.length / 3);
  for (let from = 0; from < bytes.length; from += size) {
    const piece = bytes.subarray(from, from + size);
    const type = "application/offset+octet-stream";
    const headers = { ...TUS, "Content-Type": type, "Upload-Offset": String(from) };
    if (
      (await send(session, "PATCH", new URL(at, session.site.url).pathname, headers, piece))
        ?.status !== 204
    )
      return undefined;
  }
  return at.split("/").at(-1);
}

/** Changes one film of which nothing is in doubt. */
async function changeOne(session: Session, film: Film, state: FilmState): Promise<void> {
  const { random } = session;
  const id = film.id!;
  const post = (fields: Record<string, string>, path = "/admin") =>
    send(session, "POST", path, FORM, form(fields));
  if (state.at === "trash") {
    const next: FilmState = { ...state, at: "catalogue" };
    return change(session, film, next, () =>
      post({ intent: "restore", selected: id }, "/admin/trash"),
    );
  }
  if (state.publishAt !== null) return;
  switch (random.below(5)) {
    case 4: {
      const version = texts(film.word, random.below(1e6));
      const fields = { intent: "update", id, category: "desi", tags: "torture", ...version };
      const { before, after } = multipartParts(fields, "thumbnail");
      const body = Buffer.concat([Buffer.from(before), newPicture(random), Buffer.from(after)]);
      return change(session, film, { ...state, ...version }, () =>
        send(session, "POST", `/admin?tab=manage&edit=${id}`, MULTIPART, body),
      );
    }
    case 0: {
      const version = texts(film.word, random.below(1e6));
      return change(session, film, { ...state, ...version }, () =>
        post({ intent: "update", id, category: "desi", tags: "torture", ...version }),
      );
    }
    case 1: {
      const expectedStatus = state.isPublic ? "published" : "hidden";
      if (!state.isPublic) return;
      return change(session, film, { ...state, isPublic: false }, () =>
        post({ intent: "toggle", id, expectedStatus }),
      );
    }
    case 2: {
      if (state.isPublic) return;
      const publishAt = Date.now() + 500 + random.below(2_000);
      const at = new Date(publishAt).toISOString();
      return change(session, film, { ...state, publishAt }, () =>
        post({ intent: "schedule", id, publishAt: at, unpublishAt: "" }),
      );
    }
    default:
      return change(session, film, { ...state, at: "trash" }, () => post({ intent: "delete", id }));
  }
}

/** Does one thing at random. */
export async function act(session: Session, busy: Set<Film>): Promise<void> {
  const { random, films } = session;
  const free = films.filter(
    (film) =>
      film.id && film.allowed.length === 1 && !busy.has(film) && film.allowed[0]!.at !== "nowhere",
  );
  if (random.chance(0.03)) {
    await send(session, "POST", "/admin/backups", FORM, "");
    session.operations++;
    return;
  }
  if (random.chance(0.05)) return importFolder(session);
  if (free.length === 0 || random.chance(0.2)) return upload(session);
  const film = random.pick(free);
  busy.add(film);
  await changeOne(session, film, film.allowed[0]!).finally(() => busy.delete(film));
}
