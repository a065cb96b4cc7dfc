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
import { createJobChanger, JOB_CHANGES, type JobChange } from "../queue/change-jobs.server";
import { enqueueCodecs } from "../queue/enqueue.server";
import { WITHOUT_FFMPEG } from "../queue/failure-reasons";
import { JOB_LABELS } from "../queue/kinds";
import { jobsChanged, setQueuePaused } from "../queue/queue-state.server";

const MAX_FORM_BYTES = 64 * 1024;
const NOTHING = "Nothing was changed.";

type Result = Failure | ToastMessage;

const toast = (description: string) => success("Processing", description);

/**
 * Handles a form from the queue page. `intent` is `pause`; `resume`; `retry` for all failed jobs; `again`, `now` or
 * `later` for the jobs in `selected` or all jobs of the video in `video`; or `codecs` to add codecs to that video.
 */
export async function performQueue(request: Request, userId: string): Promise<Result> {
  const form = await readFields(request, MAX_FORM_BYTES);
  return orFailure(() => perform(form, userId), {
    busy: NOTHING,
    failed: "Failed to change the queue.",
  });
}

async function perform(form: FormData, userId: string): Promise<Result> {
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
  const changed = await setQueuePaused(isPaused, () => void recordActivity({ userId, action }));
  if (isPaused) {
    return toast(changed ? "Processing paused." : "Processing was already paused.");
  }
  return toast(changed ? "Processing resumed." : "Processing wasn’t paused.");
}

async function retryAll(userId: string): Promise<Result> {
  const failed = prepared<number>("SELECT id FROM jobs WHERE state = 'failed'").pluck().all();
  if (failed.length === 0) return toast("There are no failed jobs to retry.");
  return changeSelected("again", failed, userId);
}

/** The messages about jobs that were changed, and the reasons why other jobs weren't changed. */
const OUTCOMES: Record<JobChange, { done: [one: string, many: string]; refused: string }> = {
  again: {
    done: ["The job was queued again.", "queued again."],
    refused: "Only failed and completed jobs can be run again.",
  },
  now: {
    done: ["Moved to the front of the queue.", "moved to the front of the queue."],
    refused: "The job is already running or has already completed.",
  },
  later: {
    done: ["Moved to the back of the queue.", "moved to the back of the queue."],
    refused: "The job has already failed or completed.",
  },
};

async function changeSelected(
  change: JobChange,
  jobs: readonly number[],
  userId: string,
): Promise<Result> {
  const known = await transaction(() => {
    const named = namesOf(jobs);
    const changed = new Set(createJobChanger(change)({ jobs }).map(({ id }) => id));
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
  requested: number,
  { named, done }: { named: number; done: number },
): Result {
  const { done: messages, refused } = OUTCOMES[change];
  if (named === 0) {
    return failure(404, NOTHING, {
      detail: "The job is no longer in the queue. The video may have been deleted.",
    });
  }
  if (done === 0) return failure(409, NOTHING, { detail: refused });
  if (requested === 1) return toast(messages[0]);
  const rest = named - done;
  const gone = requested - named;
  return toast(
    [
      `${formatQuantity(done, "job")} ${messages[1]}`,
      rest > 0 && `${formatQuantity(rest, "job")} couldn’t be changed.`,
      gone > 0 && `${formatQuantity(gone, "job")} no longer ${gone === 1 ? "exists" : "exist"}.`,
    ]
      .filter(Boolean)
      .join(" "),
  );
}

async function changeVideo(change: JobChange, id: string, userId: string): Promise<Result> {
  if (change === "again" && !ffmpegAvailable()) {
    return failure(409, NOTHING, { detail: WITHOUT_FFMPEG });
  }
  const result = await changeVideos({ action: `convert-${change}` }, [id], userId);
  if (isRefusal(result)) return refusalFailure(result, "No video was changed.");
  if (result.gone > 0) return failure(404, GONE);
  if (result.refused.length > 0) {
    return failure(409, NOTHING, { detail: "The video has no file to process." });
  }
  if (result.done === 0) {
    return failure(409, NOTHING, { detail: "The video’s jobs are already running or completed." });
  }
  const messages: Record<JobChange, string> = {
    again: "The video was queued for re-encoding.",
    now: "The video was moved to the front of the queue.",
    later: "The video was moved to the back of the queue.",
  };
  return toast(messages[change]);
}

const NO_FURTHER_CODEC = "ENCODER_CODECS contains only h264.";

async function addCodecs(id: string, userId: string): Promise<Result> {
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
      detail: "The video has no stream to add codecs to.",
    });
  }
  const entry = { userId, action: "queue-codecs", detail: video.title, subjectId: id } as const;
  if (!(await enqueueCodecs(id, () => void recordActivity(entry)))) {
    return failure(409, NOTHING, { detail: "The codecs are already queued or being encoded." });
  }
  return toast("Queued. The codecs will be added to the stream.");
}
