import { Link } from "@remix-run/react";
import { Time } from "~/ui/time";
import type { AcceptedTerms } from "./terms";

/** Which terms were accepted for a video; nothing where none were ever written. */
export function AcceptedLine({ accepted }: { accepted: AcceptedTerms[] | undefined }) {
  if (!accepted) return null;
  if (accepted.length === 0) {
    return (
      <p className="text-sm text-muted">
        No terms were accepted for it: it came when nobody asked for them, or another program
        entered it.
      </p>
    );
  }
  return (
    <ul aria-label="Accepted terms" className="text-sm text-muted wrap-anywhere figures">
      {accepted.map(({ version, subject, by, at }) => (
        <li key={at + subject}>
          <Link
            to={`/admin/terms?version=${version}`}
            className="inline-flex min-h-11 items-center underline underline-offset-4"
          >
            {`Uploaders' terms, version ${version}`}
          </Link>
          {subject === "file" ? ", for another file, accepted by " : ", accepted by "}
          {by ?? "a deleted account"}, <Time value={at} />
        </li>
      ))}
    </ul>
  );
}
