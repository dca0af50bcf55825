/** A program that does again and again what a reconcile does, and sends how long that took (busy-machine.ts). */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { apiRequester } from '../../../../hack/control-planes/access/api-request.ts';
import { configMaps } from '../../../../internal/framework/kube/object/resource-type.ts';
import { objectsOf } from '../../../environment/objects.ts';
import type { Round } from './busy-machine.ts';

const REQUESTS = 6;
/** Some ms of CPU. */
const HASHED = Buffer.alloc(2 * 1024 * 1024);
const PAUSE_MS = 200;

const [kubeconfigPath = ''] = process.argv.slice(2);
const request = apiRequester(await readFile(kubeconfigPath, 'utf8'));
const objects = objectsOf({ name: 'probe', request });
const metadata = { namespace: 'default', name: 'machine-probe' };

for (let round = 0; process.connected; round++) {
  const began = performance.now();
  for (let n = 0; n < REQUESTS; n++) {
    await objects.apply(configMaps, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata },
      data: { n: `${round} ${n}` },
    } as never);
    createHash('sha256').update(HASHED).digest();
  }
  const sent: Round = { at: Date.now(), ms: performance.now() - began };
  process.send?.(sent);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
