/** ServiceBindings that SAP's operator leaves in each phase, with their Secrets: this provider goes on where that one ended. */
import '../../harness/timeout.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type ServiceBinding,
  serviceBindings,
} from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import type { Secret } from '../../../../internal/framework/kube/object/object.ts';
import { secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { callOptions } from '../../../contract/service-manager/set-up.ts';
import { type BtpEnvironment, startBtpEnvironment } from '../btp-environment.ts';
import { type BindingPhase, backupMetadata, bindingPhases } from './binding-phases.ts';
import { goBinding, goInstance, namespace, readyConditions } from './go-objects.ts';
import { bindingAction, bindingFields } from './go-reading.ts';
import { goSecret } from './go-secret.ts';
import { type External, goHash, type Predecessor, startPredecessor } from './predecessor.ts';
import { type TakeOver, takeOver } from './take-over.ts';

interface Left {
  readonly external: External;
  readonly object: ServiceBinding;
  /** As the API server has it. */
  readonly secret: Secret | undefined;
}

let environment: BtpEnvironment;
let predecessor: Predecessor;
let instanceID: string;
let done: TakeOver;
const left = new Map<string, Left>();

/** In the Secret of a binding that has no new ones yet. */
const replacedCredentials = { password: 'replaced' };

const find = (name: string) => environment.objects.find(serviceBindings, { namespace, name });
const secretOf = ({ spec, metadata }: ServiceBinding) =>
  environment.objects.find<Secret>(secrets, { namespace, name: spec.secretName ?? metadata.name });

async function leaveInstance(): Promise<void> {
  const { id } = await predecessor.instance('base', 'ready');
  instanceID = id;
  const status = { instanceID, hashedSpec: goHash('base'), ready: 'True' as const, tags: ['test'] };
  await predecessor.store(goInstance('base', { conditions: readyConditions('ServiceInstance'), status }));
}

async function leave(phase: BindingPhase): Promise<void> {
  const { name, external: state, renamedTo, backupOf, metadata } = phase;
  const external = await predecessor.binding(name, instanceID, state);
  if (renamedTo !== undefined) {
    const rename = { name: renamedTo, kubernetesName: renamedTo };
    await predecessor.client.renameBinding(external.id, rename, callOptions());
  }
  const origin = left.get(backupOf ?? '');
  const kept = external.id || origin?.external.id || '';
  const bindingID = phase.isUnrecorded || (origin && phase.status === undefined) ? '' : kept;
  const marks = backupOf === undefined ? {} : backupMetadata(backupOf, kept);
  const object = goBinding(name, {
    ...phase,
    metadata: { ...marks, ...metadata },
    status: { ready: 'False', operationURL: external.operationURL, ...phase.status, instanceID, bindingID },
  });
  const stored = environment.simulator.store.bindings().find(({ id }) => id === kept);
  await predecessor.store(object);
  const secret = phase.hasSecret
    ? await environment.objects.apply<Secret>(
        secrets,
        goSecret(object, stored?.credentials ?? replacedCredentials),
      )
    : undefined;
  left.set(name, { external: { ...external, id: kept }, object, secret });
}

beforeAll(async () => {
  environment = await startBtpEnvironment();
  predecessor = await startPredecessor(environment);
  await leaveInstance();
  for (const phase of bindingPhases) await leave(phase);
  done = await takeOver({
    environment,
    phases: bindingPhases,
    find,
    expectSettled: ({ status }) => {
      // The Secret of a settled binding was read.
      expect(status).toHaveProperty('secretVersion');
      expect(status?.conditions.map(({ type }) => type)).not.toContain('CredRotationInProgress');
    },
  });
}, 300_000);
afterAll(async () => {
  await predecessor?.close();
  await environment?.stop();
});

describe.each(bindingPhases)('a binding $title', ({ name, result, requests = [], keepsSecret }) => {
  test(`causes ${requests.join(', ') || 'no change in Service Manager'}`, () => {
    const { external, object } = left.get(name) ?? {};
    const isBackup = object?.metadata.labels !== undefined;
    // The requests about the ID of a backup may be those of its origin.
    const found = done.changesOf(name, external?.id);
    if (isBackup && result !== 'gone') expect(found).not.toContain('deleteBinding');
    else expect(found).toEqual(requests);
  });

  test(`has its Secret${keepsSecret ? ', which is not written' : ''}`, async () => {
    const before = left.get(name);
    const found = await find(name);
    const secret = before && (await secretOf(before.object));
    if (found === undefined) return expect(secret).toBeUndefined();
    if (keepsSecret) return expect(secret).toEqual(before?.secret);
    const { credentials } =
      environment.simulator.store.bindings().find(({ id }) => id === found.status?.bindingID) ?? {};
    const { password } = credentials as { readonly password: string };
    expect(Buffer.from(secret?.data?.password ?? '', 'base64').toString()).toBe(password);
  });

  test('can be read by SAP’s operator, which has nothing else to do', async () => {
    const found = await find(name);
    if (found === undefined) return;
    expect(bindingFields(found)).toEqual([]);
    expect(bindingAction(found)).toBe('nothing');
  });
});

test('each rotation has one backup, with the replaced credentials', async () => {
  for (const name of ['rotate-1', 'rotate-2', 'rotate-3']) {
    const replaced = left.get(name)?.external.id;
    const backups = (await environment.objects.list(serviceBindings, namespace)).filter(
      ({ metadata }) => metadata.labels?.['services.cloud.sap.com/stale'] === replaced,
    );
    expect(backups).toHaveLength(1);
    const [backup] = backups;
    expect(backup?.status).toMatchObject({ bindingID: replaced, ready: 'True' });
    const password = left.get(name)?.secret?.data?.password;
    expect((backup && (await secretOf(backup)))?.data?.password).toBe(password);
  }
});

test('Service Manager has the bindings of the objects, and no other', async () => {
  const objects = await environment.objects.list(serviceBindings, namespace);
  const ids = objects.map(({ status }) => status?.bindingID);
  expect(
    environment.simulator.store
      .bindings()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(ids.sort());
});

test('no request was outside of the contract', () => {
  expect(environment.simulator.violations()).toEqual([]);
});
