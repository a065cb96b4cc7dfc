import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { usePermissions } from "~/features/permissions/use-permissions";
import { Button } from "~/ui/button";
import type { Review } from "./review.server";

const LIKE_BLOCKED =
  "Its frames closely match a video on the block list. It stays on hold until an editor compares the two. If it is the same video, delete it. If not, mark it as different.";
const UNCOMPARED =
  "It hasn’t been compared with the block list yet. It is released automatically if nothing matches. An editor who has watched it can release it now.";
const WAYS_OUT =
  "It stays on hold until the comparison succeeds, or until an editor has watched it and releases it.";

/** The result of comparing a video with the block list, with the actions for it; nothing for most videos. */
export function ComparisonPanel({
  likeFilms,
  uncompared,
}: Pick<Review, "likeFilms" | "uncompared">) {
  const may = usePermissions();
  if (likeFilms.length > 0) {
    return (
      <Panel title="Looks like a removed video">
        <p className="text-sm text-muted">{LIKE_BLOCKED}</p>
        {may("/admin/review/:id other-film") && (
          <Form method="post">
            <input type="hidden" name="films" value={likeFilms.join(",")} />
            <Button name="intent" value="other-film" variant="secondary">
              Mark as different
            </Button>
          </Form>
        )}
      </Panel>
    );
  }
  if (!uncompared) return null;
  const { failure, isToBePublic } = uncompared;
  return (
    <Panel
      title={failure ? "Not compared with removed videos" : "Not compared with removed videos yet"}
    >
      {failure && (
        <p className="wrap-anywhere">
          Could not be compared: {failure.why} {failure.advice}
        </p>
      )}
      <p className="text-sm text-muted">{failure ? WAYS_OUT : UNCOMPARED}</p>
      {may("/admin/review/:id release-uncompared") && (
        <Form method="post" className="flex flex-wrap gap-3">
          {failure && (
            <Button name="intent" value="compare-again">
              Compare again
            </Button>
          )}
          <Button name="intent" value="release-uncompared" variant="secondary">
            {isToBePublic ? "Publish without comparison" : "Release without comparison"}
          </Button>
        </Form>
      )}
    </Panel>
  );
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-labelledby="comparison"
      className="mb-3 flex flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <h3 id="comparison" className="font-semibold">
        {title}
      </h3>
      {children}
    </section>
  );
}
