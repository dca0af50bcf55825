import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Random, systemRandom } from '../../../internal/framework/base/random.ts';

/**
 * Below the ranges from which Linux (32768…) and macOS (49152…) take ports for outgoing connections and for listeners
 * on port 0. So a stopped server finds its port free when it restarts.
 */
const FIRST = 20_000;
const LAST = 32_000;

/** A port on 127.0.0.1 that is free now. Another process may bind it first: callers retry. */
export async function freePort(random: Random = systemRandom): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = FIRST + Math.floor(random() * (LAST - FIRST));
    if (await canListen(port)) return port;
  }
  throw new Error(`cannot find a free port between ${FIRST} and ${LAST}`);
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
