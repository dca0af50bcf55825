/** What API servers, their users and a kubeconfig Secret send. */
import fc from 'fast-check';
import { stringify } from 'yaml';
import { readAdmissionRequest } from '../../../internal/framework/controller/webhook/admission-review.ts';
import { readConversionRequest } from '../../../internal/framework/controller/webhook/webhook.ts';
import { objectPath } from '../../../internal/framework/kube/client/resource-path.ts';
import { createKubeClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import { coreEvent } from '../../../internal/framework/kube/object/core-event.ts';
import { configMaps, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { decodedData } from '../../../internal/framework/kube/object/secret-data.ts';
import { damagedJson, damagedText, damagedValue } from '../arbitraries/damaged.ts';
import { hostileText } from '../arbitraries/hostile.ts';
import { secret } from '../arbitraries/secret.ts';
import { foreignInput } from '../foreign-input.ts';

const kubeconfig = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'kyma',
  contexts: [{ name: 'kyma', context: { cluster: 'c1', user: 'u1', namespace: 'shop' } }],
  clusters: [
    { name: 'c1', cluster: { server: 'https://api.kyma.example', 'certificate-authority-data': '' } },
  ],
  users: [
    {
      name: 'u1',
      user: {
        token: secret,
        username: 'u',
        password: secret,
        'client-key-data': '',
        'client-certificate-data': '',
      },
    },
  ],
};

const object = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'hana', namespace: 'shop', uid: 'u-1', resourceVersion: '7', labels: { a: 'b' } },
  data: { uaa: Buffer.from(secret).toString('base64'), token: secret },
};
const list = {
  kind: 'SecretList',
  metadata: { resourceVersion: '7', continue: '' },
  items: [object, object],
};
const events = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'].map((type) => ({ type, object }));
const status = {
  kind: 'Status',
  status: 'Failure',
  code: 404,
  reason: 'NotFound',
  message: 'secrets "x" not found',
  details: {
    name: 'x',
    kind: 'secrets',
    causes: [{ reason: 'r', message: 'm', field: 'f' }],
    retryAfterSeconds: 1,
  },
};

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** The client of a server that is named by a kubeconfig Secret, and answers every request so. */
const clientOf = ({ status, body }: Answer) =>
  createKubeClient({
    config: { server: 'https://api.kyma.example', credentials: async () => ({ headers: {} }) },
    clock: fixedClock,
    jsonLimits: { maxDepth: 64, maxValues: 20_000 },
    transport: {
      host: 'api.kyma.example',
      call: async () => ({ status, body, header: () => undefined }),
      open: async () => ({
        status,
        header: () => undefined,
        body: (async function* () {
          yield Buffer.from(body);
        })(),
      }),
      close: async () => undefined,
    },
  });

/** Never reaches a deadline. */
const fixedClock = { now: () => 1e12, monotonic: () => 0, after: () => () => undefined };

/** Content of a Secret is for the caller; nothing of it is shown here. */
const nothing = (_: unknown) => undefined;
const accepted = fc.constant(200);
const refused = fc.constantFrom(301, 400, 401, 403, 404, 405, 409, 410, 422, 500);

export const kubernetesInputs = [
  foreignInput({
    name: 'a kubeconfig of a Secret',
    inputs: damagedText(damagedValue(kubeconfig).map((value) => yamlText(value))),
    read: (text) => nothing(parseUntrustedKubeconfig(text)),
  }),
  foreignInput({
    name: 'an object of an API server',
    inputs: fc.record({ status: accepted, body: damagedJson(object) }),
    read: async (answer) => {
      const found = await clientOf(answer).get(secrets, { name: 'hana', namespace: 'shop' });
      nothing(decodedData(found));
    },
  }),
  foreignInput({
    name: 'a list of an API server',
    inputs: fc.record({ status: accepted, body: damagedJson(list) }),
    read: async (answer) => nothing(await clientOf(answer).list(secrets)),
  }),
  foreignInput({
    name: 'an error of an API server',
    inputs: fc.record({ status: refused, body: damagedJson(status) }),
    read: async (answer) => nothing(await clientOf(answer).get(configMaps, { name: 'x', namespace: 'shop' })),
  }),
  foreignInput({
    name: 'lines of a watch',
    inputs: fc.record({
      status: accepted,
      body: fc
        .array(fc.oneof(...events.map(damagedJson), damagedJson({ type: 'ERROR', object: status })), {
          maxLength: 4,
        })
        .map((lines) => lines.join('\n')),
    }),
    read: async (answer) => {
      for await (const event of clientOf(answer).watchMetadata(secrets, {}))
        nothing(event.object.metadata.name);
    },
  }),
  foreignInput({
    name: 'the name of an object',
    inputs: fc.record({ name: hostileText, namespace: hostileText }),
    read: async (key) => {
      const requested: string[] = [];
      const client = createKubeClient({
        config: { server: 'https://api.kyma.example', credentials: async () => ({ headers: {} }) },
        clock: fixedClock,
        transport: {
          host: 'api.kyma.example',
          call: async ({ path }) => {
            requested.push(path);
            return { status: 200, body: '{}', header: () => undefined };
          },
          open: () => Promise.reject(new Error('no watch is expected')),
          close: async () => undefined,
        },
      });
      await client.get(secrets, key);
      const [path = ''] = requested;
      const segments = new URL(path, 'https://api.kyma.example').pathname.split('/');
      const wanted = ['', 'api', 'v1', 'namespaces', key.namespace, 'secrets', key.name];
      if (segments.map(decodeURIComponent).join('\n') !== wanted.join('\n')) {
        throw new Error(`${objectPath(secrets, key)} is another object`);
      }
    },
  }),
  foreignInput({
    name: 'an event about an object',
    inputs: fc.record({
      name: hostileText,
      reason: hostileText,
      message: hostileText,
      annotation: hostileText,
    }),
    read: ({ name, reason, message, annotation }) => {
      const event = coreEvent({
        object: { ...object, metadata: { name, namespace: 'shop' } },
        type: 'Warning',
        reason,
        message,
        annotations: { a: annotation },
        component: 'c',
        timestamp: '2024-01-01T00:00:00Z',
        nanos: 1n,
      });
      if (event.metadata.name.length > 253) throw new Error('the name of the event is too long');
      if (Buffer.byteLength(event.message) > 1024) throw new Error('the message of the event is too long');
    },
  }),
  foreignInput({
    name: 'a review of an admission webhook',
    inputs: damagedValue({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u',
        operation: 'UPDATE',
        name: 'n',
        userInfo: { groups: ['g'], extra: { a: ['b'] } },
        object,
      },
    }),
    read: (review) => nothing(readAdmissionRequest(review)),
  }),
  foreignInput({
    name: 'a review of a conversion webhook',
    inputs: damagedValue({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { uid: 'u', desiredAPIVersion: 'services.cloud.sap.com/v1', objects: [object] },
    }),
    read: (review) => nothing(readConversionRequest(review)),
  }),
];

/** Flow style for values that YAML cannot stringify without recursion. */
function yamlText(value: unknown): string {
  try {
    return stringify(value) ?? '';
  } catch {
    return '['.repeat(500);
  }
}
