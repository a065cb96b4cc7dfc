import { cutOffSentence } from "~/shared/cut-off";
import type { UploadFailure } from "./upload-fields";

/** Shown instead of the file input when the catalogue already has the file: it need not be sent again. */
export function DuplicateNotice({
  duplicate,
}: {
  duplicate: NonNullable<UploadFailure["duplicate"]>;
}) {
  return (
    <div className="rounded-lg border border-line bg-surface p-4 text-sm">
      <input type="hidden" name="upload" value={duplicate.upload} />
      <input type="hidden" name="duplicate" value="keep" />
      <input type="hidden" name="incomplete" value="ask" />
      <p>
        The same file is already in the catalogue: <DuplicateLink duplicate={duplicate} />. Upload
        it all the same to keep both, or{" "}
        <a href="/admin" className="underline underline-offset-4">
          choose another
        </a>
        .
      </p>
    </div>
  );
}

/** Shown instead of the file input when the file ends before its film does: it need not be sent again. */
export function CutOffNotice({ cutOff }: { cutOff: NonNullable<UploadFailure["cutOff"]> }) {
  return (
    <div className="rounded-lg border border-line bg-surface p-4 text-sm">
      <input type="hidden" name="upload" value={cutOff.upload} />
      <input type="hidden" name="duplicate" value="keep" />
      <input type="hidden" name="incomplete" value="keep" />
      <p>
        {cutOffSentence(cutOff)} Upload it all the same to publish what is there, save it as a
        draft, or{" "}
        <a href="/admin" className="underline underline-offset-4">
          choose another
        </a>
        .
      </p>
    </div>
  );
}

/** Shown instead of the file input when the terms have to be accepted first: the file need not be sent again. */
export function WaitingNotice({ waiting }: { waiting: NonNullable<UploadFailure["waiting"]> }) {
  return (
    <div className="rounded-lg border border-line bg-surface p-4 text-sm">
      <input type="hidden" name="upload" value={waiting.upload} />
      <input type="hidden" name="duplicate" value="ask" />
      <input type="hidden" name="incomplete" value="ask" />
      <p className="break-words">
        <bdi className="font-medium">{waiting.fileName}</bdi> is on the server and waits for you to
        accept the terms. Or{" "}
        <a href="/admin" className="underline underline-offset-4">
          choose another
        </a>
        .
      </p>
    </div>
  );
}

/** A public video has a page; any other is found among all videos. */
export function DuplicateLink({
  duplicate,
}: {
  duplicate: { id: string; title: string; isPublic: 0 | 1 };
}) {
  const to = duplicate.isPublic
    ? `/video/${duplicate.id}`
    : `/admin?tab=manage&edit=${duplicate.id}`;
  return (
    <a href={to} className="font-medium text-accent underline underline-offset-4">
      <bdi>{duplicate.title}</bdi>
    </a>
  );
}
