import { SiteProcess } from "../site-process";
import { median, type Report } from "./report";

const SIGN_INS_PER_SECOND = 200;
const SECONDS = 10;
const POLL_EVERY_MS = 50;
const MOST_HOME_P95_MS = 250;

/**
 * Failing sign-ins, each from an address and for an account of its own, so that no limit of either
 * stops them, and how the home page answers meanwhile.
 */
export async function run(report: Report): Promise<void> {
  // Behind a proxy, or so the site believes: then the addresses of X-Forwarded-For count.
  const site = new SiteProcess({ PUBLIC_URL: "https://videos.example" });
  try {
    await site.start();
    await home(site, 1);
    const idle = await home(site, 2);
    const [busy, statuses] = await Promise.all([home(site, SECONDS), flood(site)]);
    report.figure("sign-ins sent", statuses.length, `in ${SECONDS} s`);
    for (const status of [...new Set(statuses)].sort()) {
      report.figure(`answered ${status}`, statuses.filter((each) => each === status).length, "");
    }
    report.figure("home page, idle: median", median(idle), "ms");
    report.figure("home page, during: median", median(busy), "ms");
    report.atMost("home page, during: p95", percentile(busy, 0.95), MOST_HOME_P95_MS, "ms");
    report.atLeast("home pages answered during", busy.length, SECONDS * 2);
  } finally {
    await site.remove();
  }
}

/** Milliseconds of each answer of the home page, asked for one after the other. */
async function home(site: SiteProcess, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const from = performance.now();
    // An address of its own each time, so that no cached page answers.
    const answer = await fetch(`${site.url}/?search=${times.length}`);
    await answer.text();
    if (answer.status !== 200) throw new Error(`The home page answered ${answer.status}.`);
    times.push(performance.now() - from);
    await new Promise((next) => setTimeout(next, POLL_EVERY_MS));
  }
  return times;
}

/** Sends at an even pace whether or not the site keeps up; the statuses of all answers. */
async function flood(site: SiteProcess): Promise<number[]> {
  const answers: Promise<number>[] = [];
  const from = performance.now();
  for (let sent = 0; sent < SIGN_INS_PER_SECOND * SECONDS; sent++) {
    const wait = from + (sent * 1000) / SIGN_INS_PER_SECOND - performance.now();
    if (wait > 0) await new Promise((next) => setTimeout(next, wait));
    // 0: not even a connection; the machine has too much else to do.
    answers.push(fail(site, sent).catch(() => 0));
  }
  return Promise.all(answers);
}

async function fail(site: SiteProcess, number: number): Promise<number> {
  const answer = await fetch(`${site.url}/auth`, {
    method: "POST",
    headers: {
      "Sec-Fetch-Site": "same-origin",
      "X-Forwarded-For": `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
    },
    body: new URLSearchParams({ email: `nobody${number}@example.com`, password: "wrong password" }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
