import { useEffect, useState } from "react";
import { NO_SCHEDULE, type TypedSchedule } from "~/features/visibility/schedule";
import { MomentField } from "~/ui/forms/moment-field";

const STORAGE_KEY = "upload-schedule";

/**
 * When what is uploaded is published and hidden by itself; folded, since most is published at once.
 * What is typed is here again after a reload, as the texts of the form are (`use-saved-texts.ts`): they
 * are fields of the form, but the time that is shown is none.
 */
export function UploadSchedule({
  typed,
  wrong,
  isFresh,
}: {
  /** What the fields begin with. */
  typed: TypedSchedule;
  wrong: Partial<TypedSchedule>;
  /** Nothing of it was sent before, so what is saved may replace it. */
  isFresh: boolean;
}) {
  const [shown, setShown] = useState<TypedSchedule>(typed);
  const [current, setCurrent] = useState<TypedSchedule>(typed);
  const [isOpen, setIsOpen] = useState(hasTime(typed));
  useEffect(() => {
    const saved = isFresh ? readSaved() : undefined;
    if (!saved) return;
    setShown(saved);
    setCurrent(saved);
    setIsOpen(true);
  }, [isFresh]);
  const isWrong = Boolean(wrong.publishAt ?? wrong.unpublishAt);
  const set = (name: keyof TypedSchedule) => (moment: string) => {
    const next = { ...current, [name]: moment };
    setCurrent(next);
    if (hasTime(next)) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(next));
    else forgetSchedule();
  };
  return (
    <details open={isOpen || isWrong} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="inline-flex min-h-11 items-center text-sm text-muted underline underline-offset-4 hover:text-ink">
        Publish later, or hide at a time
      </summary>
      <div key={JSON.stringify(shown)} className="grid grid-cols-1 gap-5 pt-1 xl:grid-cols-2">
        <MomentField
          label="Publish at"
          name="publishAt"
          value={shown.publishAt}
          hint="A draft until then. Empty: as the button says."
          error={wrong.publishAt}
          onMoment={set("publishAt")}
        />
        <MomentField
          label="Hide at"
          name="unpublishAt"
          value={shown.unpublishAt}
          hint="Empty: never."
          error={wrong.unpublishAt}
          onMoment={set("unpublishAt")}
        />
      </div>
    </details>
  );
}

/** Deletes what is saved, once it is sent or discarded. */
export function forgetSchedule(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

const hasTime = ({ publishAt, unpublishAt }: TypedSchedule) => Boolean(publishAt || unpublishAt);

function readSaved(): TypedSchedule | undefined {
  try {
    const saved: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null");
    if (typeof saved !== "object" || saved === null) return undefined;
    const { publishAt, unpublishAt } = { ...NO_SCHEDULE, ...saved };
    return { publishAt: String(publishAt), unpublishAt: String(unpublishAt) };
  } catch {
    return undefined;
  }
}
