/**
 * The API server of a kubeconfig Secret sends generated watch events, as fast as it can: the event loop goes on, the memory stays
 * bounded, and mappings of others are Ready in their usual time. `make test-faults` has more inputs.
 */
import '../harness/timeout.ts';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { campaign } from '../../campaign/campaign.ts';
import { eventually } from '../../environment/eventually.ts';
import { costlyWatchEvents, type WatchTexts } from '../../inputs/arbitraries/costly.ts';
import { type FaultEnvironment, inFaultEnvironment } from '../faults/fault-environment.ts';
import { createCostMeter } from '../harness/provider/cost-meter.ts';
import { startTlsServer } from './tls-server.ts';

const { seed, runs, long } = campaign({ seed: 1, runs: 2 });
/** A watch sends for so long, in ms. */
const SENDS_MS = 2000;
/** Of a text with many events. */
const CHUNK = 256 * 1024;

/** Sends the texts until the client disconnects, or the time is over. */
async function sendEvents(response: ServerResponse, next: (number: number) => string): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  const end = Date.now() + SENDS_MS;
  // Once, not for each text: it stays subscribed until the response ends.
  const closed = once(response, 'close').catch(() => undefined);
  for (let number = 1; Date.now() < end && !response.destroyed; ) {
    let text = '';
    while (text.length < CHUNK) text += next(number++) || '\n';
    // The attacker shares the machine.
    const pause = new Promise((resolve) => setTimeout(resolve, 20));
    if (!response.write(text)) await Promise.race([once(response, 'drain'), closed]);
    await pause;
  }
  response.destroy();
}

/** A mapping whose input objects are at a server that answers watches with these texts. */
async function attack(environment: FaultEnvironment, texts: WatchTexts): Promise<void> {
  let name = 'unknown';
  let watches = 0;
  const sending: Promise<void>[] = [];
  const server = await startTlsServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    if (path.includes('watch=true')) {
      watches++;
      sending.push(sendEvents(response, texts(name)));
      return;
    }
    name = path.split('?')[0]?.split('/').at(-1) ?? name;
    const status = { kind: 'Status', code: 404, reason: 'NotFound', message: 'no', details: { name } };
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(status));
  });
  environment.onStop(server.close);
  const scenario = await environment.scenario({ kubeconfig: server.kubeconfig('t') });
  await scenario.create();
  await eventually(() => expect(watches).toBeGreaterThan(0));
  await Promise.all(sending);
  await scenario.delete();
}

test(
  'generated watch events delay neither the event loop nor mappings of others',
  inFaultEnvironment(async (environment) => {
    const meter = await createCostMeter({
      long,
      bystander: async () => {
        const other = await environment.scenario();
        await other.applySources();
        await other.create();
        return { untilReady: other.untilReady, remove: other.delete };
      },
    });
    environment.onStop(meter.close);
    const provider = await environment.run({ env: meter.env });
    await meter.calibrate(async () => undefined);
    for (const [number, { shape, texts }] of fc.sample(costlyWatchEvents, { seed, numRuns: runs }).entries())
      await meter.expectUsual(`input ${number} of seed ${seed}: ${shape}`, () => attack(environment, texts));
    expect((await provider.get('/healthz')).status).toBe(200);
    if (long) await meter.untilMemoryIsBack();
  }),
  long ? 3_600_000 : 120_000,
);
