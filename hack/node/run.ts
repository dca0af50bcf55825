/** Runs one node to try things on, until Ctrl-C: how to reach it on stdout, progress on stderr. */
import { once } from 'node:events';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { startNode } from './node.ts';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

try {
  const report = (line: string) => console.error(`node: ${line}`);
  const node = await startNode({ name: 'node', report, signal: stopping.signal });
  console.log(`export KUBECONFIG=${node.kubeconfigPath}`);
  console.error(`Its kubectl is ${node.kubectl}. Ctrl-C ends it and removes what it stored.`);
  // A signal handler does not keep the process alive.
  const staying = setInterval(() => undefined, 60_000);
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
  clearInterval(staying);
  await node.stop();
} catch (error) {
  // Interrupted before it ran: there is nothing to stop.
  if (!stopping.signal.aborted) {
    console.error(messageOf(error));
    process.exitCode = 1;
  }
}
