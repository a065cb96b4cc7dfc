import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { Button } from "~/ui/button";
import type { Review } from "../review/review.server";
import { usePermissions } from "../use-permissions";

const LIKE_BLOCKED =
  "Its pictures are close to those of a film on the block list. It is not published until somebody has compared the two and says that this is another film. If it is the same one, delete it.";
const UNCOMPARED =
  "Its pictures could not be compared with the block list while it was uploaded. A job does that, and releases it. Somebody who has watched it can do so before.";
const WAYS_OUT =
  "It is held until it has been compared, or until somebody has watched it and says that it is none of those films.";

/** How a video stands to the block list, with what can be done about it; nothing for most. */
export function ComparisonPanel({
  likeFilms,
  uncompared,
}: Pick<Review, "likeFilms" | "uncompared">) {
  const may = usePermissions();
  if (likeFilms.length > 0) {
    return (
      <Panel title="Looks like a film that was removed">
        <p className="text-sm text-muted">{LIKE_BLOCKED}</p>
        {may("/admin/review/:id other-film") && (
          <Form method="post">
            <input type="hidden" name="films" value={likeFilms.join(",")} />
            <Button name="intent" value="other-film" variant="secondary">
              It is another film
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
      title={failure ? "Not compared with removed films" : "Not compared with removed films yet"}
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
            {isToBePublic ? "Publish after looking" : "Release after looking"}
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
