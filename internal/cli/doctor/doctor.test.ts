import { expect, test } from '@jest/globals';
import { type Shown, shown } from '../../console/shown.ts';
import type { Check, Diagnosis } from '../../controllers/module/diagnosis.ts';
import { formatDiagnosis } from './doctor.ts';

const diagnosis = (...checks: Check[]): Shown<Diagnosis> =>
  shown({ mapping: 'shop', healthy: checks.every(({ status }) => status === 'ok'), checks });

test('a failed check has its field and a command that fixes it, and is in the verdict', () => {
  const text = formatDiagnosis(
    diagnosis(
      {
        name: 'resource',
        status: 'ok',
        object: 'KymaInstanceMapping shop',
        detail: 'found',
        remediation: 'never shown',
      },
      {
        name: 'ConfigMap',
        status: 'waiting',
        object: 'ConfigMap kyma-system/x',
        cluster: 'cluster kyma-1',
        detail: 'has no key CLUSTER_ID',
        field: 'CLUSTER_ID',
        remediation: 'kubectl -n kyma-system get configmap x -o yaml',
      },
      { name: 'API', status: 'skipped', detail: 'an earlier check failed' },
    ),
  );
  expect(text.split('\n')).toEqual([
    'ok    resource   KymaInstanceMapping shop                  found',
    'wait  ConfigMap  ConfigMap kyma-system/x [cluster kyma-1]  has no key CLUSTER_ID',
    '      field: CLUSTER_ID',
    '      remediation: kubectl -n kyma-system get configmap x -o yaml',
    '-     API                                                  an earlier check failed',
    '',
    'shop: the first check that fails is ConfigMap (ConfigMap kyma-system/x)',
    '',
  ]);
});

test('a healthy chain has a positive verdict', () => {
  expect(formatDiagnosis(diagnosis({ name: 'API', status: 'ok', detail: 'mapped' }))).toContain(
    'every check succeeds',
  );
});
