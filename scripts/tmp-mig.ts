import { catalogueDatabase } from "./bench/catalogue-database";
import { openSqlite } from "~db/client.server";
let a=performance.now(); const f=catalogueDatabase(1_000_000); console.log('migrated', performance.now()-a);
const s=openSqlite(f);
for (const n of ["age","views","title","length","size"]) { a=performance.now(); console.log(n, s.prepare(`select count(distinct key||id) segs, count(*) n, sum(videos) v, max(videos) m from managed_by_${n}`).get(), performance.now()-a); }
