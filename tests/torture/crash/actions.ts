import { BOUNDARY, MULTIPART, multipartParts } from "../../site-client";
import { importFolder } from "./imports";
import { NOWHERE, texts, type Video, type VideoState } from "./model";
import { FORM, form, type Session, send } from "./session";
import { newImage, newVideo } from "./videos";

const TUS = { "Tus-Resumable": "1.0.0" };

/** Makes a change. Until the site responds, the video may be in the state before or after the change. */
async function change(
  session: Session,
  video: Video,
  next: VideoState,
  work: () => ReturnType<typeof send>,
): Promise<void> {
  const before = video.allowed;
  video.allowed = [...before, next];
  const response = await work();
  session.operations++;
  if (!response || response.status === 502) return;
  if (response.status < 400) video.allowed = [next];
  else if (response.status >= 500 && response.status !== 503)
    session.faults.push(
      `${next.title}: failed with ${response.status} ${response.body.slice(0, 200)}`,
    );
  else if (response.status !== 409 && response.status !== 503)
    session.faults.push(
      `${next.title}: refused with ${response.status} ${response.body.slice(0, 200)}`,
    );
  else video.allowed = before;
}

/** Uploads a video with a form, or over tus in several requests. */
async function upload(session: Session): Promise<void> {
  const { random, videos } = session;
  const word = `video${videos.length}x${random.below(1e6)}`;
  const { bytes, sha256, frames } = newVideo(random, word);
  const video: Video = { word, sha256, frames, allowed: [NOWHERE] };
  videos.push(video);
  const isPublic = random.chance(0.6);
  const fields = {
    ...texts(word, 0),
    category: "desi",
    tags: "torture",
    duration: "",
    intent: isPublic ? "publish" : "draft",
  };
  const next: VideoState = { ...texts(word, 0), at: "catalogue", isPublic, publishAt: null };
  if (random.chance(0.5)) {
    const { before, after } = multipartParts(fields);
    const body = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
    await change(session, video, next, () =>
      send(session, "POST", "/admin/publish", MULTIPART, body),
    );
    return;
  }
  const id = await uploadInChunks(session, bytes);
  if (!id) return;
  const { before } = multipartParts({ ...fields, upload: id });
  const body = `${before.slice(0, before.lastIndexOf(`--${BOUNDARY}`))}--${BOUNDARY}--\r\n`;
  await change(session, video, next, () =>
    send(session, "POST", "/admin/publish", MULTIPART, body),
  );
}

async function uploadInChunks(session: Session, bytes: Buffer): Promise<string | undefined> {
  const name = Buffer.from("clip.mp4").toString("base64");
  const created = await send(session, "POST", "/admin/uploads", {
    ...TUS,
    "Upload-Length": String(bytes.length),
    "Upload-Metadata": `filename ${name}`,
  });
  const location = created?.headers.location;
  if (!location) return undefined;
  const size = Math.ceil(bytes.length / 3);
  for (let from = 0; from < bytes.length; from += size) {
    const chunk = bytes.subarray(from, from + size);
    const type = "application/offset+octet-stream";
    const headers = { ...TUS, "Content-Type": type, "Upload-Offset": String(from) };
    if (
      (await send(session, "PATCH", new URL(location, session.site.url).pathname, headers, chunk))
        ?.status !== 204
    )
      return undefined;
  }
  return location.split("/").at(-1);
}

/** Changes a video whose current state is certain. */
async function changeVideo(session: Session, video: Video, state: VideoState): Promise<void> {
  const { random } = session;
  const id = video.id!;
  const post = (fields: Record<string, string>, path = "/admin") =>
    send(session, "POST", path, FORM, form(fields));
  if (state.at === "trash") {
    const next: VideoState = { ...state, at: "catalogue" };
    return change(session, video, next, () =>
      post({ intent: "restore", selected: id }, "/admin/trash"),
    );
  }
  if (state.publishAt !== null) return;
  switch (random.below(5)) {
    case 4: {
      const version = texts(video.word, random.below(1e6));
      const fields = { intent: "update", id, category: "desi", tags: "torture", ...version };
      const { before, after } = multipartParts(fields, "thumbnail");
      const body = Buffer.concat([Buffer.from(before), newImage(random), Buffer.from(after)]);
      return change(session, video, { ...state, ...version }, () =>
        send(session, "POST", `/admin?tab=manage&edit=${id}`, MULTIPART, body),
      );
    }
    case 0: {
      const version = texts(video.word, random.below(1e6));
      return change(session, video, { ...state, ...version }, () =>
        post({ intent: "update", id, category: "desi", tags: "torture", ...version }),
      );
    }
    case 1: {
      const expectedStatus = state.isPublic ? "published" : "hidden";
      if (!state.isPublic) return;
      return change(session, video, { ...state, isPublic: false }, () =>
        post({ intent: "toggle", id, expectedStatus }),
      );
    }
    case 2: {
      if (state.isPublic) return;
      const publishAt = Date.now() + 500 + random.below(2_000);
      const scheduled = new Date(publishAt).toISOString();
      return change(session, video, { ...state, publishAt }, () =>
        post({ intent: "schedule", id, publishAt: scheduled, unpublishAt: "" }),
      );
    }
    default:
      return change(session, video, { ...state, at: "trash" }, () =>
        post({ intent: "delete", id }),
      );
  }
}

/** Performs a random action. */
export async function act(session: Session, busy: Set<Video>): Promise<void> {
  const { random, videos } = session;
  const free = videos.filter(
    (video) =>
      video.id &&
      video.allowed.length === 1 &&
      !busy.has(video) &&
      video.allowed[0]!.at !== "nowhere",
  );
  if (random.chance(0.03)) {
    await send(session, "POST", "/admin/backups", FORM, "");
    session.operations++;
    return;
  }
  if (random.chance(0.05)) return importFolder(session);
  if (free.length === 0 || random.chance(0.2)) return upload(session);
  const video = random.pick(free);
  busy.add(video);
  await changeVideo(session, video, video.allowed[0]!).finally(() => busy.delete(video));
}
