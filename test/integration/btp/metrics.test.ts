/** What alerts and the dashboard use of the module btp, on the page /metrics of a running provider. */
import '../harness/timeout.ts';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { sumIn } from '../../environment/metrics-page.ts';
import { demands, moduleOf } from '../../monitoring/monitoring-files.ts';
import { missingIn, seriesIn } from '../../monitoring/series.ts';
import { forFile } from '../harness/for-file.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { startBtpEnvironment } from './btp-environment.ts';

const environment = forFile(startBtpEnvironment);
let provider: ProviderProcess;
beforeAll(async () => {
  provider = await environment.start({ PROVIDER_KYMA_MAX_RECONCILE_RATE: '60' });
});

const page = async () => (await provider.get('/metrics')).body;

test('controllers of instances and bindings have as many workers as the flag says', async () => {
  await eventually(async () => {
    const text = await page();
    for (const kind of ['serviceinstance', 'servicebinding']) {
      const controller = `controller="${kind}.services.cloud.sap.com"`;
      expect(sumIn(text, 'controller_runtime_max_concurrent_reconciles', controller)).toBe(60);
    }
  });
});

test('[B12.10] objects are counted by state, and calls of Service Manager by route and code', async () => {
  const [good, bad] = [await environment.instance(), await environment.instance()];
  await good.create();
  await bad.create({ servicePlanName: 'none' });
  await good.until('Succeeded', /^True Created/);
  await bad.until('Succeeded', /^False CreateFailed/);
  const count = (reason: string) =>
    `provider_kyma_service_objects{kind="ServiceInstance",reason="${reason}"} 1`;
  await eventually(async () => {
    const text = await page();
    expect(text).toContain(count('Created'));
    expect(text).toContain(count('CreateFailed'));
  });
  const asked = (await demands()).filter((demand) => moduleOf(demand) === 'btp');
  expect(asked.length).toBeGreaterThan(3);
  expect(missingIn(seriesIn(await page()), asked)).toEqual([]);
  await good.delete();
  await good.untilGone();
  await eventually(async () => {
    expect(await page()).toContain(
      'provider_kyma_service_objects{kind="ServiceInstance",reason="Created"} 0',
    );
  });
});

test('docs/operations.md lists the metric as it is', async () => {
  const text = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  expect(text).toContain('| `provider_kyma_service_objects` | gauge | `kind`, `reason` |');
  expect(await page()).toContain('# TYPE provider_kyma_service_objects gauge');
});
