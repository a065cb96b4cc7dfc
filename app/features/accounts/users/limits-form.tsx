import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/forms/field";
import type { ListedUser, UploaderLimits } from "../user-list.server";
import { GIGABYTE, type TypedLimits } from "./limits";

/** The limits of an uploader. What was typed is shown again if it is refused. */
export function LimitsForm({
  user,
  ofSite,
  typed,
  error,
}: {
  user: ListedUser;
  /** The limits of the settings, for placeholders. */
  ofSite: UploaderLimits;
  typed?: TypedLimits;
  error?: string;
}) {
  const { limits } = user;
  const shown = typed ?? textsOf(limits);
  const defaults = textsOf(ofSite);
  const isLimited = Object.values(limits).some((limit) => limit !== null);
  return (
    <details className="w-full" open={typed !== undefined}>
      <summary className="inline-flex min-h-11 cursor-pointer items-center text-sm text-muted hover:text-ink">
        {isLimited ? "Upload limits (custom)" : "Upload limits"}
        <span className="sr-only">{` of ${user.email}`}</span>
      </summary>
      <Form
        method="post"
        action="/admin/users"
        preventScrollReset
        // A refresh shows what another owner has saved in the meantime.
        key={JSON.stringify(shown)}
        className="flex flex-col gap-3 pb-2"
      >
        <input type="hidden" name="id" value={user.id} />
        <p className="text-sm text-muted">
          Leave a field blank to use the site’s limit. Enter 0 for no limit.
        </p>
        <div className="grid gap-3 sm:max-w-2xl sm:grid-cols-3">
          {(
            [
              ["gigabytes", "Storage in GB", "decimal"],
              ["videosPerDay", "Videos in 24 hours", "numeric"],
              ["queuedJobs", "Queued jobs", "numeric"],
            ] as const
          ).map(([name, label, inputMode]) => (
            <Field
              key={name}
              label={label}
              name={name}
              inputMode={inputMode}
              autoComplete="off"
              defaultValue={shown[name]}
              placeholder={defaults[name] ? `Site: ${defaults[name]}` : "Site: no limit"}
            />
          ))}
        </div>
        {error && (
          <p role="alert" className="text-sm text-bad">
            {error}
          </p>
        )}
        <div>
          <Button name="intent" value="limits" variant="secondary" size="sm">
            Save limits<span className="sr-only">{` of ${user.email}`}</span>
          </Button>
        </div>
      </Form>
    </details>
  );
}

function textsOf({ maxBytes, maxVideosPerDay, maxQueuedJobs }: UploaderLimits): TypedLimits {
  return {
    gigabytes: maxBytes === null ? "" : String(Number((maxBytes / GIGABYTE).toFixed(3))),
    videosPerDay: maxVideosPerDay === null ? "" : String(maxVideosPerDay),
    queuedJobs: maxQueuedJobs === null ? "" : String(maxQueuedJobs),
  };
}
