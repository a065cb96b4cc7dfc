import { describe, expect, it } from "vitest";
import { REPORT, type Span, union, watchedReport } from "~/shared/statistics/watched-parts";

/** Returns the indexes of the parts that count as watched. */
function parts(spans: Span[], duration: number): number[] | undefined {
  const report = watchedReport(spans, duration);
  if (report === undefined) return undefined;
  expect(report).toMatch(REPORT);
  return [...report].flatMap((digit, part) => (digit === "1" ? [part] : []));
}
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe("watched parts", () => {
  it("each cover 5% of the video, including the last one", () => {
    expect(parts([[0, 100]], 100)).toEqual(range(0, 19));
    expect(parts([[0, 25]], 100)).toEqual(range(0, 4));
    expect(parts([[95, 100]], 100)).toEqual([19]);
  });

  it("count only if at least half of the part was played", () => {
    expect(parts([[0, 2.4]], 100)).toEqual([]);
    expect(parts([[0, 2.5]], 100)).toEqual([0]);
    expect(parts([[7.4, 12.6]], 100)).toEqual([1, 2]);
  });

  it("don't include brief stops while seeking, and add up the pieces of a part", () => {
    const stops: Span[] = range(0, 19).map((part) => [part * 60, part * 60 + 1]);
    expect(parts(stops, 1_200)).toEqual([]);
    expect(
      parts(
        [
          [0, 15],
          [30, 45],
          [200, 200],
        ],
        1_200,
      ),
    ).toEqual([0]);
  });

  it("count repeated spans once, whatever their order", () => {
    expect(
      union([
        [5, 9],
        [0, 4],
        [4, 6],
        [2, 3],
        [20, 20],
        [12, 13],
      ]),
    ).toEqual([
      [0, 9],
      [12, 13],
    ]);
    expect(
      parts(
        [
          [0, 2],
          [0, 2],
          [1, 2],
        ],
        100,
      ),
    ).toEqual([]);
  });

  it("don't depend on the playback speed, because they are positions in the video", () => {
    expect(parts([[0, 50]], 100)).toEqual(
      parts(
        range(0, 49).map((at) => [at, at + 1]),
        100,
      ),
    );
  });

  it("can be determined for a one-second video and for a six-hour video", () => {
    expect(parts([[0, 0.52]], 1)).toEqual(range(0, 9));
    expect(parts([[0, 0.04]], 0.04)).toEqual(range(0, 19));
    expect(parts([[21_000, 21_600]], 21_600)).toEqual([19]);
  });

  it("ignore positions outside the video", () => {
    expect(parts([[95, 1_000_000]], 100)).toEqual([19]);
    expect(parts([[-50, 3]], 100)).toEqual([0]);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    "are unknown if the length is %s",
    (duration) => expect(parts([[0, 10]], duration)).toBeUndefined(),
  );

  it("are unknown if nothing was played", () => {
    expect(parts([], 100)).toBeUndefined();
    expect(
      parts(
        [
          [3, 3],
          [5, 4],
        ],
        100,
      ),
    ).toBeUndefined();
  });
});
