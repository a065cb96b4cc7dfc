import { type ReactNode, useId } from "react";
import { classNames } from "~/ui/class-names";

interface Bar {
  label: string;
  value: number;
  /** The formatted value, such as `1.50 GB`. */
  text: string;
  href?: string;
}

const COLUMN_WIDTH = 20;
const COLUMN_GAP = 6;
const PLOT_HEIGHT = 180;
const MIN_BAR = 1;

/** A chart with its title, and its data as a table. */
function Figure({
  title,
  summary,
  bars,
  headings,
  csv,
  children,
}: {
  title: string;
  /** One sentence that describes what the chart shows, also for people who can't see it. */
  summary: string;
  bars: Bar[];
  headings: [label: string, value: string];
  /** The URL of the data as CSV. */
  csv?: string;
  children: (titleId: string) => ReactNode;
}) {
  const id = useId();
  return (
    <figure className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5">
      <figcaption>
        <PanelHead id={id} title={title} lead={summary} csv={csv} />
      </figcaption>
      {children(id)}
      <details className="text-sm">
        <summary className="inline-flex min-h-11 items-center text-muted underline underline-offset-4 hover:text-ink">
          Show as table
        </summary>
        <table className="mt-2 w-full max-w-xl text-left figures" aria-labelledby={id}>
          <thead className="text-muted">
            <tr>
              <th scope="col" className="py-1.5 pr-4 font-medium">
                {headings[0]}
              </th>
              <th scope="col" className="py-1.5 text-right font-medium">
                {headings[1]}
              </th>
            </tr>
          </thead>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.href ?? bar.label} className="border-t border-line">
                <th scope="row" className="py-1.5 pr-4 font-normal">
                  {bar.href ? (
                    <a href={bar.href} className="underline hover:text-accent">
                      {bar.label}
                    </a>
                  ) : (
                    bar.label
                  )}
                </th>
                <td className="py-1.5 text-right">{bar.text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

interface Head {
  title: string;
  lead: string;
  /** The URL of the data as CSV. */
  csv?: string | undefined;
}

function PanelHead({ id, title, lead, csv }: Head & { id: string }) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4">
      <div className="min-w-0 flex-1 basis-48">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <p className="text-sm text-muted">{lead}</p>
      </div>
      {csv && (
        <a
          href={csv}
          download
          aria-label={`Download as CSV: ${title}`}
          className="-my-2 inline-flex min-h-11 min-w-11 shrink-0 items-center justify-end text-sm text-muted underline underline-offset-4 hover:text-ink"
        >
          CSV
        </a>
      )}
    </div>
  );
}

/** A panel on the statistics page that isn't a chart. */
export function Panel({ children, ...head }: Head & { children?: ReactNode }) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <PanelHead id={id} {...head} />
      {children}
    </section>
  );
}

type ChartProps = Omit<Parameters<typeof Figure>[0], "children"> & {
  format: (value: number) => string;
  unit?: number;
};

/**
 * A chart with vertical bars in chronological order and the axis values on the left. Shows `empty` if all values are 0.
 */
export function ColumnChart({ format, unit, empty, ...props }: ChartProps & { empty?: string }) {
  const { bars } = props;
  const ticks = axisTicks(Math.max(0, ...bars.map(({ value }) => value)), unit);
  const most = ticks.at(-1) ?? 1;
  const width = bars.length * (COLUMN_WIDTH + COLUMN_GAP);
  if (empty && bars.every(({ value }) => value === 0)) {
    return (
      <Figure {...props}>
        {() => <p className="py-6 text-center text-sm text-muted">{empty}</p>}
      </Figure>
    );
  }
  return (
    <Figure {...props}>
      {() => (
        <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 pt-2">
          <Axis ticks={ticks} format={format} direction="up" />
          <svg
            role="img"
            aria-label={`${props.title}. ${props.summary}`}
            viewBox={`0 0 ${width} ${PLOT_HEIGHT}`}
            preserveAspectRatio="none"
            className="h-44 w-full overflow-visible"
          >
            {ticks.map((tick) => {
              const y = PLOT_HEIGHT - (tick / most) * PLOT_HEIGHT;
              return (
                <line
                  key={tick}
                  x1={0}
                  x2={width}
                  y1={y}
                  y2={y}
                  vectorEffect="non-scaling-stroke"
                  className="stroke-line"
                />
              );
            })}
            {bars.map(({ label, value, text }, index) => {
              const height = Math.max(MIN_BAR, (value / most) * PLOT_HEIGHT);
              return (
                <rect
                  key={label}
                  x={index * (COLUMN_WIDTH + COLUMN_GAP) + COLUMN_GAP / 2}
                  y={PLOT_HEIGHT - height}
                  width={COLUMN_WIDTH}
                  height={height}
                  className={value > 0 ? "fill-accent" : "fill-line-strong"}
                >
                  <title>{`${label}: ${text}`}</title>
                </rect>
              );
            })}
          </svg>
          <div className="col-start-2 mt-1 flex justify-between text-xs text-muted figures">
            <span>{bars[0]?.label}</span>
            <span>{bars.at(-1)?.label}</span>
          </div>
        </div>
      )}
    </Figure>
  );
}

