import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * Runs `use` with a port of this machine that leads to a Service.
 *
 * @param service as kubectl names it: `service/name`
 */
export async function withPortForward<T>(
  {
    service,
    namespace,
    port,
  }: { readonly service: string; readonly namespace: string; readonly port: number },
  use: (url: string) => Promise<T>,
): Promise<T> {
  const args = ['port-forward', service, `--namespace=${namespace}`, '--address=127.0.0.1', `:${port}`];
  const child = spawn('kubectl', args, { env: process.env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    for await (const line of createInterface(child.stdout)) {
      const [, local] = /^Forwarding from 127\.0\.0\.1:(\d+)/.exec(line) ?? [];
      if (local !== undefined) return await use(`http://127.0.0.1:${local}`);
    }
    throw new Error(`kubectl does not forward to ${service}`);
  } finally {
    child.kill();
    await ended;
  }
}
