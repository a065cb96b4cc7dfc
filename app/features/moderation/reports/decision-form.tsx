import { Form, useNavigation } from "@remix-run/react";
import { type RefObject, useEffect, useRef } from "react";
import type { Strikeable } from "~/features/accounts/users/strike-rules";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { TextAreaField } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import type { DecisionFailure } from "./decide.server";
import {
  DECISION_HINTS,
  DECISION_LABELS,
  type DeskDecision,
  MOST_REASON_LETTERS,
} from "./decisions";
import type { ReportPage } from "./report-page.server";
import { Decided } from "./reported-videos";

export function DecisionForm({
  page: { videos, choices, strikeable, version },
  error,
}: {
  page: ReportPage;
  error?: DecisionFailure;
}) {
  const busy = useNavigation().formData?.has("decision") ?? false;
  const form = useRef<HTMLFormElement>(null);
  useDecisionKeys(form);
  const here = videos.filter((video) => video.choices.length > 0);
  const isAnyWaiting = here.some(({ decision }) => decision === null);
  return (
    <PageSection id="decide" title="Decide">
      <Form ref={form} method="post" key={version} className="flex flex-col gap-4">
        <input type="hidden" name="version" value={version} />
        {here.length === 1 && <input type="hidden" name="video" value={here[0]?.id} />}
        {here.length > 1 && (
          <fieldset className="flex flex-col">
            <legend className="text-sm font-medium">Videos</legend>
            {here.map((video) => (
              <label
                key={video.id}
                className="flex min-h-11 items-center gap-3 text-sm wrap-anywhere"
              >
                <input
                  type="checkbox"
                  name="video"
                  value={video.id}
                  defaultChecked={video.decision === null || !isAnyWaiting}
                  className="size-5 shrink-0"
                />
                <span dir="auto" className="min-w-0">
                  {video.title || video.id}
                </span>
                <Decided video={video} />
              </label>
            ))}
            <p className="text-sm text-muted">The report closes once every video has a decision.</p>
          </fieldset>
        )}
        <fieldset className="flex flex-col gap-1">
          <legend className="text-sm font-medium">Decision</legend>
          {choices.map((decision) => (
            <label key={decision} className="flex min-h-11 items-start gap-3 py-2 text-sm">
              <input
                type="radio"
                name="decision"
                value={decision}
                required
                aria-labelledby={`decision-${decision}`}
                aria-describedby={`decision-${decision}-hint`}
                aria-keyshortcuts={DECISION_KEYS[decision]}
                className="size-5 shrink-0"
              />
              <span>
                <span id={`decision-${decision}`} className="font-medium">
                  {DECISION_LABELS[decision]}
                </span>{" "}
                <kbd className="rounded-sm border border-line px-1.5 font-mono text-xs text-muted uppercase max-md:hidden">
                  {DECISION_KEYS[decision]}
                </kbd>
                <span id={`decision-${decision}-hint`} className="block text-muted">
                  {DECISION_HINTS[decision]}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
        {choices.includes("remove") && strikeable.length > 0 && (
          <div className="text-sm">
            <label className="flex min-h-11 items-center gap-3">
              <input
                type="checkbox"
                name="strike"
                value="1"
                defaultChecked={error?.isStrike}
                aria-describedby="strike-hint"
                className="size-5 shrink-0"
              />
              <span className="font-medium">With Remove: give the uploader a strike</span>
            </label>
            <p id="strike-hint" className="pl-8 text-muted wrap-anywhere">
              {strikeable.map(strikeHint).join(" ")} They read the reason on their account page.
            </p>
          </div>
        )}
        <TextAreaField
          label="Reason"
          name="reason"
          required
          maxLength={MOST_REASON_LETTERS}
          defaultValue={error?.reason}
          hint="The reporter and the uploader both read it. Don’t name either of them."
        />
        <Button busy={busy} busyLabel="Deciding..." className="self-start">
          Decide
        </Button>
      </Form>
    </PageSection>
  );
}

function strikeHint({ email, strikes, isLast }: Strikeable): string {
  const has = `${email} has ${strikes === 0 ? "no strike" : formatQuantity(strikes, "strike")}`;
  return isLast ? `${has}: this one blocks the account.` : `${has}.`;
}

const DECISION_KEYS: Record<DeskDecision, string> = {
  hide: "h",
  keep: "k",
  remove: "r",
  restore: "b",
  "counter-notice": "c",
  "not-here": "n",
  ask: "a",
};

/** Elements in which letters are typed, and dialogs. */
const TYPING = 'input:not([type="radio"], [type="checkbox"]), select, textarea, dialog';

/** Lets letter keys choose a decision, and moves the focus to the reason. */
function useDecisionKeys(form: RefObject<HTMLFormElement>): void {
  useEffect(() => {
    const choose = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (event.target instanceof Element && event.target.closest(TYPING)) return;
      const choices = form.current?.querySelectorAll<HTMLInputElement>('input[name="decision"]');
      const chosen = [...(choices ?? [])].find(
        ({ value }) => DECISION_KEYS[value as DeskDecision] === event.key.toLowerCase(),
      );
      if (!chosen) return;
      event.preventDefault();
      chosen.checked = true;
      form.current?.querySelector("textarea")?.focus();
    };
    window.addEventListener("keydown", choose);
    return () => window.removeEventListener("keydown", choose);
  }, [form]);
}
