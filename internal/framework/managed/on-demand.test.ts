/** What few processes use works although its code is loaded late. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startChangeLogSidecar } from '../../../test/simulators/change-log/sidecar.ts';
import { startOtlpReceiver } from '../../../test/simulators/otlp/receiver.ts';
import { nopLogger } from '../base/telemetry/telemetry.ts';
import { systemClock as clock } from '../base/time/clock.ts';
import { traceSettings } from '../process/telemetry/tracing/trace-settings.ts';
import { clusterWidgets, widget } from './fakes/managed-harness.ts';
import { openChangeLog, openTraces } from './on-demand.ts';

const scope = { name: 'provider-kyma', version: 'v1.2.3' };

test('a change log that is opened sends entries', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'changes-'));
  const socketPath = join(folder, 's.sock');
  const sidecar = await startChangeLogSidecar(socketPath);
  const log = await openChangeLog({ provider: 'provider-kyma:v1.2.3', socketPath, clock });
  const entry = { at: 0, snapshot: widget(clusterWidgets), externalName: 'w', operation: 'update' } as const;
  await log.send({ ...entry, additionalDetails: {} }, new AbortController().signal);
  expect(sidecar.received).toMatchObject([{ name: 'w', operation: 'OPERATION_TYPE_UPDATE' }]);
  log.close();
  await sidecar.stop();
  await rm(folder, { recursive: true });
});

test('traces that are opened send spans', async () => {
  const receiver = await startOtlpReceiver();
  const settings = traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint }, scope);
  if (settings === undefined) throw new Error('nothing is traced');
  const { tracer, close } = await openTraces({ settings, clock, log: nopLogger, scope, env: {} });
  await tracer.trace({ name: 'reconcile' }, async () => undefined);
  await close();
  expect(receiver.spans).toMatchObject([{ name: 'reconcile' }]);
  await receiver.stop();
});
