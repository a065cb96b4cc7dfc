import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { pageMeta } from "~/features/catalogue/page-meta";
import { StaticPage } from "~/features/site/static-page";
import { siteIdentity } from "~/platform/site-origin.server";
import { KIND_LABELS } from "../reports/decisions";
import { readTransparency } from "../transparency.server";
import type { Period } from "../transparency-figures.server";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: "Transparency",
        description: `How many reports ${data.site.name} received, what was decided, and how long it took.`,
        path: "/transparency",
      })
    : [];

export async function loader({ request }: LoaderFunctionArgs) {
  return { site: siteIdentity(request), ...(await readTransparency()) };
}

export default function TransparencyPage() {
  const { site, periods } = useLoaderData<typeof loader>();
  return (
    <StaticPage
      title="Transparency"
      lead={`How many reports ${site.name} received, what was decided, and how long it took. Names aren’t published.`}
    >
      <p>
        Anyone can <Link to="/dmca">report a video</Link> without an account. Reports about possible
        minors or missing consent are decided within 48 hours. These figures are also available as
        JSON:{" "}
        <a href="/transparency.json" type="application/json">
          transparency.json
        </a>
        .
      </p>
      {periods.length === 0 && <p>No reports yet.</p>}
      {periods.map((period) => (
        <section key={period.period} aria-labelledby={period.period}>
          <h2 id={period.period}>{periodName(period.period)}</h2>
          <Figures period={period} />
        </section>
      ))}
    </StaticPage>
  );
}

function Figures({ period }: { period: Period }) {
  const received = Object.entries(KIND_LABELS).map(
    ([kind, label]) => [label, period.received[kind as keyof typeof KIND_LABELS] ?? 0] as const,
  );
  const total = received.reduce((sum, [, count]) => sum + count, 0);
  const rows: (readonly [name: string, value: number | string])[] = [
    ...received.filter(([, count]) => count > 0),
    ["Open", period.open],
    ["Closed: video kept", period.kept],
    ["Closed: video removed", period.removed],
    ["Closed: video restored", period.restored],
    ["Withdrawn by the reporter", period.withdrawn],
    ["Median time to decision", formatHours(period.medianHours)],
    ["Videos hidden automatically", period.videosHiddenAtOnce],
    ["Videos hidden by moderators", period.videosHidden],
    ["Videos removed", period.videosRemoved],
    ["Videos restored", period.videosReinstated],
  ];
  return (
    <table className="w-full text-left text-sm figures">
      <tbody>
        {[["Reports received", total] as const, ...rows].map(([name, value], index) => (
          <tr key={name} className="border-b border-line">
            <th
              scope="row"
              className={index === 0 ? "py-2 font-semibold" : "py-2 font-normal text-muted"}
            >
              {name}
            </th>
            <td className="py-2 text-right">
              {typeof value === "number" ? value.toLocaleString("en") : value}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns a quarter's name, such as `2026, 4th quarter`. */
function periodName(period: string): string {
  const [year, quarter] = period.split("-Q");
  return `${year}, ${["1st", "2nd", "3rd", "4th"][Number(quarter) - 1]} quarter`;
}

function formatHours(value: number | null): string {
  if (value === null) return "No decisions yet";
  return value < 72
    ? `${value} ${value === 1 ? "hour" : "hours"}`
    : `${Math.round(value / 24)} days`;
}
