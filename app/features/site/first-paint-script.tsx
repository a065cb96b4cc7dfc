import { STORAGE_KEY } from "~/features/visitor/browser-storage";
import { DISCREET_TITLE } from "~/features/visitor/preferences";

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
