/** The part of autocannon that the benchmarks use. The package doesn't include types. */
declare module "autocannon" {
  interface Result {
    requests: { average: number; total: number };
    /** Milliseconds. */
    latency: { p99: number };
    non2xx: number;
  }
  export default function autocannon(options: {
    url: string;
    headers?: Record<string, string>;
    connections: number;
    /** Seconds. */
    duration?: number;
    /** The number of requests, instead of a duration. */
    amount?: number;
    /** The requests that each connection sends, over and over. */
    requests?: { path: string }[];
  }): Promise<Result>;
}
