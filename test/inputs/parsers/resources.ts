/** What users write into resources: spec, annotations, labels and status. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parse } from 'yaml';
import { parseDuration, parseTimestamp } from '../../../internal/framework/base/time/formats.ts';
import { createWorkingCopy } from '../../../internal/framework/controller/reconcile/working-copy.ts';
import { setConditions, unavailable } from '../../../internal/framework/managed/index.ts';
import { resolvePolicies } from '../../../internal/framework/managed/kind/policies.ts';
import { effectivePollInterval } from '../../../internal/framework/managed/kind/poll.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { createIncomplete, reconcileRequestFrom } from '../../../internal/framework/managed/resource/meta.ts';
import { mergeParameters } from '../../../internal/systems/btp/parameters/read-parameters.ts';
import { specHash } from '../../../internal/systems/btp/serviceinstance/spec-hash.ts';
import {
  serviceBindingWebhooks,
  serviceInstanceWebhooks,
} from '../../../internal/systems/btp/webhooks/webhooks.ts';
import { rawNames } from '../../../internal/systems/inventory/instancemapping/status.ts';
import {
  kymaMappingKind,
  kymaNames,
} from '../../../internal/systems/inventory/kymainstancemapping/status.ts';
import {
  decideIdentity,
  identityToDelete,
} from '../../../internal/systems/inventory/mapping/mapping-identity.ts';
import { atLimits, type Schema } from '../arbitraries/at-limits.ts';
import { damagedText, damagedValue } from '../arbitraries/damaged.ts';
import { hostileJson, hostileText } from '../arbitraries/hostile.ts';
import { foreignInput } from '../foreign-input.ts';

const names = fc.constantFrom(kymaNames, rawNames);
const nothing = (_: unknown) => undefined;
const clock = { now: () => 1e12, monotonic: () => 0, after: () => () => undefined };

/** The schema of a kind in the CRD file. */
function schemaIn(path: string, version: string): Schema {
  const crd = parse(readFileSync(new URL(`../../../package/${path}`, import.meta.url), 'utf8'));
  const found = crd.spec.versions.find((each: { name: string }) => each.name === version);
  return found.schema.openAPIV3Schema;
}

const metadata = fc.record({
  name: fc.constantFrom('a', 'x'.repeat(253)),
  uid: fc.constantFrom('u'),
  generation: fc.constantFrom(1, 2 ** 53),
  annotations: fc.dictionary(
    fc.constantFrom(
      'crossplane.io/external-name',
      'crossplane.io/poll-interval',
      'crossplane.io/paused',
      'crossplane.io/external-create-pending',
      'crossplane.io/external-create-succeeded',
      'crossplane.io/external-create-intent',
      'crossplane.io/reconcile-requested-at',
    ),
    hostileText,
    { noNullPrototype: true },
  ),
});

const mappings = fc
  .record({
    body: atLimits(
      schemaIn('crds/inventory.hana.orchestrate.cloud.sap_kymainstancemappings.yaml', 'v1alpha1'),
    ),
    metadata,
  })
  .map(({ body, metadata }) => ({ ...(body as object), metadata }) as never);

const reviewOf = (object: unknown, operation: string) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u', operation, object, oldObject: operation === 'CREATE' ? undefined : object },
});

/** The CRD accepts any object. */
const parameters = fc.dictionary(hostileText, fc.oneof(hostileJson, damagedValue({ a: { b: [1, 'x'] } })), {
  maxKeys: 4,
  noNullPrototype: true,
});

