/**
 * Case folding for search and related videos.
 *
 * SQLite's FTS5 index defines the rule: each code point is replaced by its lowercase form in Unicode 6.1, using the
 * table below. This differs from `toLowerCase` in three ways: no character becomes two (İ stays), variants become their
 * base letter (ς to σ, ſ to s, ϐ to β), and letters whose lowercase form was added in a later version (Cherokee,
 * Georgian capitals) stay unchanged.
 *
 * Each entry of the table consists of the first code point, the number of code points that follow (only every second
 * one if there is a `/`), and the distance to the folded code point, in base 36.
 */
const RUNS = `
  1t,p,w 51,,lj 5c,m,w 60,6,w 74,n/,1 8i,2/,1 8p,7/,1 96,m/,1 ag,,-3d ah,2/,1 an,,-7g ap,,5u
  aq,1/,1 au,,5q av,,1 ax,1,5p az,,1 b2,,27 b3,,5m b4,,5n b5,,1 b7,,5p b8,,5r ba,,5v bb,,5t
  bc,,1 bg,,5v bh,,5x bj,,5y bk,2/,1 bq,,62 br,,1 bt,,62 bw,,1 by,,62 bz,,1 c1,1,61 c3,1/,1
  c7,,63 c8,,1 cc,,1 ck,,2 cl,,1 cn,,2 co,,1 cq,,2 cr,8/,1 da,8/,1 dt,,2 du,1/,1 dy,,-2p
  dz,,-1k e0,j/,1 f4,,-3m f6,8/,1 fu,,8bv fv,,1 fx,,-4j fy,,8bs g1,,1 g3,,-5f g4,,1x g5,,1z
  g6,4/,1 n9,,38 og,1/,1 om,,1 p2,,12 p4,2,11 p8,,1s pa,1,1r pd,g,w pv,8,w qq,,1 r3,,8 r4,,-u
  r5,,-p r9,,-f ra,,-m rc,b/,1 s0,,-1i s1,,-1c s4,,-1o s5,,-1s s7,,1 s9,,-7 sa,,1 sd,2,-3m
  sg,f,28 sw,v,w v4,g/,1 wa,q/,1 xs,,f xt,6/,1 y8,17/,1 10x,11,1c 3a8,11,5ls 3bb,,5ls 3bh,,5ls
  5xc,22/,1 61n,,-1m 61q,,-5vj 61s,1b/,1 64o,7,-8 654,5,-8 65k,7,-8 660,7,-8 66g,5,-8
  66x,3/,-8 67c,7,-8 688,7,-8 68o,7,-8 694,7,-8 69k,1,-8 69m,1,-22 69o,,-9 69q,,-5j9 6a0,3,-2e
  6a4,,-9 6ag,1,-8 6ai,1,-2s 6aw,1,-8 6ay,1,-34 6b0,,-7 6bc,1,-3k 6be,1,-3i 6bg,,-9 6jq,,-5st
  6ju,,-6gv 6jv,,-6di 6k2,,s 6lc,f,g 6mb,,1 792,p,q 8ow,1a,1c 8rk,,1 8rm,,-8af 8rn,,-2xy
  8ro,,-89z 8rr,2/,1 8rx,,-8bg 8ry,,-8al 8rz,,-8bj 8s0,,-8bi 8s2,,1 8s5,,1 8se,1,-8cf
  8sg,1d/,1 8vf,1/,1 8vm,,1 wu8,m/,1 ww0,b/,1 x0i,6/,1 x0y,u/,1 x2x,1/,1 x31,,-r9g x32,4/,1
  x3f,,1 x3h,,-wmg x3k,1/,1 x40,4/,1 x4a,,-wn8 1ee9,p,w 1eke,,-1 1ekf,,-2 1fcw,13,14
`;

const folded = new Map<string, string>();
for (const run of RUNS.trim().split(/\s+/)) {
  const [first = "", following = "", distance = ""] = run.split(",");
  const step = following.endsWith("/") ? 2 : 1;
  const start = Number.parseInt(first, 36);
  const last = start + step * (Number.parseInt(following, 36) || 0);
  for (let code = start; code <= last; code += step) {
    folded.set(
      String.fromCodePoint(code),
      String.fromCodePoint(code + Number.parseInt(distance, 36)),
    );
  }
}

/** Folds the case of a string for comparison. The number of code points doesn't change. */
export function fold(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text, (character) => folded.get(character) ?? character).join("");
}
