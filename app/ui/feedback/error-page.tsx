import { isRouteErrorResponse, Link, useLocation, useRouteError } from "@remix-run/react";
import { LogIn } from "lucide-react";
import { createContext, type ReactNode, useContext } from "react";
import { CATEGORY_IDS, categoryLabel } from "~/shared/categories";
import { isSignedOutForm, type SignedOutForm } from "~/shared/signed-out-form";
import { ButtonLink } from "../button";
import { ResendForm } from "../forms/resend-form";

/** The categories to which the 404 page links (specification, section 2). */
const OFFERED = CATEGORY_IDS.filter((id) => ["desi", "premium", "english"].includes(id));

/** Shows any error: an unknown URL, an HTTP error with its message, or an internal error. */
export function ErrorPage() {
  const error = useRouteError();
  if (!isRouteErrorResponse(error)) return <Failure />;
  if (error.status === 404) return <NotFound />;
  if (isSignedOutForm(error.data)) return <SignedOutPage form={error.data} />;
  const message = typeof error.data === "string" && error.data ? error.data : error.statusText;
  return (
    <Frame code={String(error.status)} title={message || "Something went wrong."}>
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
      text="Try again. If it keeps happening, send us the reference so that we can find it in our log."
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

/** Replaces a studio page if its form was sent after the session had ended. */
function SignedOutPage({ form: { message, fields } }: { form: SignedOutForm }) {
  return (
    <div className="mx-auto flex max-w-lg flex-col gap-6 py-10">
      <h1 className="text-xl font-bold">Your session has ended</h1>
      <div role="alert" className="flex flex-col gap-2">
        <p className="font-semibold">{message}</p>
        <p className="text-muted">
          {fields.length > 0
            ? "Sign in in another tab, then return to this page and select Send again. Your entries are kept here."
            : "Sign in, then try again."}
        </p>
      </div>
      <div>
        <ButtonLink to="/auth" target={fields.length > 0 ? "_blank" : undefined}>
          <LogIn aria-hidden="true" className="size-4" />
          Sign In
        </ButtonLink>
      </div>
      {fields.length > 0 && <ResendForm fields={fields} />}
    </div>
  );
}

/** The failed request's reference in the log, which only the server knows. */
export const ErrorReferenceContext = createContext("");

/** In the browser, reads the reference from the page, where the layout has put it. */
export function useErrorReference(): string {
  const reference = useContext(ErrorReferenceContext);
  if (reference || typeof document === "undefined") return reference;
  return document.documentElement.dataset.errorReference ?? "";
}
