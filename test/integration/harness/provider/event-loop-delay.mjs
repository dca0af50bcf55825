/**
 * Preloaded into a program under test (`NODE_OPTIONS=--import=…`): appends to the file in EVENT_LOOP_FILE, ten times a second, the time
 * and the longest delay of the event loop since the line before, both in ms, and the memory in bytes: what is resident, and what its
 * child processes have for themselves. A delay is at most the processor time of the thread: what else a busy machine does is no delay
 * of the program.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env.EVENT_LOOP_FILE;
if (isMainThread && file !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: 5 });
  histogram.enable();
  let before = process.threadCpuUsage();
  let lastMs = 0;
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    const cpuMs = (user + system) / 1000;
    // The histogram may learn of a delay after this timer.
    const delayMs = Math.min(histogram.max / 1e6, lastMs + cpuMs);
    lastMs = cpuMs;
    appendFileSync(file, `${Date.now()} ${delayMs} ${process.memoryUsage.rss() + ofChildren()}\n`);
    histogram.reset();
    before = process.threadCpuUsage();
  }, 100).unref();
}

function ofChildren() {
  try {
    const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ').filter(Boolean);
    return pids.reduce((sum, pid) => {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      return sum + 1024 * Number(/^RssAnon:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0);
    }, 0);
  } catch {
    // One ended in between.
    return 0;
  }
}
