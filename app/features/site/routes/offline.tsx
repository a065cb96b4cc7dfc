import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { WifiOff } from "lucide-react";
import { pageMeta } from "~/features/catalogue/page-meta";
import { siteIdentity } from "~/platform/site-origin.server";
import { buttonClass } from "~/ui/button";
import { useNonce } from "../document-head";

/** Stored by the service worker, which has none of the scripts that a page needs. */
export const handle = { withoutScripts: true };

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: "You're offline",
        description: "The page that stands in for others without a connection.",
        path: "/offline",
        noindex: true,
      })
    : [];

export function loader({ request }: LoaderFunctionArgs) {
  return { site: siteIdentity(request) };
}

/**
 * Shown at the address that was asked for, when it could not be reached. Whether that is for want of a
 * connection, only the browser knows; it reloads when the address may be reached again.
 */
const SCRIPT = `(function(){
function show(){var on=navigator.onLine;
document.getElementById("offline").hidden=on;document.getElementById("unreachable").hidden=!on}
function reload(){location.reload()}
function ask(){fetch("/healthz",{method:"HEAD",cache:"no-store"}).then(function(answer){if(answer.ok)reload()},show)}
show();
addEventListener("online",ask);addEventListener("offline",show);
document.querySelectorAll("main button").forEach(function(button){button.addEventListener("click",reload)});
if(location.pathname!="/offline")setInterval(ask,10000);
})()`;

export default function Offline() {
  const nonce = useNonce();
  return (
    <div className="py-10">
      <Reason
        id="offline"
        title="You're offline"
        text="This page needs a connection. It opens by itself when there is one again."
      />
      <Reason
        id="unreachable"
        title="The site could not be reached"
        text="You have a connection, but the site does not answer. This page opens by itself when it does again."
        hidden
      />
      <script nonce={nonce} dangerouslySetInnerHTML={{ __html: SCRIPT }} />
    </div>
  );
}

function Reason({
  id,
  title,
  text,
  hidden,
}: {
  id: string;
  title: string;
  text: string;
  hidden?: boolean;
}) {
  return (
    <section id={id} hidden={hidden} className="mx-auto max-w-md px-4 py-16 text-center">
      <WifiOff aria-hidden="true" className="mx-auto size-10 text-muted" />
      <h1 className="mt-5 text-xl font-bold">{title}</h1>
      <p className="mt-3 mb-8 text-muted">{text}</p>
      <button type="button" className={buttonClass()}>
        Try again
      </button>
    </section>
  );
}
