import { Meta, ScrollRestoration as RemixScrollRestoration, Scripts } from "@remix-run/react";
import {
  cloneElement,
  createContext,
  Fragment,
  isValidElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useState,
} from "react";
import { UNSAFE_DataRouterStateContext as RouterState } from "react-router";
import { STORAGE_KEY } from "~/features/visitor/browser-storage";
import { DISCREET_TITLE, discreetTitles } from "~/features/visitor/preferences";

/** The CSP nonce for our inline scripts during server rendering; empty in the browser. */
export const NonceContext = createContext("");

export function useNonce(): string {
  return useContext(NonceContext);
}

/**
 * The page's title and meta tags, with a discreet title if the visitor wants one. In that case, FirstPaintScript has
 * already replaced the title before hydration, so it may differ from the server's HTML.
 */
export function HeadTags() {
  const isDiscreet = discreetTitles.useSelected((isOn) => isOn, true);
  // The component is called rather than rendered, so that its elements can be modified.
  const tags = Meta() as ReactElement<{ children: ReactNode[] }>;
  return cloneElement(
    tags,
    undefined,
    ...tags.props.children.map((tag) =>
      isValidElement<{ children: ReactNode }>(tag) && tag.type === "title"
        ? cloneElement(
            tag as ReactElement,
            { suppressHydrationWarning: true },
            isDiscreet ? DISCREET_TITLE : tag.props.children,
          )
        : tag,
    ),
  );
}

/**
 * Applies data from this browser's storage before the first paint, so that the layout doesn't shift on hydration. The
 * script consists of a few lines in the page's head. It sets:
 *
 * - `data-begun` on the root element, for the styles, if there are videos under Continue watching,
 * - the page title, if the visitor wants a discreet one.
 */
// "player:resume" and "discreet-titles" are the keys under which the data was stored before there was a single
// document. The data is migrated after hydration.
const SCRIPT = `(function(h){
function stored(k){try{return JSON.parse(localStorage.getItem(k))}catch(e){}}
function field(f,k){var d=stored(${JSON.stringify(STORAGE_KEY)});return d&&d[f]!==undefined?d[f]:stored(k)}
var begun=field("resume","player:resume");
if(Array.isArray(begun)&&begun.some(function(p){return Array.isArray(p)&&typeof p[0]=="string"&&typeof p[1]=="number"}))h.dataset.begun="";
if(field("discreetTitles","discreet-titles")===true)document.title=${JSON.stringify(DISCREET_TITLE)};
})(document.documentElement)`;

export function FirstPaintScript({ nonce }: { nonce: string | undefined }) {
  return (
    <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: SCRIPT }} />
  );
}

/**
 * Restores the scroll position once per navigation. Remix's own component also does so after each revalidation, with
 * the scroll position from the start of the revalidation, which undoes any scrolling in the meantime (fixed in React
 * Router 7 by https://github.com/remix-run/react-router/pull/13671). This component therefore passes it the router
 * state from the time of the navigation instead of the current one.
 */
export function ScrollRestoration({ nonce }: { nonce?: string }) {
  const state = useContext(RouterState);
  const [arrival, setArrival] = useState(state);
  if (arrival?.location !== state?.location) setArrival(state);
  return (
    <RouterState.Provider value={arrival}>
      <RemixScrollRestoration nonce={nonce} />
    </RouterState.Provider>
  );
}

/**
 * Loads the framework's scripts only after the first paint. The page is complete without them, and on a slow connection
 * or CPU, a hundred kilobytes of script would delay the first paint. A hidden page loads the scripts immediately, and a
 * page that hasn't been painted loads them after three seconds.
 *
 * hls.js, whose URL is in the `data-stream-module` attribute of a link on the page, is loaded after them, because it is
 * as large as all of them together. An iPhone, which has no Media Source Extensions, doesn't need it.
 */
export function ScriptsAfterPaint({ nonce }: { nonce: string | undefined }) {
  // The component is called rather than rendered, so that its elements can be modified.
  const scripts = Scripts({ nonce }) as ReactElement | null;
  const preloads: string[] = [];
  return scripts && afterPaint(scripts, preloads);
}

/**
 * Returns the framework's elements without module preloads and with a deferred script.
 *
 * @param preloads filled with the URLs of the module preloads, which precede the script.
 */
function afterPaint(node: ReactNode, preloads: string[]): ReactNode {
  if (Array.isArray(node)) return node.map((each) => afterPaint(each, preloads));
  if (!isValidElement<Properties>(node)) return node;
  const { rel, href, type, children, dangerouslySetInnerHTML: source } = node.props;
  if (rel === "modulepreload") {
    preloads.push(href ?? "");
    return null;
  }
  if (type === "module" && source) {
    // The browser receives the script in the server's HTML, so the client bundle doesn't contain the code that writes
    // it.
    const __html = import.meta.env.SSR ? importAfterPaint(source.__html, preloads) : "";
    return cloneElement(node, { type: undefined, dangerouslySetInnerHTML: { __html } });
  }
  if (node.type !== Fragment) return node;
  return cloneElement(
    node,
    undefined,
    ...[children].flat().map((each) => afterPaint(each, preloads)),
  );
}

interface Properties {
  rel?: string;
  href?: string;
  type?: string;
  children?: ReactNode;
  dangerouslySetInnerHTML?: { __html: string };
}

/**
 * Returns a classic script that does the same as a module, after the first paint.
 *
 * @param module may contain side-effect imports and namespace imports.
 */
export function importAfterPaint(module: string, preloads: readonly string[]): string {
  const late = module
    .replace(/import \* as (\w+) from ("[^"]+")/g, "const $1 = await import($2)")
    .replace(/import ("[^"]+")/g, "await import($1)");
  return `((load) => {
  let loads;
  const once = () => { loads ??= load(); };
  setTimeout(once, document.hidden ? 0 : 3000);
  new PerformanceObserver(once).observe({ type: "paint", buffered: true });
})(async () => {
  const stream = "MediaSource" in window && document.querySelector("[data-stream-module]");
  for (const href of [...${JSON.stringify(preloads)}, ...(stream ? [stream.dataset.streamModule] : [])])
    document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", fetchPriority: "low", href }));
  ${late}
})`;
}
