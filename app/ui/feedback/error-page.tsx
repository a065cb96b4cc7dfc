import { isRouteErrorResponse, Link, useLocation, useRouteError } from "@remix-run/react";
import type { ReactNode } from "react";
import { CATEGORY_IDS, categoryLabel } from "~/shared/categories";
import { isSignedOutForm } from "~/shared/signed-out-form";
import { ButtonLink } from "../button";
import { useErrorReference } from "./error-reference";
import { SignedOutPage } from "./signed-out-page";

/** The categories that the 404 page leads to (specification, section 2). */
const OFFERED = CATEGORY_IDS.filter((id) => ["desi", "premium", "english"].includes(id));

/** Whatever went wrong: an unknown address, an HTTP error with its sentence, or a failure of ours. */
export function ErrorPage() {
  const error = useRouteError();
  if (!isRouteErrorResponse(error)) return <Failure />;
  if (error.status === 404) return <NotFound />;
  if (isSignedOutForm(error.data)) return <SignedOutPage form={error.data} />;
  const sentence = typeof error.data === "string" && error.data ? error.data : error.statusText;
  return (
    <Frame code={String(error.status)} title={sentence || "That did not work."}>
      <ButtonLink to="/">Go to Home</ButtonLink>
    </Frame>
  );
}

/** The 404 page. */
function NotFound() {
  return (
    <Frame
      code="404"
      title="Page not found"
      text="The page you're looking for doesn't exist or has been moved."
    >
      <div className="flex flex-wrap justify-center gap-3">
        <ButtonLink to="/">Go to Home</ButtonLink>
        <ButtonLink to="/trending" variant="secondary">
          Trending
        </ButtonLink>
      </div>
      <nav aria-label="Categories" className="mt-6 text-sm text-muted">
        <p>Or browse a category:</p>
        <ul className="mt-2 flex flex-wrap justify-center gap-x-2">
          {OFFERED.map((id) => (
            <li key={id}>
              <Link
                to={`/categories/${id}`}
                className="inline-flex min-h-11 items-center px-2 text-accent underline underline-offset-4"
              >
                {categoryLabel(id)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </Frame>
  );
}

function Failure() {
  const reference = useErrorReference();
  const { pathname, search } = useLocation();
  return (
    <Frame
      code="500"
      title="Something went wrong on our side"
      text="Trying again often helps. If it does not, tell us the reference and we find it in our log."
    >
      {reference && (
        <p className="mb-6 text-sm text-muted">
          Reference <code className="font-mono text-ink">{reference}</code>
        </p>
      )}
      <div className="flex flex-wrap justify-center gap-3">
        <ButtonLink to={`${pathname}${search}`} reloadDocument>
          Try again
        </ButtonLink>
        <ButtonLink to="/" variant="secondary" reloadDocument>
          Go to Home
        </ButtonLink>
      </div>
    </Frame>
  );
}

function Frame({
  code,
  title,
  text,
  children,
}: {
  code: string;
  title: string;
  text?: string;
  children: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-lg flex-col items-center py-16 text-center md:py-24">
      <p aria-hidden="true" className="text-xl font-bold text-accent figures">
        {code}
      </p>
      <h1 className="mt-2 text-xl font-bold">{title}</h1>
      {text && <p className="mt-3 text-muted">{text}</p>}
      <div className="mt-8">{children}</div>
    </div>
  );
}
