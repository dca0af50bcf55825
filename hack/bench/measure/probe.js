/**
 * Loaded into a measured process before anything else (`node --import`): replies to queries of the bench over the IPC
 * channel. Plain JavaScript, so that no compiler's memory counts as the program's.
 */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const MIB = 1024 * 1024;
/** Microseconds between two samples of a profile: fine enough for functions with a thousandth of the time. */
const SAMPLING_INTERVAL = 500;

/** 0 on systems other than Linux. */
function ownMemory() {
  try {
    const [, kibibytes = '0'] =
      /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return Number(kibibytes) / 1024;
  } catch {
    return 0;
  }
}

function usage() {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    cpuMs: (user + system) / 1000,
    rssMiB: rss / MIB,
    ownMiB: ownMemory(),
    heapMiB: heapUsed / MIB,
    // Node reports kilobytes on every platform.
    peakRssMiB: process.resourceUsage().maxRSS / 1024,
  };
}

/** The heap after collections; the second one frees what finalizers of the first released. */
async function collected() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await sleep(50);
  }
  return usage();
}

/** Takes a CPU profile of the coming `ms` and writes it to `file`. */
async function profile({ ms, file }) {
  // Only here, since loading it takes memory.
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL });
  await session.post('Profiler.start');
  await sleep(ms);
  const { profile: taken } = await session.post('Profiler.stop');
  session.disconnect();
  await writeFile(file, JSON.stringify(taken));
}

const answers = { usage, collected, profile };

process.on('message', async ({ id, question, options }) => {
  const answer = answers[question];
  if (answer === undefined) return;
  try {
    process.send?.({ id, answer: await answer(options) });
  } catch (error) {
    process.send?.({ id, error: String(error) });
  }
});
// The channel does not keep the measured program alive.
process.channel?.unref();
