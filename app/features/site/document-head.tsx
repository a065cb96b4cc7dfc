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

/** What marks our own inline scripts while a page is rendered; empty in the browser. */
export const NonceContext = createContext("");

export function useNonce(): string {
  return useContext(NonceContext);
}

/**
 * The title and descriptions of the page. The title is a discreet one where the visitor wants that: in
 * the server's HTML a script has written it before the first paint (FirstPaintScript), so that it
 * may differ from what the server has rendered.
 */
export function HeadTags() {
  const isDiscreet = discreetTitles.useSelected((isOn) => isOn, true);
  // Called and not rendered, because its elements take no properties from outside.
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
 * What the page shows from this browser's memory before its scripts are there, so that nothing moves
 * when they come. Marks are attributes of the root element, which styles go by:
 *
 * - `data-begun`: there is something under Continue watching.
 *
 * And the title of the page, where the visitor wants a discreet one.
 *
 * A few lines in the page's head, which run before the first paint.
 */
// The keys "player:resume" and "discreet-titles" are from before the document, which scripts migrate.
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
 * Brings back how far a page was scrolled, once for each time that one arrives at it. Remix's own does so
 * after each refresh of the page's data too, with the position at which the refresh began: who scrolls
 * meanwhile is thrown back (mended in React Router 7 by
 * https://github.com/remix-run/react-router/pull/13671). So it is shown the router's state of the arrival.
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
 * The framework's scripts, asked for once the page has been painted, which is complete without them: on a slow
 * line, and on a slow processor, a hundred kilobytes of script hold back what is seen first: the largest paint of the
 * video page took 1.6 times as long. A page that nobody sees asks for them at once, as does one that has not been
 * painted after three seconds. Waiting for the visitor's first tap instead would make that tap slow.
 *
 * Behind them comes the script that plays streams, which a link of the page names as `data-stream-module`: it is
 * as long as all of them. An iPhone, which has no media source for scripts, does not need it.
 */
export function ScriptsAfterPaint({ nonce }: { nonce: string | undefined }) {
  // Called and not rendered, because its elements take no properties from outside.
  const scripts = Scripts({ nonce }) as ReactElement | null;
  const preloads: string[] = [];
  return scripts && afterPaint(scripts, preloads);
}

/** @param preloads filled with the modules that the framework asks for first, which stand before its script. */
function afterPaint(node: ReactNode, preloads: string[]): ReactNode {
  if (Array.isArray(node)) return node.map((each) => afterPaint(each, preloads));
  if (!isValidElement<Properties>(node)) return node;
  const { rel, href, type, children, dangerouslySetInnerHTML: source } = node.props;
  if (rel === "modulepreload") {
    preloads.push(href ?? "");
    return null;
  }
  if (type === "module" && source) {
    // The browser has it from the server, and this file without what writes it.
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
 * A script that does the same as a module, later.
 *
 * @param module may import modules for what they do and as a whole.
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
