/**
 * Shows the provider at work (`make demo`) and stays until Ctrl-C. With ONCE=1 it ends when all is shown, with exit
 * code 0 only if every step held. `--from-source` runs the provider unbundled.
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../../internal/base/time/clock.ts';
import { demo } from './demo.ts';
import { createScreen } from './output/screen.ts';
import { bundledProvider, providerFromSource } from './provider/provider-command.ts';
import { Interrupted } from './run/errors.ts';

const { values } = parseArgs({ options: { 'from-source': { type: 'boolean', default: false } } });
const { ONCE = '' } = process.env;

const ending = new AbortController();
let asked = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // Asked twice, it goes at once; the watchdogs end and remove what is left.
    if (asked) process.exit(1);
    asked = true;
    ending.abort(new Interrupted(signal));
  });
}
// The terminal or the pipe that shows it is gone; nobody is left to show anything to.
process.stdout.on('error', () => ending.abort(new Interrupted('SIGPIPE')));

const screen = createScreen({ output: process.stdout, clock: systemClock, env: process.env });
const exitCode = await demo({
  screen,
  clock: systemClock,
  command: values['from-source'] ? providerFromSource() : bundledProvider(),
  once: !['', '0', 'false', 'no'].includes(ONCE.toLowerCase()),
  ending,
});
screen.tell('everything is stopped and removed');
// Work that was given up may still hold the process.
process.exit(exitCode);