/** The values along an axis. They are hidden from screen readers, which read the table instead. */
function Axis({
  ticks,
  format,
  direction,
}: {
  ticks: number[];
  format: (value: number) => string;
  direction: "up" | "right";
}) {
  const up = direction === "up";
  return (
    <div
      aria-hidden="true"
      data-axis={direction}
      className={classNames(
        "flex justify-between text-xs text-muted figures",
        // The axis extends half a line beyond the plot at both ends, so that values align with their grid lines.
        up ? "-my-2 h-48 flex-col-reverse items-end" : "pt-1",
      )}
    >
      {ticks.map((tick, index) => (
        <span
          key={tick}
          // There isn't enough room for all values on a phone.
          className={!up && index > 0 && index < ticks.length - 1 ? "max-sm:hidden" : undefined}
        >
          {format(tick)}
        </span>
      ))}
    </div>
  );
}

/** A chart with horizontal bars, each with its label and number above it, and the axis values below. */
export function RowChart({ format, unit, empty, ...props }: ChartProps & { empty: string }) {
  const { bars } = props;
  const ticks = axisTicks(Math.max(0, ...bars.map(({ value }) => value)), unit);
  const most = ticks.at(-1) ?? 1;
  return (
    <Figure {...props}>
      {(titleId) =>
        bars.length === 0 ? (
          <p className="py-6 text-center text-sm text-muted">{empty}</p>
        ) : (
          <div>
            <ul aria-labelledby={titleId} className="flex flex-col gap-3">
              {bars.map(({ label, value, text, href }) => (
                <li key={href ?? label} className="flex flex-col gap-1 text-sm">
                  <span className="flex justify-between gap-4">
                    <span dir="auto" className="min-w-0 truncate">
                      {label}
                    </span>
                    <span className="shrink-0 text-muted figures">{text}</span>
                  </span>
                  <svg
                    aria-hidden="true"
                    viewBox="0 0 100 1"
                    preserveAspectRatio="none"
                    className="h-2 w-full overflow-hidden rounded-sm bg-raised"
                  >
                    <rect width={(value / most) * 100} height="1" className="fill-accent" />
                  </svg>
                </li>
              ))}
            </ul>
            <div className="mt-2 border-t border-line">
              <Axis ticks={ticks} format={format} direction="right" />
            </div>
          </div>
        )
      }
    </Figure>
  );
}

const STEPS = [1, 2, 5];
const MAX_STEPS = 4;

/**
 * Returns an axis's values: 0 and up to four more, evenly spaced by 1, 2 or 5 times a power of ten. The last value is
 * at least `most`.
 *
 * @param unit the smallest step, such as 1 for counts.
 */
export function axisTicks(most: number, unit = 1): number[] {
  let power = 1;
  for (;;) {
    for (const step of STEPS) {
      const size = step * power * unit;
      const steps = Math.max(1, Math.ceil(most / size));
      if (steps <= MAX_STEPS) return Array.from({ length: steps + 1 }, (_, index) => index * size);
    }
    power *= 10;
  }
}

const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;

/**
 * Returns the smallest step for an axis in bytes: a tenth of the unit in which the axis's largest value is displayed.
 */
export function byteUnit(most: number): number {
  return (most >= GIBIBYTE ? GIBIBYTE : MEBIBYTE) / 10;
}
