/** Health of ServiceInstances and ServiceBindings, with the conditions that their reconcilers write. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { type ArgoHealthChecks, argoHealthChecks } from './argo-health.ts';
import { BTP_PHASES, type BtpPhase, btpVerdicts } from './btp-phases.ts';
import { type FluxHealthChecks, fluxHealthChecks } from './flux-health.ts';
import { kstatus } from './kstatus.ts';

let argo: ArgoHealthChecks;
let flux: FluxHealthChecks;
beforeAll(async () => {
  argo = await argoHealthChecks();
  flux = await fluxHealthChecks();
});

/** A condition as the operator writes it: `Succeeded False CreateFailed: no quota`. */
function condition(text: string, observedGeneration: number) {
  const [head = '', message = ''] = text.split(': ');
  const [type, status, reason] = head.split(' ');
  return { type, status, reason, message, ...(type === 'Shared' ? {} : { observedGeneration }) };
}

interface Example {
  readonly conditions: readonly string[];
  /** Default: 1, the generation of the object. */
  readonly observed?: number;
  readonly deleted?: true;
  /** What Argo CD shows. */
  readonly message: string;
}

const ready = 'Ready True Provisioned';
const notReady = 'Ready False NotProvisioned';
const done = 'Succeeded True Created: provisioned';
const examples: Readonly<Record<BtpPhase, Example>> = {
  'not observed': { conditions: [], message: 'Not observed by the operator yet' },
  'being created': {
    conditions: ['Succeeded False CreateInProgress: step 2 of 3', notReady],
    message: 'CreateInProgress: step 2 of 3',
  },
  blocked: {
    conditions: ['Succeeded False Blocked: service instance is not ready', notReady],
    message: 'Blocked: service instance is not ready',
  },
  'create failed': {
    conditions: ['Succeeded False CreateFailed: no quota', notReady],
    message: 'CreateFailed: no quota',
  },
  'ready to use': { conditions: [done, ready], message: 'Ready' },
  'changed, not observed': {
    conditions: [done, ready],
    observed: 0,
    message: 'The latest change is not observed by the operator yet',
  },
  'being updated': {
    conditions: ['Succeeded False UpdateInProgress: resizing', ready],
    message: 'UpdateInProgress: resizing',
  },
  'update failed': {
    conditions: ['Succeeded False UpdateFailed: no such plan', ready],
    message: 'UpdateFailed: no such plan',
  },
  'sharing refused': {
    conditions: [done, ready, 'Shared False ShareNotSupported: not shareable'],
    message: 'ShareNotSupported: not shareable',
  },
  'gone in Service Manager': {
    conditions: ['Ready False NotFound: instance 1 not found'],
    message: 'Not found in Service Manager: instance 1 not found',
  },
  'credentials being rotated': {
    conditions: [done, ready, 'CredRotationInProgress True Preparing: rename failed'],
    message: 'Ready; its credentials are being rotated: rename failed',
  },
  'replaced, waiting to be deleted': {
    conditions: [done, ready, 'PendingTermination True PendingTermination: waiting for new credentials'],
    message: 'Replaced: waiting for new credentials',
  },
  'deletion failed': {
    conditions: ['Succeeded False DeleteFailed: it has bindings', ready],
    deleted: true,
    message: 'Being deleted: it has bindings',
  },
};

describe.each(['ServiceInstance', 'ServiceBinding'])('a %s', (kind) => {
  test.each(BTP_PHASES)('that is %s: Argo CD, Flux and kstatus have the expected result', async (phase) => {
    const { conditions, observed = 1, deleted, message } = examples[phase];
    const object: KubeObject & { status?: object } = {
      apiVersion: 'services.cloud.sap.com/v1',
      kind,
      metadata: {
        name: 'orders',
        namespace: 'shop',
        generation: 1,
        ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      },
      ...(conditions.length === 0
        ? {}
        : {
            status: {
              conditions: conditions.map((text) => condition(text, observed)),
              observedGeneration: observed,
            },
          }),
    };
    const health = await argo.healthOf(object);
    expect({ argo: health?.status, flux: flux.statusOf(object), kstatus: kstatus(object) }).toEqual(
      btpVerdicts[phase],
    );
    expect(health?.message).toBe(message);
  });
});
