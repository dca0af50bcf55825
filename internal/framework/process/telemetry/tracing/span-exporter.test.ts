import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Loopback, listenOnLoopback } from '../../../base/loopback.fixture.ts';
import { nopLogger } from '../../../base/telemetry/telemetry.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { createSpanExporter, type LoggingSpanExporter } from './span-exporter.ts';
import { traceSettings } from './trace-settings.ts';

let deaf: Loopback;
let connected: PromiseWithResolvers<Socket>;
let connections: number;
let exporter: LoggingSpanExporter;
beforeEach(async () => {
  connected = Promise.withResolvers();
  connections = 0;
  deaf = await listenOnLoopback(
    createServer((socket) => {
      connections++;
      connected.resolve(socket.resume());
    }),
  );
  const settings = traceSettings(
    { OTEL_EXPORTER_OTLP_ENDPOINT: deaf.url },
    { name: 'provider-kyma', version: 'v1.2.3' },
  );
  if (settings === undefined) throw new Error('nothing is traced');
  exporter = createSpanExporter({ settings, clock: systemClock, log: nopLogger, env: {} });
});
afterEach(() => deaf.close());

const exported = () =>
  new Promise<Error | undefined>((done) => exporter.export([], ({ error }) => done(error)));

/** Far less than the SDK's delay before it sends again, which is 1 s. */
const soon = () => new Promise<string>((resolve) => setTimeout(resolve, 500, 'it goes on').unref());

test('an export in progress fails as soon as the exporter is destroyed, and is not repeated', async () => {
  const result = exported();
  await connected.promise;
  exporter.destroy();
  expect(await Promise.race([result, soon()])).toMatchObject({ message: 'traces were closed' });
});

test('an export after the exporter was destroyed fails without a connection', async () => {
  exporter.destroy();
  expect(await Promise.race([exported(), soon()])).toMatchObject({ message: 'traces were closed' });
  expect(connections).toBe(0);
});
