/** Runs one control plane to try things on, until Ctrl-C: how to reach it on stdout, progress on stderr. */
import { once } from 'node:events';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { startControlPlane } from './control-plane.ts';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

try {
  const report = (line: string) => console.error(`control planes: ${line}`);
  report('starting one');
  const plane = await startControlPlane({ name: 'management', report, signal: stopping.signal });
  console.log(`export KUBECONFIG=${plane.kubeconfigPath}`);
  console.error('Ctrl-C ends it and removes what it stored.');
  // A signal handler does not keep the process alive.
  const staying = setInterval(() => undefined, 60_000);
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
  clearInterval(staying);
  await plane.stop();
} catch (error) {
  // Interrupted before it ran: there is nothing to stop.
  if (!stopping.signal.aborted) {
    console.error(messageOf(error));
    process.exitCode = 1;
  }
}
