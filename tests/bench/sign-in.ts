import { SiteProcess } from "../site-process";
import { median, type Report } from "./report";

const SIGN_INS_PER_SECOND = 200;
const SECONDS = 10;
const PAUSE_MS = 50;
const MAX_HOME_P95_MS = 250;

/**
 * Measures the response time of the home page during a flood of failed sign-ins. Each sign-in has a different address
 * and account, so that no rate limit applies.
 */
export async function run(report: Report): Promise<void> {
  // When a proxy is configured, the site uses the addresses in X-Forwarded-For.
  const site = new SiteProcess({ PUBLIC_URL: "https://videos.example" });
  try {
    await site.start();
    await home(site, 1);
    const idle = await home(site, 2);
    const [busy, statuses] = await Promise.all([home(site, SECONDS), flood(site)]);
    report.figure("sign-ins sent", statuses.length, `in ${SECONDS} s`);
    for (const status of [...new Set(statuses)].sort()) {
      report.figure(`status ${status}`, statuses.filter((each) => each === status).length, "");
    }
    report.figure("home page, idle: median", median(idle), "ms");
    report.figure("home page, during the flood: median", median(busy), "ms");
    report.atMost(
      "home page, during the flood: p95",
      percentile(busy, 0.95),
      MAX_HOME_P95_MS,
      "ms",
    );
    report.atLeast("home page, responses during the flood", busy.length, SECONDS * 2);
  } finally {
    await site.remove();
  }
}

/** Requests the home page repeatedly, and returns the response times in milliseconds. */
async function home(site: SiteProcess, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const deadline = performance.now() + seconds * 1000;
  while (performance.now() < deadline) {
    const start = performance.now();
    // Each URL is different, so that no response comes from the page cache.
    const response = await fetch(`${site.url}/?search=${times.length}`);
    await response.text();
    if (response.status !== 200) throw new Error(`The home page returned ${response.status}.`);
    times.push(performance.now() - start);
    await new Promise((next) => setTimeout(next, PAUSE_MS));
  }
  return times;
}

/** Sends sign-ins at a steady rate, even if the site can't keep up. Returns the statuses of all responses. */
async function flood(site: SiteProcess): Promise<number[]> {
  const responses: Promise<number>[] = [];
  const start = performance.now();
  for (let sent = 0; sent < SIGN_INS_PER_SECOND * SECONDS; sent++) {
    const wait = start + (sent * 1000) / SIGN_INS_PER_SECOND - performance.now();
    if (wait > 0) await new Promise((next) => setTimeout(next, wait));
    // The status is 0 if the connection fails because the machine is too busy.
    responses.push(failSignIn(site, sent).catch(() => 0));
  }
  return Promise.all(responses);
}

async function failSignIn(site: SiteProcess, number: number): Promise<number> {
  const response = await fetch(`${site.url}/auth`, {
    method: "POST",
    headers: {
      "Sec-Fetch-Site": "same-origin",
      "X-Forwarded-For": `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
    },
    body: new URLSearchParams({ email: `nobody${number}@example.com`, password: "wrong password" }),
  });
  await response.arrayBuffer();
  return response.status;
}

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
