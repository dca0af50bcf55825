/**
 * Shows the provider at work (`make demo`) and stays until Ctrl-C. With ONCE=1 it ends when all is shown, with exit
 * code 0 only if every step held.
 */
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import { demo } from './demo.ts';
import { createScreen } from './output/screen.ts';
import { Interrupted } from './run/runner.ts';

const { ONCE = '' } = process.env;

const abortController = new AbortController();
let asked = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // The second signal exits immediately; the watchdogs remove what is left.
    if (asked) process.exit(1);
    asked = true;
    abortController.abort(new Interrupted(signal));
  });
}
// The terminal or the pipe is closed.
process.stdout.on('error', () => abortController.abort(new Interrupted('SIGPIPE')));

const screen = createScreen({ output: process.stdout, clock: systemClock, env: process.env });
const exitCode = await demo({
  screen,
  clock: systemClock,
  once: !['', '0', 'false', 'no'].includes(ONCE.toLowerCase()),
  abortController,
});
screen.print('everything is stopped and removed');
// Abandoned work may still keep the process alive.
process.exit(exitCode);
