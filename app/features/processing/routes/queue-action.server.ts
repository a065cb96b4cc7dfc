import { changeVideos } from "~/features/library/bulk/bulk.server";
import { refusalFailure } from "~/features/library/refusals.server";
import { isRefusal } from "~/features/permissions/may-change.server";
import { disabledCodecs, extraCodecs } from "~/media/encode/encoders.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { type Failure, failure, GONE, INCOMPLETE } from "~/platform/failure";
import { orFailure } from "~/platform/or-failure.server";
import { readFields } from "~/platform/small-form.server";
import { formatQuantity, nameTitles } from "~/shared/format";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { prepared, transaction } from "~db/client.server";
import type { JobKind } from "~db/schema";
import { JOB_CHANGES, type JobChange, jobChanger } from "../queue/change-jobs.server";
import { enqueueCodecs } from "../queue/enqueue.server";
import { JOB_LABELS } from "../queue/kinds";
import { jobsChanged, pauseQueue } from "../queue/queue-state.server";
import { WITHOUT_FFMPEG } from "../queue/reasons";

const MAX_FORM_BYTES = 64 * 1024;
const NOTHING = "Nothing was changed.";

type Answer = Failure | ToastMessage;

const said = (description: string) => success("Queue", description);

/**
 * Performs a form of the page of the queue. `intent` is `pause`, `resume`, `retry` for all that failed,
 * `again`, `now` and `later` for the jobs in `selected`, or all of the video in `video`, or `codecs` for
 * further codecs of that video.
 */
export async function performQueue(request: Request, userId: string): Promise<Answer> {
  const form = await readFields(request, MAX_FORM_BYTES);
  return orFailure(() => perform(form, userId), {
    busy: NOTHING,
    failed: "Failed to change the queue.",
  });
}

async function perform(form: FormData, userId: string): Promise<Answer> {
  const intent = form.get("intent");
  if (intent === "pause" || intent === "resume") return pause(intent === "pause", userId);
  if (intent === "retry") return retryAll(userId);
  if (intent === "codecs") return addCodecs(String(form.get("video") ?? ""), userId);
  const change = JOB_CHANGES.find((each) => each === intent);
  if (!change) return INCOMPLETE;
  const video = form.get("video");
  if (video !== null) return changeVideo(change, String(video), userId);
  const jobs = [...new Set(form.getAll("selected").map(Number))];
  if (jobs.length === 0) return failure(422, NOTHING, { detail: "Select at least one job." });
  if (!jobs.every(Number.isSafeInteger)) {
    return INCOMPLETE;
  }
  return changeSelected(change, jobs, userId);
}

async function pause(isPaused: boolean, userId: string): Promise<ToastMessage> {
  const action = isPaused ? "queue-pause" : "queue-resume";
  const changed = await pauseQueue(isPaused, () => void recordActivity({ userId, action }));
  if (isPaused) {
    return said(changed ? "Nothing is made until you resume." : "It was paused already.");
  }
  return said(changed ? "It goes on." : "It was not paused.");
}

async function retryAll(userId: string): Promise<Answer> {
  const failed = prepared<number>("SELECT id FROM jobs WHERE state = 'failed'").pluck().all();
  if (failed.length === 0) return said("There was nothing to try again.");
  return changeSelected("again", failed, userId);
}

/** What is said of jobs that were changed, and why others were not. */
const OUTCOMES: Record<JobChange, { done: [one: string, many: string]; refused: string }> = {
  again: {
    done: ["It is tried again.", "are made again."],
    refused: "What waits or is being made already is not made again.",
  },
  now: {
    done: ["It comes first now.", "come first now."],
    refused: "It is being made already, or has been made.",
  },
  later: {
    done: ["It comes last now.", "come last now."],
    refused: "It has failed, or has been made.",
  },
};

