import { expect, test } from '@jest/globals';
import { type Shown, shown } from '../../framework/module/console/shown.ts';
import type { Check, Diagnosis } from '../../framework/module/diagnosis.ts';
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

test.each<{ what: string; checks: [string, Check['status']][]; cause: string }>([
  {
    what: 'conditions repeat what another check finds',
    checks: [
      ['conditions', 'failed'],
      ['Secret', 'failed'],
    ],
    cause: 'Secret',
  },
  {
    what: 'only the conditions say it',
    checks: [
      ['conditions', 'failed'],
      ['API', 'ok'],
    ],
    cause: 'conditions',
  },
  {
    what: 'what failed comes before what waits for it',
    checks: [
      ['conditions', 'waiting'],
      ['ServiceInstance', 'waiting'],
      ['token', 'failed'],
    ],
    cause: 'token',
  },
  {
    what: 'the state of a Runtime that waits repeats it',
    checks: [
      ['state', 'waiting'],
      ['operation', 'waiting'],
    ],
    cause: 'operation',
  },
  {
    what: 'a Runtime that failed says why no Shoot exists',
    checks: [
      ['state', 'failed'],
      ['Shoot', 'waiting'],
    ],
    cause: 'state',
  },
])('the verdict names the cause: $what', ({ checks, cause }) => {
  const text = formatDiagnosis(
    diagnosis(...checks.map(([name, status]) => ({ name, status, detail: 'a detail' }))),
  );
  expect(text).toContain(`the first check that fails is ${cause}\n`);
});
