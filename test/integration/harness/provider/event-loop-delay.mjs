/**
 * Preloaded into a program under test (`NODE_OPTIONS=--import=…`): appends to the file in EVENT_LOOP_FILE, ten times a second, the time
 * and the longest delay of the event loop since the line before, both in ms, and the resident memory in bytes.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env.EVENT_LOOP_FILE;
if (isMainThread && file !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: 5 });
  histogram.enable();
  setInterval(() => {
    appendFileSync(file, `${Date.now()} ${histogram.max / 1e6} ${process.memoryUsage.rss()}\n`);
    histogram.reset();
  }, 100).unref();
}