async function changeSelected(
  change: JobChange,
  jobs: readonly number[],
  userId: string,
): Promise<Answer> {
  const known = await transaction(() => {
    const named = namesOf(jobs);
    const changed = new Set(jobChanger(change)({ jobs }).map(({ id }) => id));
    const done = named.filter(({ id }) => changed.has(id));
    const [first] = done;
    if (first) {
      const detail =
        done.length === 1
          ? `${JOB_LABELS[first.kind]} of “${first.title}”`
          : `${formatQuantity(done.length, "job")} of ${nameTitles([...new Set(done.map(({ title }) => title))])}`;
      const subjectId = done.length === 1 ? first.video_id : undefined;
      recordActivity({ userId, action: `queue-${change}`, detail, subjectId });
    }
    return { named: named.length, done: done.length };
  });
  jobsChanged("work");
  return describe(change, jobs.length, known);
}

interface NamedJob {
  id: number;
  kind: JobKind;
  title: string;
  video_id: string;
}

function namesOf(jobs: readonly number[]): NamedJob[] {
  return prepared<NamedJob>(
    `SELECT jobs.id, kind, title, videos.id AS video_id FROM jobs
     LEFT JOIN video_files AS file ON file.id = jobs.video_id
     JOIN videos ON videos.id = coalesce(file.video_id, jobs.video_id)
     WHERE jobs.id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(jobs));
}

function describe(
  change: JobChange,
  asked: number,
  { named, done }: { named: number; done: number },
): Answer {
  const { done: messages, refused } = OUTCOMES[change];
  if (named === 0) {
    return failure(404, NOTHING, {
      detail: "This is no longer in the queue: somebody may have deleted the video.",
    });
  }
  if (done === 0) return failure(409, NOTHING, { detail: refused });
  if (asked === 1) return said(messages[0]);
  const rest = named - done;
  const gone = asked - named;
  return said(
    [
      `${formatQuantity(done, "job")} ${messages[1]}`,
      rest > 0 && `${formatQuantity(rest, "job")} stayed as before.`,
      gone > 0 && `${formatQuantity(gone, "job")} no longer ${gone === 1 ? "exists" : "exist"}.`,
    ]
      .filter(Boolean)
      .join(" "),
  );
}

async function changeVideo(change: JobChange, id: string, userId: string): Promise<Answer> {
  if (change === "again" && !ffmpegAvailable()) {
    return failure(409, NOTHING, { detail: WITHOUT_FFMPEG });
  }
  const result = await changeVideos({ action: `convert-${change}` }, [id], userId);
  if (isRefusal(result)) return refusalFailure(result, "No video was changed.");
  if (result.gone > 0) return failure(404, GONE);
  if (result.refused.length > 0) {
    return failure(409, NOTHING, { detail: "The video has no file to make anything from." });
  }
  if (result.done === 0) {
    return failure(409, NOTHING, { detail: "All of this video has been made, or is being made." });
  }
  const messages: Record<JobChange, string> = {
    again: "All of this video is made again.",
    now: "This video comes first now.",
    later: "This video comes last now.",
  };
  return said(messages[change]);
}

const NO_FURTHER_CODEC = "ENCODER_CODECS names no codec beside H.264.";

async function addCodecs(id: string, userId: string): Promise<Answer> {
  const video = prepared<{ title: string; hls_url: string | null }>(
    "SELECT title, hls_url FROM videos WHERE id = ?",
  ).get(id);
  if (!video) return failure(404, GONE);
  if (extraCodecs().length === 0) {
    const why = ffmpegAvailable() ? disabledCodecs() : [WITHOUT_FFMPEG];
    return failure(409, NOTHING, { detail: why.join(" ") || NO_FURTHER_CODEC });
  }
  if (video.hls_url === null) {
    return failure(409, NOTHING, {
      detail: "The video has no stream that they could be added to.",
    });
  }
  const entry = { userId, action: "queue-codecs", detail: video.title, subjectId: id } as const;
  if (!(await enqueueCodecs(id, () => void recordActivity(entry)))) {
    return failure(409, NOTHING, { detail: "They wait already, or are being made." });
  }
  return said("They are added to its stream when their turn comes.");
}
