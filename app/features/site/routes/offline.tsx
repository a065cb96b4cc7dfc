import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { WifiOff } from "lucide-react";
import { pageMeta } from "~/features/catalogue/page-meta";
import { siteIdentity } from "~/platform/site-origin.server";
import { buttonClass } from "~/ui/button";
import { useNonce } from "../document-head";

/** The service worker stores this page without its scripts. */
export const handle = { withoutScripts: true };

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: "You're offline",
        description: "Shown instead of other pages when there is no connection.",
        path: "/offline",
        noindex: true,
      })
    : [];

export function loader({ request }: LoaderFunctionArgs) {
  return { site: siteIdentity(request) };
}

/**
 * The page shown at a URL that couldn't be loaded. The script shows whether the browser is offline or the site is
 * unreachable, and reloads the page when the site may be reachable again.
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
        text="You need to be online to see this page. It will reload when you’re back."
      />
      <Reason
        id="unreachable"
        title="The site is unavailable"
        text="You’re online, but the site isn’t responding. This page will reload when it’s back."
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