export const resourceInputs = [
  foreignInput({
    name: 'the external name of a mapping',
    inputs: fc.record({
      names,
      text: damagedText(fc.constantFrom('i-1/c-1/shop', 'i-1/kubernetes/c-1/shop', 'i-1/https://x/y/shop')),
    }),
    read: ({ names, text }) => {
      const identity = names.parse(text);
      if (identity !== undefined && names.parse(names.format(identity)) === undefined)
        throw new Error('the external name of its own identity is not read');
    },
  }),
  foreignInput({
    name: 'the records of a mapping',
    inputs: fc.record({
      names,
      metadataName: hostileText,
      externalName: fc.option(hostileText, { nil: undefined }),
      createUnfinished: fc.boolean(),
    }),
    read: (records) => {
      nothing(identityToDelete(records));
      nothing(
        decideIdentity(records, {
          serviceInstanceID: 'i',
          platform: 'kubernetes',
          primaryID: 'c',
          secondaryID: 'n',
        }),
      );
    },
  }),
  foreignInput({
    name: 'a duration',
    inputs: damagedText(fc.constantFrom('1h30m', '-1.5s', '300ms', '0', '1us')),
    read: (text) => {
      if (Number.isNaN(parseDuration(text))) throw new Error('a duration that is no number');
    },
  }),
  foreignInput({
    name: 'a time',
    inputs: damagedText(fc.constantFrom('2024-01-01T00:00:00Z', '2024-01-01T00:00:00.123+05:00')),
    read: (text) => {
      if (Number.isNaN(parseTimestamp(text))) throw new Error('a time that is no number');
    },
  }),
  foreignInput({
    name: 'a mapping with fields at the limits of its CRD',
    inputs: mappings,
    read: (mapping) => {
      const managed = mapping as Managed;
      const copy = createWorkingCopy({
        client: undefined as never,
        type: undefined as never,
        object: managed,
      });
      const interval = effectivePollInterval(managed, { intervalMs: 60_000, minIntervalMs: 1000 });
      if (!(interval >= 1000 && interval <= 86_400_000)) throw new Error(`a poll interval of ${interval} ms`);
      if ((reconcileRequestFrom(managed)?.length ?? 0) > 1024)
        throw new Error('a token longer than its field');
      nothing(createIncomplete(managed));
      setConditions(copy.object, clock, unavailable(resolvePolicies(managed, { enabled: true }).problem));
      const records = kymaMappingKind.recordsOf(mapping);
      nothing(identityToDelete(records));
    },
  }),
  foreignInput({
    name: 'a ServiceInstance for its webhooks',
    inputs: fc.record({
      operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE'),
      object: damagedValue({
        apiVersion: 'services.cloud.sap.com/v1',
        kind: 'ServiceInstance',
        metadata: { name: 'a', annotations: { 'services.cloud.sap.com/preventDeletion': 'true' } },
        spec: {
          serviceOfferingName: 'o',
          servicePlanName: 'p',
          parameters: { a: 1 },
          userInfo: { username: 'u' },
        },
      }),
    }),
    read: async ({ object, operation }) => {
      for (const webhook of serviceInstanceWebhooks)
        nothing(await webhook.respond(reviewOf(object, operation), new AbortController().signal));
    },
  }),
  foreignInput({
    name: 'a ServiceBinding for its webhooks',
    inputs: fc.record({
      operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE'),
      object: damagedValue({
        apiVersion: 'services.cloud.sap.com/v1',
        kind: 'ServiceBinding',
        metadata: { name: 'a', labels: { 'services.cloud.sap.com/stale': 'x' } },
        spec: {
          serviceInstanceName: 'i',
          credentialsRotationPolicy: { enabled: true, rotationFrequency: '1h', rotatedBindingTTL: '1h' },
          parameters: { a: 1 },
        },
        status: { bindingID: 'b' },
      }),
    }),
    read: async ({ object, operation }) => {
      for (const webhook of serviceBindingWebhooks({
        parseTemplate: async () => undefined,
        ownUser: async () => 'operator',
      }))
        nothing(await webhook.respond(reviewOf(object, operation), new AbortController().signal));
    },
  }),
  foreignInput({
    name: 'parameters in a spec',
    inputs: parameters.map((value) => ({
      apiVersion: 'services.cloud.sap.com/v1',
      kind: 'ServiceInstance',
      metadata: { name: 'a', namespace: 'shop' },
      spec: { serviceOfferingName: 'o', servicePlanName: 'p', parameters: value },
    })),
    read: (object) => {
      const copy = createWorkingCopy({ client: undefined as never, type: undefined as never, object });
      const { spec } = copy.object;
      nothing(specHash(spec as Parameters<typeof specHash>[0]));
      nothing(JSON.stringify(mergeParameters([], spec.parameters as never)));
    },
  }),
];
