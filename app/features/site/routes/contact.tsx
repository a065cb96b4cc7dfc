import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { pageMeta } from "~/features/catalogue/page-meta";
import { contactEmail } from "~/platform/contact-email.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { ContactForm, readContactForm } from "../contact-form";
import { StaticPage } from "../static-page";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: "Contact",
        description: `How to reach the people behind ${data.site.name}. We answer within 1 to 2 business days.`,
        path: "/contact",
      })
    : [];

export function loader({ request }: LoaderFunctionArgs) {
  return { site: siteIdentity(request), email: contactEmail(request) };
}

/**
 * Handles the form if JavaScript isn't available: returns the validation errors, or the message for a prefilled email.
 */
export async function action({ request }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  const result = readContactForm(await readSmallForm(request));
  return data(result, { status: Object.keys(result.errors).length > 0 ? 422 : 200 });
}

export default function Contact() {
  const { email } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  return (
    <StaticPage title="Contact" lead="We answer within 1 to 2 business days.">
      <p>
        Write to <a href={`mailto:${email}`}>{email}</a>, or use the form below. The form doesn’t
        send anything. It prepares an email that you send yourself.
      </p>
      <p>
        To have content removed, see the <Link to="/dmca">DMCA page</Link>.
      </p>
      <div className="pt-4">
        <ContactForm email={email} fromServer={result} />
      </div>
    </StaticPage>
  );
}
